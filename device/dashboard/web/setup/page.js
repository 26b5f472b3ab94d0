/* The setup pages: one frame, seven parts; which one is shown stands behind the # of the address. */

import { Door } from "../act.js";
import { $, el, write } from "../dom.js";
import { dress } from "../icons.js";
import { Live } from "../live.js";
import "../looks.js";
import { menu } from "../menu.js";
import { learn, t, tell } from "../say.js";
import { State } from "../state.js";
import { glyph } from "./glyphs.js";

const PARTS = ["start", "calibrate", "teach", "recordings", "history", "settings", "health"];
const state = new State();
let wire = "connecting";
let shown = { part: "", close: () => {} };
let listener = () => {};
/** Whoever is shown hears of every state; whoever was shown before does not any more. */
const watch = (hears) => {
  listener = hears;
  if (state.now) hears(state.now);
};

await learn(new URL("./words", import.meta.url).pathname);
dress(document);

const door = new Door(() => {
  drawRole();
  show(true);
});
new Live(state, (word) => {
  wire = word;
  drawStatus();
});
state.watch((now) => {
  drawStatus();
  listener(now);
});
await door.look();
$("menu-button").addEventListener("click", () => menu(door, () => {}));
$("role").addEventListener("click", () => (door.mayAct ? menu(door, () => {}) : door.pair()));
addEventListener("hashchange", () => show());
addEventListener("pagehide", () => shown.close(true));
document.addEventListener("language", () => {
  dress(document);
  drawTabs();
  drawRole();
  drawStatus();
  show(true);
});
drawTabs();

function wanted() {
  const [part, ...rest] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return PARTS.includes(part) ? { part, rest } : { part: "start", rest: [] };
}

async function show(again = false) {
  const { part, rest } = wanted();
  if (!again && part === shown.part && shown.turn?.(rest)) return;
  shown.close();
  listener = () => {};
  const asked = (shown = { part, close: () => {} });
  drawTabs();
  document.title = `${t(`setup.${part}`)} – Krupier`;
  const root = $("page");
  const { open } = await import(`./${part}.js`);
  if (asked !== shown) return;
  root.replaceChildren();
  root.dataset.part = part;
  root.removeAttribute("data-ready");
  shown = { part, ...open(root, { state, door, watch, rest }) };
}

function drawTabs() {
  const now = wanted().part;
  $("tabs").replaceChildren(
    ...PARTS.map((part) => el("a", { href: `#${part}`, "aria-current": part === now ? "page" : null }, glyph(part), el("span", {}, t(`setup.${part}`)))),
  );
  $("tabs").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

function drawRole() {
  const button = $("role");
  const icon = button.querySelector(".icon");
  button.textContent = door.me.role === "host" ? t("setup.host") : door.me.role === "player" ? t("setup.player") : t("pair");
  if (icon) button.prepend(icon);
  button.classList.toggle("chief", !door.mayAct);
}

function drawStatus() {
  const game = state.now?.game;
  const words = wire !== "live" ? t("wire-lost") : game ? t("setup.playing", { game: tell(game.title) }) : t("setup.idle");
  write($("status"), wire === "connecting" ? "" : words);
  $("status").dataset.kind = wire !== "live" ? "lost" : game ? "playing" : "idle";
}
