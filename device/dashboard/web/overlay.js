/* The overlay for OBS: a lower third on nothing. ?lang=pl, ?theme=light, ?ruling=always. */

import "./looks.js";
import { $, el, mark, write } from "./dom.js";
import { icon } from "./icons.js";
import { Live } from "./live.js";
import { kindOf } from "./rulings.js";
import { learn, tell } from "./say.js";
import { drawBanner, newestRuling } from "./showing.js";
import { drawTodo, seatMark } from "./scores.js";
import { State, nameOf } from "./state.js";

const SHOWN_MS = { legal: 6000, illegal: 14000, unclear: 14000 };
const state = new State();
const always = new URLSearchParams(location.search).get("ruling") === "always";
let timer = 0;
await learn();
new Live(state);

state.watch(({ game, rulings }) => {
  $("third").hidden = !game;
  if (!game) return;
  write($("title"), tell(game.title));
  drawTodo($("todo"), game);
  drawNames(game);
  const ruling = newestRuling({ rulings });
  const fresh = drawBanner($("ruling"), ruling);
  if (always) $("ruling").hidden = !ruling;
  else if (fresh && ruling) {
    $("ruling").hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => ($("ruling").hidden = true), SHOWN_MS[kindOf(ruling)]);
  }
});

function drawNames(game) {
  const busy = new Set(game.over ? game.over.winners : game.todo.flatMap((one) => one.seats));
  const wanted = JSON.stringify([game.standings, [...busy], game.names]);
  if ($("scores").dataset.drawn === wanted) return;
  $("scores").dataset.drawn = wanted;
  $("scores").replaceChildren(...game.standings.map((one) => {
    const row = el("li", {}, seatMark(one.seat), el("span", { class: "name" }, nameOf(game, one.seat)), el("b", {}, String(one.points)),
      el("span", { class: "hand" }, icon("hand"), String(one.hand)));
    mark(row, "data-busy", busy.has(one.seat) || null);
    return row;
  }));
}
