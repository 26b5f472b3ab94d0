/* Faces: every printed card of the game that is played, drawn once and used wherever it lies. */

import { svg } from "./dom.js";
import { HEIGHT, PAPER, WIDTH, rect, words } from "./faces/pen.js";

const OWN = ["dawaj2", "trio", "dnp", "kto_drugi", "lucky_box"];
const deck = { key: null, ready: null, cards: {}, art: null, sheet: null };

/** Get to know the deck that is played with, Krupier's own or one by its name; what has no drawing shows its code. */
export function learnDeck(game, name = null) {
  const key = deckKey(game, name);
  if (deck.key !== key) {
    deck.key = key;
    deck.ready = fetchDeck(game);
  }
  return deck.ready;
}

/** Tells decks apart. */
export const deckKey = (game, name) => `${game} ${name ?? ""}`;

async function fetchDeck(game) {
  const [answer, art] = await Promise.all([
    fetch(`/api/faces/${encodeURIComponent(game)}`).then((response) => (response.ok ? response.json() : {})),
    OWN.includes(game) ? import(`./faces/${game}.js`) : null,
  ]);
  deck.sheet?.remove();
  deck.sheet = svg("svg", { class: "sheet", "aria-hidden": "true", focusable: "false" });
  document.body.append(deck.sheet);
  Object.assign(deck, { cards: answer.faces ?? answer, art });
}

export const deckCodes = () => Object.keys(deck.cards);
export const printed = (code) => deck.cards[code] ?? null;

/** A card as something to put into a drawing; `kind` tells backs apart. */
export function card(code, faceUp = true, kind = "") {
  const name = faceUp ? `face-${code || "unknown"}` : `back-${kind}`;
  const id = name.replace(/[^\w-]/g, (sign) => `_${sign.codePointAt(0)}_`);
  if (deck.sheet && !document.getElementById(id)) {
    const paper = rect(0, 0, WIDTH, HEIGHT, PAPER, 4, { class: "paper" });
    deck.sheet.append(svg("symbol", { id, viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, paper, ...drawing(code, faceUp, kind)));
  }
  return svg("use", { href: `#${id}`, width: WIDTH, height: HEIGHT });
}

function drawing(code, faceUp, kind) {
  if (!faceUp) return deck.art ? deck.art.back(kind) : [rect(2.5, 2.5, WIDTH - 5, HEIGHT - 5, "#3a5a8c", 3)];
  const about = printed(code);
  if (!code) return [rect(2.5, 2.5, WIDTH - 5, HEIGHT - 5, "#e6e2d6", 3), words(WIDTH / 2, HEIGHT / 2, "?", 30, "#6b6657")];
  if (about && deck.art) return deck.art.face(about, code);
  return [words(WIDTH / 2, HEIGHT / 2, code, Math.min(26, 70 / code.length), "#22304f")];
}

/** Crosses and circles that were drawn on a card by hand. */
export const drawnOn = (marks) => deck.art?.drawn?.(marks) ?? [];

/** A figure or a token. */
export const pieceParts = (piece) => deck.art?.piece?.(piece) ?? [svg("circle", { r: 9, fill: "#8a8f98" })];

/** What is printed on the table itself, as the track. */
export const groundParts = (zone) => deck.art?.ground?.(zone) ?? [];

/** A card on its own, as for a button. */
export function smallCard(code, faceUp = true) {
  return svg("svg", { class: "card-picture", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", focusable: "false" }, card(code, faceUp));
}
