/* Correcting the reading of a card: likely cards to tap, and a keypad made from the codes of the deck. */

import { cardPicture, deckCodes } from "./deck.js";
import { describeCard, describeFace } from "./descriptions.js";
import { dialog } from "./dialogs.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";

const FEW = 12;

function cardButton(code, pick, share = null) {
  return el("button", { class: "card-button", "data-code": code, "aria-label": describeFace(code), onclick: () => pick(code) },
    cardPicture(code), el("span", { class: "code" }, share === null ? code : `${Math.round(100 * share)} %`));
}

/** A keypad for codes: the keys that may come next, and the cards that are still possible. */
export function keypad(pick) {
  const codes = deckCodes();
  const keys = el("div", { class: "keys" });
  const shown = el("output", { class: "typed" });
  const matches = el("div", { class: "card-choice" });
  const draw = (typed) => {
    const left = codes.filter((code) => code.startsWith(typed));
    const next = [...new Set(left.map((code) => code[typed.length]).filter(Boolean))];
    shown.textContent = typed;
    const back = el("button", { class: "key", disabled: !typed, "aria-label": t("backspace"), onclick: () => draw(shorter(codes, typed)) }, icon("undo"));
    keys.replaceChildren(...next.map((key) => el("button", { class: "key", onclick: () => draw(longer(codes, typed + key)) }, key)), back);
    keys.hidden = shown.hidden = codes.length <= FEW;
    matches.replaceChildren(...(left.length <= 20 ? left : []).map((code) => cardButton(code, pick)));
  };
  draw("");
  return el("div", { class: "keypad" }, shown, keys, matches);
}

/** Add characters while there is only one choice. */
function longer(codes, typed) {
  for (;;) {
    const left = codes.filter((code) => code.startsWith(typed));
    const next = new Set(left.map((code) => code[typed.length] ?? ""));
    if (next.size !== 1 || next.has("")) return typed;
    typed += [...next][0];
  }
}

/** Back to the last choice. */
function shorter(codes, typed) {
  let before = "";
  for (let length = 0; length < typed.length; length++) {
    const here = longer(codes, typed.slice(0, length));
    if (here.length < typed.length) before = here;
  }
  return before;
}

/** Ask which card this is, and call `send(code)`. */
export function correctCard(card, game, send) {
  const pick = (code) => {
    box.close();
    send(code);
  };
  const likely = card.guesses.filter((guess) => guess.code && guess.probability >= 0.005).slice(0, 6);
  const box = dialog(t("which-card"),
    el("p", { class: "now" }, cardPicture(card.code, card.face_up), el("span", {}, describeCard(card, game))),
    likely.length ? el("section", { "aria-label": t("likely") }, el("h3", {}, t("likely")), el("div", { class: "card-choice" }, ...likely.map((guess) => cardButton(guess.code, pick, guess.probability)))) : null,
    el("section", { "aria-label": t("any-card") }, el("h3", {}, t("any-card")), keypad(pick)));
  box.classList.add("correct");
}
