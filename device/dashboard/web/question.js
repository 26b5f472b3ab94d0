/* What the camera is not sure about: the choices, each one tap, and what nothing explains. */

import { el } from "./dom.js";
import { localized, t } from "./i18n.js";
import { icon } from "./icons.js";

const KINDS = { LEGAL: "legal", ILLEGAL: "illegal", UNCLEAR: "unclear", UNDONE: "undo" };

/** Draw the question into a place; `choose(lines)` is told what happened. */
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

/** What the referee would say of one line; of what a choice takes back, that it is taken back. */
function sentence(one) {
  const kind = KINDS[one.ruling] ?? "note";
  return el("span", { class: `said ${kind}` }, icon(kind), one.ruling === "UNDONE" ? `${t("undone")}: ${localized(one)}` : localized(one));
}
