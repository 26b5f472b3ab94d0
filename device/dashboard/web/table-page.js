/* The table page: draws the state as it changes, and sends the actions of its buttons and keys. */

import { nextAppearance } from "./appearance.js";
import { CameraView } from "./camera-view.js";
import { deckKey, loadDeck } from "./deck.js";
import { describeCard, describeFace, zoneTitle } from "./descriptions.js";
import { toast } from "./dialogs.js";
import { byId, el, setAttr, setText, storage } from "./dom.js";
import { language, loadTexts, localized, plural, setLanguage, t } from "./i18n.js";
import { addIcons, icon } from "./icons.js";
import { listenForKeys } from "./keyboard.js";
import { LiveConnection } from "./live.js";
import { Pairing } from "./pairing.js";
import { drawQuestion } from "./question.js";
import { Announcer, RulingList, needsAttention, newestFirst, rulingKind } from "./rulings.js";
import { drawScores, drawTodo, statusOf } from "./scores.js";
import { StateStore, seatName } from "./state.js";
import { TableView, bestQuarter } from "./table-view.js";
import { setVoice, speak, voiceIsOn } from "./voice.js";

/** @typedef {import("./types.js").PageState} PageState */

// Dialogs are loaded when somebody opens one: most people only watch.
const menu = async () => (await import("./menu.js")).menu(pairing, drawRole);
const keysHelp = async () => (await import("./menu.js")).keysHelp();
const state = new StateStore();
let wire = "connecting";
let deck = "";
await loadTexts();
addIcons(document);

const pairing = new Pairing(() => {
  drawRole();
  state.redraw();
});
const actions = {
  stand: (ruling) => pairing.line(`stand ${ruling.line}`, t("done-stand")),
  amend: async (ruling) => {
    if (!pairing.mayAct) return pairing.pair("", () => actions.amend(ruling));
    const { amend } = await import("./declare.js");
    amend(ruling, (text) => pairing.line(text, t("done-amend")));
  },
  challenge: (ruling) => pairing.send("/api/game/challenge", { line: ruling.line }, t("done-challenge")),
  decide: (ruling, stand) => pairing.send("/api/game/decide", { line: ruling.line, stand }, t("done-decide")),
  undo: () => pairing.line("undo", t("done-undo")),
  redo: () => pairing.line("redo", t("done-redo")),
  choose: async (lines) => {
    // None of the choices is right: hide the question; the camera looks again.
    if (!lines.length) {
      byId("question").hidden = true;
      return;
    }
    if (!pairing.mayAct) return pairing.pair("", () => actions.choose(lines));
    for (const text of lines) if (!(await pairing.line(text, t("done-declare")))) return;
  },
  pause: () => pairing.send("/api/game/pause", { paused: !state.now?.game?.paused }),
  declare: async () => {
    if (!state.now?.game) return;
    if (!pairing.mayAct) return pairing.pair("", actions.declare);
    const { declare } = await import("./declare.js");
    declare(state.now.game, (text) => pairing.line(text, t("done-declare")));
  },
  correct: async (card) => {
    if (!pairing.mayAct) return pairing.pair("", () => actions.correct(card));
    const { correctCard } = await import("./correct-card.js");
    correctCard(card, state.now.game, (code) => pairing.send("/api/table/card", { track: card.track, code }, t("done-card", { card: describeFace(code) })));
  },
};
const table = new TableView(byId("felt"), actions.correct);
const camera = new CameraView(table);
const live = new LiveConnection(state, (word) => {
  wire = word;
  drawStatus();
});
const rulings = new RulingList(byId("ruling-list"), actions, () => live.now_s());
const announcer = new Announcer(byId("told"), byId("alarmed"));

state.watch(async (now) => {
  const { game } = now;
  byId("welcome").hidden = Boolean(game);
  document.body.classList.toggle("playing", Boolean(game));
  drawStatus();
  setText(byId("title"), game ? localized(game.title) : "Krupier");
  document.title = game ? `${localized(game.title)} – Krupier` : "Krupier";
  camera.draw(now.camera);
  if (!game) return;
  await loadDeck(game.name, game.deck);
  if (deck !== deckKey(game.name, game.deck)) table.forget();
  deck = deckKey(game.name, game.deck);
  setText(byId("variant"), Object.entries(game.options).map(([name, value]) => `${name}: ${value}`).join(" · "));
  drawTodo(byId("todo"), game);
  drawScores(byId("scores"), game);
  drawQuestion(byId("question"), now.question, actions.choose);
  rulings.draw(now.rulings, game, pairing.me.role);
  announcer.announce(now.rulings, game);
  setText(byId("log"), plural("lines", Object.keys(now.rulings).length));
  drawActions(game);
  drawTable(now);
});

