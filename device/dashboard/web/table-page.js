/* The table page: state comes in, everything is drawn, actions go out. */

import { CameraView } from "./camera.js";
import { Crier, RulingList, kindOf, newestFirst, pressing } from "./rulings.js";
import { Door, toast } from "./act.js";
import { $, el, kept, mark, write } from "./dom.js";
import { dress, icon } from "./icons.js";
import { listenForKeys } from "./keys.js";
import { drawQuestion } from "./question.js";
import { deckKey, learnDeck } from "./faces.js";
import { Live } from "./live.js";
import { nextLook } from "./looks.js";
import { cardWords, faceWords, zoneWords } from "./names.js";
import { drawScores, drawTodo, statusOf } from "./scores.js";
import { State, nameOf } from "./state.js";
import { TableView, bestQuarter } from "./table.js";
import { aloud, language, learn, plural, setAloud, speak, speakIn, t, tell } from "./say.js";

// Dialogs are fetched when somebody wants them: most people only watch.
const menu = async () => (await import("./menu.js")).menu(door, drawRole);
const keysHelp = async () => (await import("./menu.js")).keysHelp();
const state = new State();
let wire = "connecting";
let deck = "";
await learn();
dress(document);

const door = new Door(() => {
  drawRole();
  state.again();
});
const act = {
  stand: (ruling) => door.line(`stand ${ruling.line}`, t("done-stand")),
  amend: async (ruling) => {
    if (!door.mayAct) return door.pair("", () => act.amend(ruling));
    const { amend } = await import("./declare.js");
    amend(ruling, (text) => door.line(text, t("done-amend")));
  },
  challenge: (ruling) => door.send("/api/game/challenge", { line: ruling.line }, t("done-challenge")),
  decide: (ruling, stand) => door.send("/api/game/decide", { line: ruling.line, stand }, t("done-decide")),
  undo: () => door.line("undo", t("done-undo")),
  redo: () => door.line("redo", t("done-redo")),
  choose: async (lines) => {
    // Nothing of all that happened: the question goes, the table is looked at again.
    if (!lines.length) return ($("question").hidden = true);
    if (!door.mayAct) return door.pair("", () => act.choose(lines));
    for (const text of lines) if (!(await door.line(text, t("done-declare")))) return;
  },
  pause: () => door.send("/api/game/pause", { paused: !state.now?.game?.paused }),
  declare: async () => {
    if (!state.now?.game) return;
    if (!door.mayAct) return door.pair("", act.declare);
    const { declare } = await import("./declare.js");
    declare(state.now.game, (text) => door.line(text, t("done-declare")));
  },
  correct: async (card) => {
    if (!door.mayAct) return door.pair("", () => act.correct(card));
    const { correctCard } = await import("./correct.js");
    correctCard(card, state.now.game, (code) => door.send("/api/table/card", { track: card.track, code }, t("done-card", { card: faceWords(code) })));
  },
};
const table = new TableView($("felt"), act.correct);
const camera = new CameraView(table);
const live = new Live(state, (word) => {
  wire = word;
  drawStatus();
});
const rulings = new RulingList($("ruling-list"), act, () => live.now_s());
const crier = new Crier($("told"), $("alarmed"));

state.watch(async (now) => {
  const { game } = now;
  $("welcome").hidden = Boolean(game);
  document.body.classList.toggle("playing", Boolean(game));
  drawStatus();
  write($("title"), game ? tell(game.title) : "Krupier");
  document.title = game ? `${tell(game.title)} – Krupier` : "Krupier";
  camera.draw(now.camera);
  if (!game) return;
  await learnDeck(game.name, game.deck);
  if (deck !== deckKey(game.name, game.deck)) table.forget();
  deck = deckKey(game.name, game.deck);
  write($("variant"), Object.entries(game.options).map(([name, value]) => `${name}: ${value}`).join(" · "));
  drawTodo($("todo"), game);
  drawScores($("scores"), game);
  drawQuestion($("question"), now.question, act.choose);
  rulings.draw(now.rulings, game, door.me.role);
  crier.hear(now.rulings, game);
  write($("log"), plural("lines", Object.keys(now.rulings).length));
  drawActions(game);
  drawTable(now);
});

