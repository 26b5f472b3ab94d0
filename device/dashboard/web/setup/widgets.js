/* Widgets and formatting that several setup pages share. */

import { toast } from "../dialogs.js";
import { el, setAttr } from "../dom.js";
import { language, t } from "../i18n.js";
import { RequestRefused } from "../requests.js";
import { setupIcon } from "./icons.js";

/** A button with an icon. */
export function button(icon, words, does, more = {}) {
  return el("button", { type: "button", ...more, onclick: does }, icon ? setupIcon(icon) : null, el("span", {}, words));
}

/** A button with only an icon; its words are its label and tooltip. */
export function iconButton(icon, words, does, more = {}) {
  return el("button", { type: "button", class: "square plain", "aria-label": words, title: words, ...more, onclick: does }, setupIcon(icon));
}

/** Run a request that may be refused; the refusal is shown in `trouble`, or as a toast. */
export async function attempt(does, trouble = null, busy = null) {
  if (trouble) trouble.textContent = "";
  if (busy) setAttr(busy, "disabled", true);
  try {
    return await does();
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    if (trouble) trouble.textContent = error.message;
    else toast(error.message, true);
    return undefined;
  } finally {
    if (busy) setAttr(busy, "disabled", false);
  }
}

/** The panel for people who are not the host: why, and how to pair. */
export function hostOnly(pairing) {
  return el("section", { class: "panel closed" }, setupIcon("pin"), el("h2", {}, t("setup.host-only")), el("p", { class: "soft" }, t("setup.host-only-more")),
    el("p", {}, el("button", { class: "chief", type: "button", onclick: () => pairing.pair() }, t("pair"))));
}

/** Seconds as 4:07 or 1:02:03. */
export function formatTime(at_s) {
  const whole = Math.max(0, Math.floor(at_s));
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = `${String(seconds).padStart(2, "0")}`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/** A number with a fixed number of decimals, in the chosen language. */
export function formatNumber(value, digits) {
  return value.toLocaleString(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A number of bytes with a unit. */
export function formatBytes(bytes) {
  for (const unit of ["B", "kB", "MB"]) {
    if (bytes < 1000) return `${unit === "B" ? bytes : formatNumber(bytes, bytes < 10 ? 1 : 0)} ${unit}`;
    bytes /= 1000;
  }
  return `${formatNumber(bytes, 1)} GB`;
}

/** A date in the language of the page. */
export function formatDate(text, language, withTime = true) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString(language, { dateStyle: "medium", ...(withTime ? { timeStyle: "short" } : {}) });
}

/** The titles of games, by name. */
export function gameTitles(games, language) {
  return Object.fromEntries(games.map((game) => [game.name, game.title[language] ?? game.name]));
}

/** Call something repeatedly, never twice at the same time; the returned function stops it. */
export function poll(ms, does) {
  let timer = 0;
  let on = true;
  const round = async () => {
    if (!document.hidden) await does();
    if (on) timer = setTimeout(round, ms);
  };
  timer = setTimeout(round, 0);
  return () => {
    on = false;
    clearTimeout(timer);
  };
}
