/* A question of the camera: choices to tap, and cards that no choice explains. */

import { el } from "./dom.js";
import { localized, t } from "./i18n.js";
import { icon } from "./icons.js";

const KINDS = { LEGAL: "legal", ILLEGAL: "illegal", UNCLEAR: "unclear", UNDONE: "undo" };

/**
 * Draw the question; a tap calls `choose(lines)`.
 * @param {HTMLElement} place
 * @param {import("./types.js").QuestionState | null} question
 * @param {(lines: string[]) => void} choose
 */
export function drawQuestion(place, question, choose) {
  const wanted = JSON.stringify([question, document.documentElement.lang]);
  if (place.dataset.drawn === wanted) return;
  place.dataset.drawn = wanted;
  place.hidden = !question;
  if (!question) return place.replaceChildren();
  const asked = question.choices.length > 0;
  place.replaceChildren(
    el("h3", {}, icon("unclear"), asked ? t("question") : t("unexplained")),
    asked ? el("ul", { class: "choices" }, ...question.choices.map((choice) => el("li", {}, choiceButton(choice, choose)))) : "",
    question.left.length ? el("ul", { class: "left" }, ...question.left.map((one) => el("li", {}, localized(one)))) : "");
}

function choiceButton({ lines, words }, choose) {
  const said = words.length ? words.map(sentence) : [t("question-nothing")];
  return el("button", { class: "choice", onclick: () => choose(lines) }, ...said);
}

/** The referee's words for one line of a choice; an undone line is marked as such. */
function sentence(one) {
  const kind = KINDS[one.ruling] ?? "note";
  return el("span", { class: `said ${kind}` }, icon(kind), one.ruling === "UNDONE" ? `${t("undone")}: ${localized(one)}` : localized(one));
}
