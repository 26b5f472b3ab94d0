/* What the camera is not sure about: the choices, each one tap, and what nothing explains. */

import { el } from "./dom.js";
import { icon } from "./icons.js";
import { t, tell } from "./say.js";

const KINDS = { LEGAL: "legal", ILLEGAL: "illegal", UNCLEAR: "unclear" };

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
    question.left.length ? el("ul", { class: "left" }, ...question.left.map((one) => el("li", {}, tell(one)))) : "");
}

function choiceButton({ lines, words }, choose) {
  const said = words.length ? words.map((one) => el("span", { class: `said ${KINDS[one.ruling] ?? "note"}` }, icon(KINDS[one.ruling] ?? "note"), tell(one))) : [t("question-nothing")];
  return el("button", { class: "choice", onclick: () => choose(lines) }, ...said);
}