function drawTable({ table: lies, game, rulings: all }) {
  $("felt").hidden = !lies;
  mark($("views"), "data-empty", !lies || null);
  if (!lies) return;
  table.quarter = quarter(lies.size_mm);
  table.draw(lies, game);
  const newest = newestFirst(all).find((ruling) => ruling.ruling);
  table.point(newest?.cards ?? [], newest ? kindOf(newest) : "note");
  drawList(lies, game);
}

/** The same for people who listen: zone by zone, bottom to top. */
function drawList(lies, game) {
  if ($("table-list").drawn === lies.cards && $("table-list").lang === language()) return;
  $("table-list").drawn = lies.cards;
  $("table-list").lang = language();
  const cards = Object.values(lies.cards).sort((a, b) => a.layer - b.layer);
  const zones = [...new Set(cards.map((card) => card.zone))].sort();
  const title = (zone) => (/^P\d+$/.test(zone) ? nameOf(game, zone.slice(1) - 1) : zoneWords(zone) || "–");
  $("table-list").replaceChildren(...zones.map((zone) => el("div", {}, el("h3", {}, title(zone)),
    el("ul", {}, ...cards.filter((card) => card.zone === zone).map((card) => el("li", {}, cardWords(card, game)))))));
}

/** How the drawing is turned: as somebody chose, or so that it fits the screen. */
function quarter(size_mm) {
  const chosen = Number(kept.get("quarter", "-1"));
  if (chosen >= 0) return chosen % 4;
  return bestQuarter(size_mm);
}

function drawActions(game) {
  $("undo").disabled = !game.undo;
  $("redo").disabled = !game.redo;
  $("pause").hidden = door.me.role === "player";
  const [sign, words] = game.paused ? ["play", "go-on"] : ["pause", "pause"];
  $("pause").dataset.t = words;
  $("pause").replaceChildren(icon(sign), t(words));
}

function drawStatus() {
  const [kind, words] = statusOf(state.now, wire);
  mark($("status"), "data-kind", kind);
  write($("status"), words);
  mark(document.body, "data-wire", wire);
}

function drawRole() {
  const { role, name } = door.me;
  $("role").replaceChildren(icon("key"), el("span", {}, role === "spectator" ? t("pair") : name || t(`role-${role}`)));
  mark($("role"), "aria-label", role === "spectator" ? t("pair") : `${t(`role-${role}`)} ${name}`);
  $("role").classList.toggle("chief", role === "spectator");
  const on = aloud();
  $("voice-button").setAttribute("aria-pressed", String(on));
  $("voice-button").dataset.icon = on ? "voice" : "mute";
  $("voice-button").replaceChildren(icon(on ? "voice" : "mute"));
}

function toggleVoice() {
  setAloud(!aloud());
  if (aloud()) speak(t("voice-on"));
  toast(t(aloud() ? "voice-on" : "voice-off"));
  drawRole();
}

function turnTable() {
  if (!state.now?.table) return;
  kept.set("quarter", (quarter(state.now.table.size_mm) + 1) % 4);
  drawTable(state.now);
}

const newestPressing = () => newestFirst(state.now?.rulings ?? {}).find(pressing);
const newestRuling = () => newestFirst(state.now?.rulings ?? {}).find((ruling) => ruling.ruling);

$("undo").onclick = act.undo;
$("redo").onclick = act.redo;
$("declare").onclick = act.declare;
$("pause").onclick = act.pause;
$("role").onclick = () => (door.mayAct ? menu() : door.pair());
$("menu-button").onclick = menu;
$("voice-button").onclick = toggleVoice;
$("camera-button").onclick = () => toast(camera.next());
$("turn-button").onclick = turnTable;
listenForKeys({
  u: act.undo, r: act.redo, d: act.declare, p: act.pause, v: toggleVoice, o: turnTable, "?": keysHelp,
  c: () => toast(camera.next()),
  g: () => table.focus(),
  s: () => newestPressing() && act.stand(newestPressing()),
  k: () => newestRuling() && act.challenge(newestRuling()),
  l: () => speakIn(language() === "pl" ? "en" : "pl"),
  t: () => toast(t(`theme-${nextLook("theme")}`)),
  b: () => toast(t(`palette-${nextLook("palette")}`)),
});
document.addEventListener("language", () => {
  drawRole();
  state.again();
});
addEventListener("resize", () => state.now?.game && state.now.table && drawTable(state.now));
door.look();
