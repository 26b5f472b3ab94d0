/* The newest ruling as a banner, for the TV and the OBS overlay. */

import { el } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { describeRuling, doubtChip, newestFirst, rulingKind } from "./rulings.js";
import { seatMark } from "./scores.js";

/**
 * The newest ruling that was not undone; null if there is none.
 * @param {{ rulings: Record<string, import("./types.js").RulingState> }} state
 */
export const newestRuling = (state) => newestFirst(state.rulings).find((ruling) => ruling.ruling && !ruling.undone) ?? null;

/**
 * Show a ruling: icon, word, rule, doubt and reason. True if it is another ruling than before.
 * @param {HTMLElement} banner
 * @param {import("./types.js").RulingState | null} ruling
 */
export function drawBanner(banner, ruling) {
  const wanted = ruling ? `${ruling.line} ${ruling.ruling} ${ruling.stands} ${ruling.probability} ${document.documentElement.lang}` : "none";
  if (banner.dataset.drawn === wanted) return false;
  const fresh = banner.dataset.line !== undefined && banner.dataset.line !== String(ruling?.line);
  banner.dataset.drawn = wanted;
  banner.dataset.line = String(ruling?.line ?? "");
  if (!ruling) {
    banner.dataset.ruling = "note";
    banner.replaceChildren(el("p", { class: "reason" }, t("no-ruling")));
    return fresh;
  }
  const kind = rulingKind(ruling);
  banner.dataset.ruling = kind;
  banner.replaceChildren(
    icon(kind),
    el("p", { class: "word" }, t(`ruling-${kind}`), " ", el("span", { class: "rule-id" }, ruling.rule), " ", doubtChip(ruling)),
    el("p", { class: "reason" }, ruling.seat === null || ruling.seat === undefined ? null : seatMark(ruling.seat), " ", describeRuling(ruling)),
    ruling.stands ? el("p", { class: "stands" }, icon("stand"), t("stands")) : "");
  if (fresh) banner.animate?.([{ opacity: 0, transform: "translateY(16px)" }, { opacity: 1, transform: "none" }], { duration: 420, easing: "cubic-bezier(.2,.9,.3,1)" });
  return fresh;
}
