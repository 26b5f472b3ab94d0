/* Small parts that several setup pages are made of. */

import { toast } from "../dialogs.js";
import { el, setAttr } from "../dom.js";
import { language, t } from "../i18n.js";
import { RequestRefused } from "../requests.js";
import { setupIcon } from "./icons.js";

/** A button with an icon. */
export function button(icon, words, does, more = {}) {
  return el("button", { type: "button", ...more, onclick: does }, icon ? setupIcon(icon) : null, el("span", {}, words));
}

/** A button that is only an icon; its words are heard and shown as a tip. */
export function iconButton(icon, words, does, more = {}) {
  return el("button", { type: "button", class: "square plain", "aria-label": words, title: words, ...more, onclick: does }, setupIcon(icon));
}

/** Do something that may be refused; the refusal goes to `trouble` (an element) or to the lower edge. */
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

/** What somebody sees who may not do this: why, and how to get in. */
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

/** A number with so many digits behind the point, as people here write it. */
export function formatNumber(value, digits) {
  return value.toLocaleString(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Bytes for people. */
export function formatBytes(bytes) {
  for (const unit of ["B", "kB", "MB"]) {
    if (bytes < 1000) return `${unit === "B" ? bytes : formatNumber(bytes, bytes < 10 ? 1 : 0)} ${unit}`;
    bytes /= 1000;
  }
  return `${formatNumber(bytes, 1)} GB`;
}

/** A date for people, in the language of the page. */
export function formatDate(text, language, withTime = true) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString(language, { dateStyle: "medium", ...(withTime ? { timeStyle: "short" } : {}) });
}

/** What a game is called. */
export function gameTitles(games, language) {
  return Object.fromEntries(games.map((game) => [game.name, game.title[language] ?? game.name]));
}

/** Call something again and again, never twice at the same time; the returned function stops it. */
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