/** @param {PageState} state */
function drawTable({ table: shown, game, rulings: all }) {
  byId("felt").hidden = !shown;
  setAttr(byId("views"), "data-empty", !shown || null);
  if (!shown) return;
  table.quarter = quarter(shown.size_mm);
  table.draw(shown, game);
  const newest = newestFirst(all).find((ruling) => ruling.ruling);
  table.point(newest?.cards ?? [], newest ? rulingKind(newest) : "note");
  drawList(shown, game);
}

/**
 * The table as a list for screen readers: zone by zone, bottom to top.
 * @param {import("./types.js").PageTableState} shown
 * @param {import("./types.js").GameState} game
 */
function drawList(shown, game) {
  if (byId("table-list").drawn === shown.cards && byId("table-list").lang === language()) return;
  byId("table-list").drawn = shown.cards;
  byId("table-list").lang = language();
  const cards = Object.values(shown.cards).sort((a, b) => a.layer - b.layer);
  const zones = [...new Set(cards.map((card) => card.zone))].sort();
  const title = (zone) => (/^P\d+$/.test(zone) ? seatName(game, zone.slice(1) - 1) : zoneTitle(zone) || "–");
  byId("table-list").replaceChildren(...zones.map((zone) => el("div", {}, el("h3", {}, title(zone)),
    el("ul", {}, ...cards.filter((card) => card.zone === zone).map((card) => el("li", {}, describeCard(card, game)))))));
}

/** By how many quarters the table is turned: as chosen in this browser, or to fit the screen. */
function quarter(size_mm) {
  const chosen = Number(storage.get("quarter", "-1"));
  if (chosen >= 0) return chosen % 4;
  return bestQuarter(size_mm);
}

function drawActions(game) {
  byId("undo").disabled = !game.undo;
  byId("redo").disabled = !game.redo;
  byId("pause").hidden = pairing.me.role === "player";
  const [sign, words] = game.paused ? ["play", "go-on"] : ["pause", "pause"];
  byId("pause").dataset.t = words;
  byId("pause").replaceChildren(icon(sign), t(words));
}

function drawStatus() {
  const [kind, words] = statusOf(state.now, wire);
  setAttr(byId("status"), "data-kind", kind);
  setText(byId("status"), words);
  setAttr(document.body, "data-wire", wire);
}

function drawRole() {
  const { role, name } = pairing.me;
  byId("role").replaceChildren(icon("key"), el("span", {}, role === "spectator" ? t("pair") : name || t(`role-${role}`)));
  setAttr(byId("role"), "aria-label", role === "spectator" ? t("pair") : `${t(`role-${role}`)} ${name}`);
  byId("role").classList.toggle("chief", role === "spectator");
  const on = voiceIsOn();
  byId("voice-button").setAttribute("aria-pressed", String(on));
  byId("voice-button").dataset.icon = on ? "voice" : "mute";
  byId("voice-button").replaceChildren(icon(on ? "voice" : "mute"));
}

function toggleVoice() {
  setVoice(!voiceIsOn());
  if (voiceIsOn()) speak(t("voice-on"));
  toast(t(voiceIsOn() ? "voice-on" : "voice-off"));
  drawRole();
}

function turnTable() {
  if (!state.now?.table) return;
  storage.set("quarter", (quarter(state.now.table.size_mm) + 1) % 4);
  drawTable(state.now);
}

const newestPressing = () => newestFirst(state.now?.rulings ?? {}).find(needsAttention);
const newestRuling = () => newestFirst(state.now?.rulings ?? {}).find((ruling) => ruling.ruling);

byId("undo").onclick = actions.undo;
byId("redo").onclick = actions.redo;
byId("declare").onclick = actions.declare;
byId("pause").onclick = actions.pause;
byId("role").onclick = () => (pairing.mayAct ? menu() : pairing.pair());
byId("menu-button").onclick = menu;
byId("voice-button").onclick = toggleVoice;
byId("camera-button").onclick = () => toast(camera.next());
byId("turn-button").onclick = turnTable;
listenForKeys({
  u: actions.undo, r: actions.redo, d: actions.declare, p: actions.pause, v: toggleVoice, o: turnTable, "?": keysHelp,
  c: () => toast(camera.next()),
  g: () => table.focus(),
  s: () => newestPressing() && actions.stand(newestPressing()),
  k: () => newestRuling() && actions.challenge(newestRuling()),
  l: () => setLanguage(language() === "pl" ? "en" : "pl"),
  t: () => toast(t(`theme-${nextAppearance("theme")}`)),
  b: () => toast(t(`palette-${nextAppearance("palette")}`)),
});
document.addEventListener("language", () => {
  drawRole();
  state.redraw();
});
addEventListener("resize", () => state.now?.game && state.now.table && drawTable(state.now));
pairing.restore();
