/* The scoreboard for a television: what to do in giant type, scores, the last ruling, and the way in. */

import "./looks.js";
import { ask } from "./act.js";
import { $, mark, write } from "./dom.js";
import { deckKey, learnDeck } from "./faces.js";
import { Live } from "./live.js";
import { kindOf } from "./rulings.js";
import { aloud, learn, speak, t, tell } from "./say.js";
import { drawBanner, newestRuling } from "./showing.js";
import { drawScores, drawTodo, statusOf } from "./scores.js";
import { State } from "./state.js";
import { TableView, bestQuarter } from "./table.js";

const state = new State();
let wire = "connecting";
let deck = "";
await learn();
const table = new TableView($("felt"));
new Live(state, (word) => {
  // A server that was started again has other codes.
  if (word === "live" && wire === "lost") drawJoin();
  wire = word;
  drawStatus();
});

state.watch(async (now) => {
  const { game } = now;
  $("welcome").hidden = Boolean(game);
  document.body.classList.toggle("playing", Boolean(game));
  write($("title"), game ? tell(game.title) : "Krupier");
  drawStatus();
  if (!game) return;
  await learnDeck(game.name, game.deck);
  if (deck !== deckKey(game.name, game.deck)) table.forget();
  deck = deckKey(game.name, game.deck);
  drawTodo($("todo"), game);
  drawScores($("scores"), game);
  const ruling = newestRuling(now);
  const fresh = drawBanner($("ruling"), ruling);
  mark($("last"), "data-ruling", ruling ? kindOf(ruling) : "note");
  if (fresh && ruling && kindOf(ruling) !== "legal" && aloud()) speak(tell(ruling.reason), true);
  $("felt").hidden = !now.table;
  mark(document.body, "data-table", now.table ? "there" : "none");
  if (!now.table) return;
  table.quarter = bestQuarter(now.table.size_mm);
  table.draw(now.table, game);
  table.point(ruling?.cards ?? [], ruling ? kindOf(ruling) : "note");
});

function drawStatus() {
  const [kind, words] = statusOf(state.now, wire);
  mark($("status"), "data-kind", kind);
  write($("status"), words);
}

async function drawJoin() {
  const me = await ask("/api/me").catch(() => null);
  if (!me) return;
  $("qr").src = `/api/qr.svg?${Date.now()}`;
  $("qr").alt = t(me.code ? "join-here" : "watch-here");
  write($("join-words"), t(me.code ? "join-here" : "watch-here"));
  write($("join-address"), (me.join ?? location.origin).replace(/^https?:\/\//, ""));
  $("join-code").hidden = !me.code;
  write($("join-code"), me.code ?? "");
}

drawJoin();
