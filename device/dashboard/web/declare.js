/* Declaring moves that the camera cannot see, and amending lines of the record. */

import { keypad } from "./correct-card.js";
import { cardPicture } from "./deck.js";
import { describeFace } from "./descriptions.js";
import { dialog } from "./dialogs.js";
import { el } from "./dom.js";
import { localized, t } from "./i18n.js";
import { RequestRefused, request } from "./requests.js";
import { seatMark } from "./scores.js";
import { seatName } from "./state.js";

const FEW = 6;

/** A dialog with the moves that may be declared now, seat by seat, and a field for any other line. */
export async function declare(game, send) {
  const list = el("div", { class: "declarations" }, el("p", { class: "soft" }, t("wait")));
  const line = lineForm("", t("declare-go"), (text) => {
    box.close();
    send(text);
  });
  const box = dialog(t("declare"), list, el("section", { "aria-label": t("own-line") }, el("h3", {}, t("own-line")), line));
  box.classList.add("declare");
  let found;
  try {
    const answer = await request("/api/declarations");
    found = Array.isArray(answer) ? answer : answer.declarations;
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    list.replaceChildren(el("p", { class: "trouble" }, error.message));
    return;
  }
  const pick = (text) => {
    box.close();
    send(text);
  };
  const seats = [...new Set(found.map((one) => one.seat ?? null))];
  list.replaceChildren(...seats.map((seat) => seatPart(seat, game, found.filter((one) => (one.seat ?? null) === seat), pick)));
  if (!found.length) list.replaceChildren(el("p", { class: "soft" }, t("nothing-to-declare")));
}

function seatPart(seat, game, found, pick) {
  const verbs = [...new Set(found.map((one) => one.verb))];
  const button = (one) => el("button", { class: "small", "data-text": one.text, onclick: () => pick(one.text) }, localized(one.label));
  return el("section", {},
    el("h3", {}, seat === null ? t("the-table") : seatMark(seat), seat === null ? "" : ` ${seatName(game, seat)}`),
    ...verbs.map((verb) => {
      const moves = found.filter((one) => one.verb === verb);
      if (moves.length <= FEW) return el("div", { class: "moves" }, ...moves.map(button));
      return el("details", {}, el("summary", {}, `${verb} (${moves.length})`), el("div", { class: "moves" }, ...moves.map(button)));
    }));
}

function lineForm(text, words, send) {
  const input = el("input", { value: text, maxlength: 200, autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": t("own-line") });
  const form = el("form", { class: "line-form" }, input, el("button", { class: "chief", type: "submit" }, words));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) send(input.value.trim());
  });
  form.input = input;
  return form;
}

/** Amend a line: tap one of its cards to replace it, or type the line again. */
export function amend(ruling, send) {
  const form = lineForm(ruling.text.replace(/^! /, ""), t("amend-go"), (text) => {
    box.close();
    send(`amend ${ruling.line} ${text}`);
  });
  const pad = el("div");
  const cards = el("div", { class: "card-choice" });
  const draw = () => {
    const words = form.input.value.split(" ");
    cards.replaceChildren(...words.flatMap((word, place) => {
      if (word !== "?" && describeFace(word) === word) return [];
      return [el("button", { class: "card-button", "aria-label": `${t("change")}: ${describeFace(word)}`, onclick: () => {
        pad.replaceChildren(el("p", { class: "soft" }, t("instead-of", { card: describeFace(word) })), keypad((code) => {
          words[place] = code;
          form.input.value = words.join(" ");
          pad.replaceChildren();
          draw();
        }));
      } }, cardPicture(word === "?" ? "" : word, word !== "?"), el("span", { class: "code" }, word))];
    }));
  };
  form.input.addEventListener("input", draw);
  const box = dialog(t("amend-line", { line: ruling.line }), el("p", { class: "soft" }, t("amend-more")), cards, pad, form);
  draw();
}
