/* The list of rulings, newest first: reason, rule, pictures as evidence, and what people can do about each. */

import { cardPicture } from "./deck.js";
import { describeFace, formatTime } from "./descriptions.js";
import { el } from "./dom.js";
import { localized, t } from "./i18n.js";
import { icon } from "./icons.js";
import { seatMark } from "./scores.js";
import { seatName } from "./state.js";
import { speak, voiceIsOn } from "./voice.js";

/** @typedef {import("./types.js").RulingState} RulingState */
/** @typedef {import("./types.js").GameState} GameState */

/** How many of the newest rulings keep their buttons while they need attention. */
const NEAR = 3;
/** From this probability on, a play is shown without the camera's doubt. */
const SURE = 0.95;
const KINDS = { LEGAL: "legal", ILLEGAL: "illegal", UNCLEAR: "unclear" };

/** @param {RulingState} ruling */
export const rulingKind = (ruling) => KINDS[ruling.ruling] ?? "note";

/**
 * The rulings, newest first.
 * @param {Record<string, RulingState>} rulings
 */
export const newestFirst = (rulings) => Object.values(rulings).sort((a, b) => b.line - a.line);

/**
 * Whether somebody still has to react to the ruling.
 * @param {RulingState} ruling
 */
export const needsAttention = (ruling) => ["illegal", "unclear"].includes(rulingKind(ruling)) && !ruling.stands && !ruling.undone;

/**
 * A line in words: the reason of its ruling, or what it changed in the record.
 * @param {RulingState} ruling
 */
export function describeRuling(ruling) {
  if (ruling.refused) return `${t("refused")}: ${ruling.refused}`;
  if (ruling.ruling) return localized(ruling.reason);
  const [verb, line] = ruling.text.replace(/^! /, "").split(" ");
  return t(`did-${verb}`, { line });
}

/**
 * The camera's doubt about a play as a sentence; empty if the camera is sure or the play was undone.
 * @param {RulingState} ruling
 */
export function describeDoubt(ruling) {
  return doubtful(ruling) ? t("camera-sure", { percent: percentOf(ruling) }) : "";
}

/** The same as a small chip, or null. */
export function doubtChip(ruling) {
  if (!doubtful(ruling)) return null;
  const words = describeDoubt(ruling);
  return el("span", { class: "probability", role: "img", "aria-label": words, title: words }, `${percentOf(ruling)}\u00a0%`);
}

const doubtful = (ruling) => !ruling.undone && (ruling.probability ?? 1) < SURE;
const percentOf = (ruling) => Math.round(100 * ruling.probability);

/** The list; `act` has stand, amend, challenge and decide, `now_s()` is the time of the session. */
export class RulingList {
  #list;
  #act;
  #now_s;
  #rows = new Map();
  #open = new Map();
  #context = "";
  #newest = null;

