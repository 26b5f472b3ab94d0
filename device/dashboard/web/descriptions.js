/* Cards, zones and times in words, for screen readers and tooltips. */

import { printedOn } from "./deck.js";
import { plural, t } from "./i18n.js";
import { readingConfidence, seatName } from "./state.js";

/** What is printed on a card, in words. */
export function describeFace(code) {
  const card = printedOn(code);
  if (!card) return code || t("unread");
  if (card.digit !== undefined) return `${card.digit} ${t(`ink-${card.colour}`)}${card.stars ? `, ${plural("stars", card.stars)}` : ""}`;
  if (card.a !== undefined) return `${card.a}/${card.b}${card.star ? ` ${t("with-star")}` : card.group !== "base" ? ` ${card.group}` : ""}`;
  if (card.value !== undefined) return `${card.value > 0 ? "+" : "−"}${Math.abs(card.value)} (${card.white})`;
  if (card.grid) return t("box-card", { n: code });
  if (card.number !== undefined) return String(card.number);
  if (card.colour !== undefined) return t(`ink-${card.colour}`);
  return code;
}

/** The title of a zone without a seat, as the pile. */
export function zoneTitle(name) {
  const words = t(`zone-${name}`);
  return words === `zone-${name}` ? name : words;
}

/**
 * A card on the table: its face, its zone, and the doubt about its reading.
 * @param {import("./types.js").CardState} card
 * @param {import("./types.js").GameState | null} game
 */
export function describeCard(card, game) {
  const seat = /^P([1-9]\d?)$/.exec(card.zone);
  const where = seat ? seatName(game, Number(seat[1]) - 1) : zoneTitle(card.zone);
  const sure = readingConfidence(card);
  const what = sure === "back" ? t("face-down") : sure === "unknown" ? t("unread") : describeFace(card.code);
  const doubt = sure === "doubtful" ? `${t("doubtful")} ${Math.round(100 * (card.guesses[0]?.probability ?? 0))} %` : card.pinned ? t("pinned") : "";
  return [what, where, doubt, card.marks.join(" ")].filter(Boolean).join(", ");
}

/** Seconds as minutes and seconds. */
export function formatTime(at_s) {
  const seconds = Math.max(0, Math.floor(at_s));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
