/* The overlay for OBS: a lower third without a background. ?lang=pl, ?theme=light, ?ruling=always. */

import "./appearance.js";
import { drawBanner, newestRuling } from "./banner.js";
import { byId, el, setAttr, setText } from "./dom.js";
import { loadTexts, localized } from "./i18n.js";
import { icon } from "./icons.js";
import { LiveConnection } from "./live.js";
import { rulingKind } from "./rulings.js";
import { drawTodo, seatMark } from "./scores.js";
import { StateStore, seatName } from "./state.js";

const SHOWN_MS = { legal: 6000, illegal: 14000, unclear: 14000 };
const state = new StateStore();
const always = new URLSearchParams(location.search).get("ruling") === "always";
let timer = 0;
await loadTexts();
new LiveConnection(state);

state.watch(({ game, rulings }) => {
  byId("third").hidden = !game;
  if (!game) return;
  setText(byId("title"), localized(game.title));
  drawTodo(byId("todo"), game);
  drawNames(game);
  const ruling = newestRuling({ rulings });
  const fresh = drawBanner(byId("ruling"), ruling);
  if (always) byId("ruling").hidden = !ruling;
  else if (fresh && ruling) {
    byId("ruling").hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => { byId("ruling").hidden = true; }, SHOWN_MS[rulingKind(ruling)]);
  }
});

function drawNames(game) {
  const busy = new Set(game.over ? game.over.winners : game.todo.flatMap((one) => one.seats));
  const wanted = JSON.stringify([game.standings, [...busy], game.names]);
  if (byId("scores").dataset.drawn === wanted) return;
  byId("scores").dataset.drawn = wanted;
  byId("scores").replaceChildren(...game.standings.map((one) => {
    const row = el("li", {}, seatMark(one.seat), el("span", { class: "name" }, seatName(game, one.seat)), el("b", {}, String(one.points)),
      el("span", { class: "hand" }, icon("hand"), String(one.hand)));
    setAttr(row, "data-busy", busy.has(one.seat) || null);
    return row;
  }));
}