  constructor(list, act, now_s) {
    this.#list = list;
    this.#act = act;
    this.#now_s = now_s;
    setInterval(() => this.#count(), 500);
  }

  /**
   * @param {Record<string, RulingState>} rulings
   * @param {GameState} game
   * @param {string} role
   */
  draw(rulings, game, role) {
    const context = JSON.stringify([role, game.names, document.documentElement.lang]);
    const all = newestFirst(rulings);
    const fresh = context !== this.#context;
    this.#context = context;
    for (const line of this.#rows.keys()) if (!rulings[line]) this.#rows.delete(line);
    const newest = all[0]?.line;
    const order = all.map((ruling, place) => {
      const key = String(ruling.line);
      const known = this.#rows.get(key);
      // The newest ruling shows its buttons; rulings that need attention do so a little longer.
      const first = place === 0 || (place < NEAR && needsAttention(ruling)) ? place === 0 ? "newest" : "near" : "";
      if (known && known.ruling === ruling && known.first === first && !fresh) return known.row;
      const row = this.#row(ruling, game, role, first);
      // Only a new line slides in.
      if (!known && this.#newest !== null && ruling.line > this.#newest) row.classList.add("arrives");
      this.#rows.set(key, { ruling, first, row });
      return row;
    });
    this.#newest = newest ?? 0;
    const focused = this.#list.contains(document.activeElement) ? focusKey(document.activeElement) : null;
    if (order.length !== this.#list.children.length || order.some((row, place) => row !== this.#list.children[place])) this.#list.replaceChildren(...order);
    if (focused && !this.#list.contains(document.activeElement)) this.#list.querySelector(focused)?.focus();
    this.#count();
  }

  #row(ruling, game, role, first) {
    const kind = rulingKind(ruling);
    const loud = needsAttention(ruling);
    const doubted = ruling.challenge?.open;
    const open = this.#open.get(ruling.line) ?? (loud && first === "newest");
    const name = seatName(game, ruling.seat);
    const flags = [
      ruling.stands && ["stand", t("stands")], ruling.undone && ["undo", t("undone")], ruling.pinned && !ruling.stands && ["pin", t("by-human")],
      ruling.about && ["note", t("about-line", { line: ruling.about })], ruling.challenge && !doubted && ["flag", t("was-challenged", { by: ruling.challenge.by })],
    ].filter(Boolean);
    const details = el("div", { class: "details", id: `details-${ruling.line}`, hidden: !open });
    const toggle = el("button", { class: "plain small more", "aria-expanded": String(open), "aria-controls": details.id, "data-key": "more",
      "aria-label": `${t("details")}: ${ruling.text}` }, icon("down"));
    toggle.addEventListener("click", () => {
      const shown = details.hidden;
      details.hidden = !shown;
      toggle.setAttribute("aria-expanded", String(shown));
      this.#open.set(ruling.line, shown);
      if (shown) this.#fill(details, ruling, first);
      this.#count();
    });
    if (open) this.#fill(details, ruling, first);
    return el("li", { class: `ruling ${kind}${loud ? " loud" : ""}${ruling.undone ? " undone" : ""}`, "data-line": ruling.line, "data-ruling": kind },
      el("span", { class: "verdict" }, icon(kind), el("span", { class: loud || kind === "note" ? "word" : "heard" }, t(`ruling-${kind}`)),
        loud && ruling.rule ? el("span", { class: "rule-id" }, ruling.rule) : null, loud ? doubtChip(ruling) : null),
      el("p", { class: "reason" }, describeRuling(ruling)),
      el("p", { class: "line" }, ruling.seat === null || ruling.seat === undefined ? null : seatMark(ruling.seat), el("span", { class: "heard" }, name),
        el("code", {}, ruling.text), !loud && ruling.rule ? el("span", { class: "rule-id" }, ruling.rule) : null,
        loud ? null : doubtChip(ruling), el("time", {}, formatTime(ruling.at_s))),
      toggle,
      flags.length ? el("p", { class: "flags" }, ...flags.map(([sign, words]) => el("span", {}, icon(sign), words))) : null,
      doubted ? this.#doubt(ruling, role) : null, details, first ? this.#actions(ruling, loud) : null);
  }

  /**
   * @param {HTMLElement} details
   * @param {RulingState} ruling
   * @param {string} first
   */
  #fill(details, ruling, first) {
    if (details.childElementCount) return;
    const cards = (ruling.cards ?? []).filter((code) => code !== "?" && describeFace(code) !== code);
    if (cards.length) details.append(el("div", { class: "row-of-cards" }, ...cards.map((code) => el("span", { role: "img", "aria-label": describeFace(code) }, cardPicture(code)))));
    if (ruling.rule_text) details.append(el("blockquote", {}, el("b", {}, `${ruling.rule} `), localized(ruling.rule_text)));
    if (ruling.evidence)
      details.append(el("div", { class: "evidence" }, ...["before", "after"].map((when) => {
        const address = `/api/evidence/${ruling.line}/${when}.jpg`;
        const picture = el("img", { src: address, alt: t(`picture-${when}`), loading: "lazy" });
        picture.addEventListener("error", () => picture.closest("figure")?.remove());
        return el("figure", {}, el("a", { href: `${address}?whole=1`, target: "_blank", rel: "noopener" }, picture), el("figcaption", {}, t(`picture-${when}`)));
      })));
    if (!first) details.append(this.#actions(ruling, needsAttention(ruling)) ?? "");
  }

  #actions(ruling, loud) {
    if (!ruling.ruling || ruling.undone) return null;
    const button = (key, sign, words, does, more = "") => el("button", { class: `small ${more}`, "data-key": key, onclick: does }, icon(sign), words);
    const parts = [];
    if (loud) parts.push(button("stand", "stand", t("let-stand"), () => this.#act.stand(ruling)));
    if (loud) parts.push(button("amend", "edit", t("amend"), () => this.#act.amend(ruling)));
    const challenge = button("challenge", "flag", t("challenge"), () => this.#act.challenge(ruling), "challenge");
    challenge.append(el("span", { class: "countdown" }));
    challenge.dataset.until = ruling.challenge ? -1 : (ruling.challenge_until_s ?? -1);
    parts.push(challenge);
    return el("div", { class: "acts" }, ...parts);
  }

  #doubt(ruling, role) {
    const decide = (stand) => () => this.#act.decide(ruling, stand);
    return el("div", { class: "doubt" }, el("p", {}, icon("flag"), t("is-challenged", { by: ruling.challenge.by })),
      role === "host" ? el("div", { class: "acts" },
        el("button", { class: "small chief", "data-key": "decide-yes", onclick: decide(true) }, t("decide-stand")),
        el("button", { class: "small", "data-key": "decide-no", onclick: decide(false) }, t("decide-undo"))) : null);
  }

  /** Count down the time that is left for a challenge, on its button. */
  #count() {
    const now_s = this.#now_s();
    for (const button of this.#list.querySelectorAll(".challenge")) {
      const left = now_s === null ? 0 : Number(button.dataset.until) - now_s;
      button.hidden = left <= 0;
      if (left > 0) button.querySelector(".countdown").textContent = `${Math.ceil(left)} s`;
    }
    for (const acts of this.#list.querySelectorAll(".acts")) acts.hidden = [...acts.children].every((child) => child.hidden);
  }
}

const focusKey = (element) => {
  const line = element.closest("[data-line]")?.dataset.line;
  return line && element.dataset.key ? `[data-line="${line}"] [data-key="${element.dataset.key}"]` : null;
};

/** Announces new rulings to screen readers, and aloud if the voice is on; rulings from before the page opened are left out. */
export class Announcer {
  #last = null;
  #session = null;
  #polite;
  #urgent;

  constructor(polite, urgent) {
    this.#polite = polite;
    this.#urgent = urgent;
  }

  /**
   * @param {Record<string, RulingState>} rulings
   * @param {GameState} game
   */
  announce(rulings, game) {
    const all = newestFirst(rulings);
    const newest = all[0]?.line ?? 0;
    if (this.#session !== game.session || this.#last === null) {
      this.#session = game.session;
      this.#last = newest;
      return;
    }
    const fresh = all.filter((ruling) => ruling.line > this.#last).reverse();
    this.#last = Math.max(this.#last, newest);
    for (const ruling of fresh) {
      const kind = rulingKind(ruling);
      const parts = [kind === "note" || kind === "legal" ? "" : `${t(`ruling-${kind}`)}.`, describeRuling(ruling), describeDoubt(ruling)];
      const words = parts.filter(Boolean).join(" ");
      const loud = needsAttention(ruling);
      (loud ? this.#urgent : this.#polite).textContent = words;
      if (loud && voiceIsOn()) speak(words, kind === "illegal");
    }
  }
}
