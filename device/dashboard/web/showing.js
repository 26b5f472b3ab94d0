/* What the views that only show have in common: the newest ruling as a banner. */

import { el } from "./dom.js";
import { icon } from "./icons.js";
import { doubtChip, kindOf, newestFirst, rulingWords } from "./rulings.js";
import { seatMark } from "./scores.js";
import { t } from "./say.js";

/** The newest ruling of a state, or none. */
export const newestRuling = (state) => newestFirst(state.rulings).find((ruling) => ruling.ruling && !ruling.undone) ?? null;

/** Put a ruling into a banner: icon, word, rule, doubt, reason. True if it is another one than before. */
export function drawBanner(banner, ruling) {
  const wanted = ruling ? `${ruling.line} ${ruling.ruling} ${ruling.stands} ${ruling.probability} ${document.documentElement.lang}` : "none";
  if (banner.dataset.drawn === wanted) return false;
  const fresh = banner.dataset.line !== undefined && banner.dataset.line !== String(ruling?.line);
  banner.dataset.drawn = wanted;
  banner.dataset.line = ruling?.line ?? "";
  if (!ruling) {
    banner.dataset.ruling = "note";
    banner.replaceChildren(el("p", { class: "reason" }, t("no-ruling")));
    return fresh;
  }
  const kind = kindOf(ruling);
  banner.dataset.ruling = kind;
  banner.replaceChildren(
    icon(kind),
    el("p", { class: "word" }, t(`ruling-${kind}`), " ", el("span", { class: "rule-id" }, ruling.rule), " ", doubtChip(ruling)),
    el("p", { class: "reason" }, ruling.seat === null || ruling.seat === undefined ? null : seatMark(ruling.seat), " ", rulingWords(ruling)),
    ruling.stands ? el("p", { class: "stands" }, icon("stand"), t("stands")) : "");
  if (fresh) banner.animate?.([{ opacity: 0, transform: "translateY(16px)" }, { opacity: 1, transform: "none" }], { duration: 420, easing: "cubic-bezier(.2,.9,.3,1)" });
  return fresh;
}
