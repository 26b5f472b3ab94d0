/* What everybody must do now, the scoreboard, and the status line. */


import { el, setAttr, setText } from "./dom.js";
import { localized, plural, t } from "./i18n.js";
import { icon } from "./icons.js";
import { seatName } from "./state.js";

/** @typedef {import("./types.js").GameState} GameState */

/** A disc with the number of a seat, in the seat's colour. */
export function seatMark(seat) {
  return el("span", { class: "seat-mark", "data-seat": seat % 12, "aria-hidden": "true" }, String(seat + 1));
}

/**
 * What everybody must do now; after the game, who won.
 * @param {HTMLElement} list
 * @param {GameState} game
 */
export function drawTodo(list, game) {
  const rows = game.over
    ? [{ text: game.over.why, seats: game.over.winners, over: true }]
    : game.paused ? [{ words: t("paused-now"), seats: [] }] : game.todo;
  const wanted = JSON.stringify([rows, document.documentElement.lang]);
  if (list.dataset.drawn === wanted) return;
  list.dataset.drawn = wanted;
  setAttr(list, "data-rows", Math.min(rows.length, 6));
  list.replaceChildren(
    ...rows.map((row) => el("li", { class: row.over ? "over" : null },
      row.over ? icon("cup") : el("span", { class: "marks" }, ...row.seats.slice(0, 4).map(seatMark)), el("span", {}, row.words ?? localized(row.text)))),
  );
}

/**
 * A panel for every seat: points, cards in hand, and a sentence.
 * @param {HTMLElement} list
 * @param {GameState} game
 */
export function drawScores(list, game) {
  const wanted = JSON.stringify([game.standings, game.names, game.todo.map((one) => one.seats), game.over, document.documentElement.lang]);
  if (list.dataset.drawn === wanted) return;
  list.dataset.drawn = wanted;
  const busy = new Set(game.over ? game.over.winners : game.todo.flatMap((one) => one.seats));
  const known = new Map([...list.children].map((row) => [Number(row.getAttribute("data-seat")), row]));
  const rows = game.standings.map((one) => {
    const row = known.get(one.seat) ?? scoreRow(one.seat);
    const [name, points, hand, story] = ["name", "points", "hand", "story"].map((part) => row.querySelector(`.${part}`));
    setText(name, seatName(game, one.seat));
    if (points.textContent !== String(one.points)) {
      if (points.textContent) points.animate?.([{ transform: "scale(1.35)" }, { transform: "none" }], { duration: 420, easing: "ease-out" });
      points.textContent = String(one.points);
    }
    setText(hand.children[1], String(one.hand));
    setText(hand.children[2], plural("cards", one.hand).replace(/^\S+ /, ""));
    setText(story, localized(one.story));
    setAttr(row, "data-busy", busy.has(one.seat) || null);
    setAttr(row, "data-won", game.over?.winners.includes(one.seat) || null);
    return row;
  });
  list.replaceChildren(...rows);
}

function scoreRow(seat) {
  return el("li", { class: "score", "data-seat": seat },
    el("div", { class: "who" }, seatMark(seat), el("span", { class: "name" })),
    el("div", { class: "sum" }, el("span", { class: "points" }), el("span", { class: "unit", "data-t": "points" }, t("points")),
      el("span", { class: "hand" }, icon("hand"), el("b"), el("span", { class: "word" }))),
    el("p", { class: "story" }));
}

/**
 * The status of the table in a word or two; problems come first.
 * @param {import("./types.js").PageState | null} state
 * @param {string} connection
 */
export function statusOf(state, connection) {
  const { game = null, camera = null, table = null } = state ?? {};
  if (connection !== "live") return ["lost", t("wire-lost")];
  if (!game) return ["idle", t("wire-live")];
  if (game.paused) return ["paused", t("paused")];
  if (camera && camera.health === "lost") return ["lost", `${t("camera-lost")}${camera.message ? `: ${camera.message}` : ""}`];
  if (game.over) return ["over", t("over")];
  if (camera && camera.health === "ended") return ["paused", t("camera-ended")];
  if (table?.motion === "hand") return ["hand", t("motion-hand")];
  if (table?.motion === "changing") return ["hand", t("motion-changing")];
  return ["live", t("wire-live")];
}
