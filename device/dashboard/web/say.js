/* Words: the catalogues in pl and en, which language is chosen, and the browser's voice. */

import { kept } from "./dom.js";

const LANGUAGES = ["pl", "en"];
const catalogue = {};
let spoken = chosen();

function chosen() {
  const asked = new URLSearchParams(location.search).get("lang") ?? kept.get("language", "");
  if (LANGUAGES.includes(asked)) return asked;
  return navigator.language?.toLowerCase().startsWith("pl") ? "pl" : "en";
}

/** The language now: pl or en. */
export const language = () => spoken;

/** Load the words of this page (/web/words/pl.json) and of further folders, then write them into it. */
export async function learn(...folders) {
  catalogue.folders = [...new Set([...(catalogue.folders ?? ["/web/words"]), ...folders])];
  const parts = await Promise.all(
    catalogue.folders.map(async (folder) => (await fetch(`${folder}/${spoken}.json`)).json()),
  );
  catalogue.words = Object.assign({}, ...parts);
  document.documentElement.lang = spoken;
  translate(document);
}

/** Choose a language; everybody who listens for `language` on the document draws anew. */
export async function speakIn(name) {
  if (!LANGUAGES.includes(name) || name === spoken) return;
  spoken = name;
  kept.set("language", name);
  await learn();
  document.dispatchEvent(new Event("language"));
}

/** The words for a key; {name} is filled in. A key without words is shown as it is. */
export function t(key, values = {}) {
  const words = catalogue.words?.[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** The right one of a text that the server sends in both languages. */
export const tell = (both) => both?.[spoken] ?? both?.en ?? "";

/** "1 karta", "2 karty", "5 kart": the form that goes with a number, from key-one, key-few, key-many. */
export function plural(key, number) {
  const form = new Intl.PluralRules(spoken).select(number);
  const found = ["one", "few"].includes(form) ? form : "many";
  return t(catalogue.words?.[`${key}-${found}`] ? `${key}-${found}` : `${key}-many`, { n: number });
}

/** Write the words of everything that carries a key: data-t its text, data-t-label its name, data-t-hint a placeholder. */
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

/** Whether rulings are read aloud; off until somebody wants it. */
export const aloud = () => kept.get("voice", "off") === "on";
export const setAloud = (on) => {
  kept.set("voice", on ? "on" : "off");
  if (!on) globalThis.speechSynthesis?.cancel();
};

/** Say something aloud; what is urgent interrupts. */
export function speak(words, urgent = false) {
  const voice = globalThis.speechSynthesis;
  if (!voice || !words) return;
  if (urgent) voice.cancel();
  const sentence = new SpeechSynthesisUtterance(words);
  sentence.lang = spoken === "pl" ? "pl-PL" : "en-GB";
  voice.speak(sentence);
}
