/* The scoreboard for a TV: what to do in large type, scores, the last ruling, and how to join. */

import "./appearance.js";
import { drawBanner, newestRuling } from "./banner.js";
import { deckKey, loadDeck } from "./deck.js";
import { byId, setAttr, setText } from "./dom.js";
import { loadTexts, localized, t } from "./i18n.js";
import { LiveConnection } from "./live.js";
import { request } from "./requests.js";
import { rulingKind } from "./rulings.js";
import { drawScores, drawTodo, statusOf } from "./scores.js";
import { StateStore } from "./state.js";
import { TableView, bestQuarter } from "./table-view.js";
import { speak, voiceIsOn } from "./voice.js";

const state = new StateStore();
let wire = "connecting";
let deck = "";
await loadTexts();
const table = new TableView(byId("felt"));
new LiveConnection(state, (word) => {
  // A restarted server has new codes.
  if (word === "live" && wire === "lost") drawJoin();
  wire = word;
  drawStatus();
});

state.watch(async (now) => {
  const { game } = now;
  byId("welcome").hidden = Boolean(game);
  document.body.classList.toggle("playing", Boolean(game));
  setText(byId("title"), game ? localized(game.title) : "Krupier");
  drawStatus();
  if (!game) return;
  await loadDeck(game.name, game.deck);
  if (deck !== deckKey(game.name, game.deck)) table.forget();
  deck = deckKey(game.name, game.deck);
  drawTodo(byId("todo"), game);
  drawScores(byId("scores"), game);
  const ruling = newestRuling(now);
  const fresh = drawBanner(byId("ruling"), ruling);
  setAttr(byId("last"), "data-ruling", ruling ? rulingKind(ruling) : "note");
  if (fresh && ruling && rulingKind(ruling) !== "legal" && voiceIsOn()) speak(localized(ruling.reason), true);
  byId("felt").hidden = !now.table;
  setAttr(document.body, "data-table", now.table ? "there" : "none");
  if (!now.table) return;
  table.quarter = bestQuarter(now.table.size_mm);
  table.draw(now.table, game);
  table.point(ruling?.cards ?? [], ruling ? rulingKind(ruling) : "note");
});

function drawStatus() {
  const [kind, words] = statusOf(state.now, wire);
  setAttr(byId("status"), "data-kind", kind);
  setText(byId("status"), words);
}

async function drawJoin() {
  const me = await request("/api/me").catch(() => null);
  if (!me) return;
  byId("qr").src = `/api/qr.svg?${Date.now()}`;
  byId("qr").alt = t(me.code ? "join-here" : "watch-here");
  setText(byId("join-words"), t(me.code ? "join-here" : "watch-here"));
  setText(byId("join-address"), (me.join ?? location.origin).replace(/^https?:\/\//, ""));
  byId("join-code").hidden = !me.code;
  setText(byId("join-code"), me.code ?? "");
}

drawJoin();
