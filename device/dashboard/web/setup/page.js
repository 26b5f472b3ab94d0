/* The setup pages: one frame with seven parts; the # of the address says which one is shown. */

import { byId, el, setText } from "../dom.js";
import { loadTexts, localized, t } from "../i18n.js";
import { addIcons } from "../icons.js";
import { LiveConnection } from "../live.js";
import { menu } from "../menu.js";
import { Pairing } from "../pairing.js";
import { StateStore } from "../state.js";
import { setupIcon } from "./icons.js";
import "../appearance.js";

const PARTS = ["start", "calibrate", "teach", "recordings", "history", "settings", "health"];
const state = new StateStore();
let wire = "connecting";
/** @type {{ part: string, close: (leaving?: boolean) => void, turn?: (rest: string[]) => boolean }} */
let shown = { part: "", close: () => {} };
/** @type {(now: import("../types.js").PageState) => void} */
let listener = () => {};
/** Only the current part gets the state. */
const watch = (hears) => {
  listener = hears;
  if (state.now) hears(state.now);
};

await loadTexts(new URL("./words", import.meta.url).pathname);
addIcons(document);

const pairing = new Pairing(() => {
  drawRole();
  show(true);
});
new LiveConnection(state, (word) => {
  wire = word;
  drawStatus();
});
state.watch((now) => {
  drawStatus();
  listener(now);
});
await pairing.restore();
byId("menu-button").addEventListener("click", () => menu(pairing, () => {}));
byId("role").addEventListener("click", () => (pairing.mayAct ? menu(pairing, () => {}) : pairing.pair()));
addEventListener("hashchange", () => show());
addEventListener("pagehide", () => shown.close(true));
document.addEventListener("language", () => {
  addIcons(document);
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
  const asked = { part, close: () => {} };
  shown = asked;
  drawTabs();
  document.title = `${t(`setup.${part}`)} – Krupier`;
  const root = byId("page");
  const { open } = await import(`./${part}.js`);
  if (asked !== shown) return;
  root.replaceChildren();
  root.dataset.part = part;
  root.removeAttribute("data-ready");
  shown = { part, ...open(root, { state, pairing, watch, rest }) };
}

function drawTabs() {
  const now = wanted().part;
  byId("tabs").replaceChildren(
    ...PARTS.map((part) => el("a", { href: `#${part}`, "aria-current": part === now ? "page" : null }, setupIcon(part), el("span", {}, t(`setup.${part}`)))),
  );
  byId("tabs").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

function drawRole() {
  const button = byId("role");
  const icon = button.querySelector(".icon");
  button.textContent = pairing.me.role === "host" ? t("setup.host") : pairing.me.role === "player" ? t("setup.player") : t("pair");
  if (icon) button.prepend(icon);
  button.classList.toggle("chief", !pairing.mayAct);
}

function drawStatus() {
  const game = state.now?.game;
  const words = wire !== "live" ? t("wire-lost") : game ? t("setup.playing", { game: localized(game.title) }) : t("setup.idle");
  setText(byId("status"), wire === "connecting" ? "" : words);
  byId("status").dataset.kind = wire !== "live" ? "lost" : game ? "playing" : "idle";
}
