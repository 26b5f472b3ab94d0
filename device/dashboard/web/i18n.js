/* Texts: the catalogues in pl and en, and the chosen language. */

import { storage } from "./dom.js";

const LANGUAGES = ["pl", "en"];
const catalogue = {};
let spoken = chosen();

function chosen() {
  const asked = new URLSearchParams(location.search).get("lang") ?? storage.get("language", "");
  if (LANGUAGES.includes(asked)) return asked;
  return navigator.language?.toLowerCase().startsWith("pl") ? "pl" : "en";
}

/** The language now: pl or en. */
export const language = () => spoken;

/** Load the texts of /web/words and of further folders, and translate the page. */
export async function loadTexts(...folders) {
  catalogue.folders = [...new Set([...(catalogue.folders ?? ["/web/words"]), ...folders])];
  const parts = await Promise.all(
    catalogue.folders.map(async (folder) => (await fetch(`${folder}/${spoken}.json`)).json()),
  );
  catalogue.words = Object.assign({}, ...parts);
  document.documentElement.lang = spoken;
  translate(document);
}

/** Choose a language; the document gets a `language` event, so that views draw again. */
export async function setLanguage(name) {
  if (!LANGUAGES.includes(name) || name === spoken) return;
  spoken = name;
  storage.set("language", name);
  await loadTexts();
  document.dispatchEvent(new Event("language"));
}

/** The text for a key, with {name} filled in; a key without a text is shown as it is. */
export function t(key, values = {}) {
  const words = catalogue.words?.[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A text of the server in the chosen language. */
export const localized = (both) => both?.[spoken] ?? both?.en ?? "";

/** "1 karta", "2 karty", "5 kart": the form that goes with a number, from key-one, key-few, key-many. */
export function plural(key, number) {
  const form = new Intl.PluralRules(spoken).select(number);
  const found = ["one", "few"].includes(form) ? form : "many";
  return t(catalogue.words?.[`${key}-${found}`] ? `${key}-${found}` : `${key}-many`, { n: number });
}

/** Translate elements with keys: data-t for the text, data-t-label for the label, data-t-hint for the placeholder. */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-t]")) {
    const icon = element.querySelector(":scope > .icon");
    element.textContent = t(element.dataset.t);
    if (icon) element.prepend(icon);
  }
  for (const element of root.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
    element.setAttribute("title", t(element.dataset.tLabel));
  }
  for (const element of root.querySelectorAll("[data-t-hint]")) element.placeholder = t(element.dataset.tHint);
}
