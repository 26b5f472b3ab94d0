/* The deck on the table: what is printed on its cards, and the pictures of cards, figures, tokens and boards. */

import { el, svg } from "./dom.js";

/** The widths in which the server makes pictures of cards, in pixels. */
const CARD_WIDTHS_PX = [80, 120, 160, 240, 360];
const NO_DECK = {
  game: "", deck: null, version: "", faces: {}, backs: [], pieces: {}, marks: {},
  card: { width_mm: 63, height_mm: 88, corner_mm: 4 },
};
let deck = NO_DECK;
let loadedKey = null;
let loading = null;

/** Load the deck of a game: Krupier's own, or a taught one by its name. */
export function loadDeck(game, name = null) {
  const key = deckKey(game, name);
  if (loadedKey !== key) {
    loadedKey = key;
    loading = fetchDeck(game);
  }
  return loading;
}

/** A text that differs between decks. */
export const deckKey = (game, name) => `${game} ${name ?? ""}`;

async function fetchDeck(game) {
  const response = await fetch(`/api/faces/${encodeURIComponent(game)}`);
  deck = response.ok ? await response.json() : NO_DECK;
}

export const deckCodes = () => Object.keys(deck.faces);

/** What is printed on a card, as data; null for an unknown code. */
export const printedOn = (code) => deck.faces[code] ?? null;

/** Width, height and corner radius of the cards, in millimetres. */
export const cardSize = () => deck.card;

/** The width in which the server sends a card that is shown this wide, in pixels of the screen. */
export const pictureWidth = (shown_px) => CARD_WIDTHS_PX.find((width) => width >= shown_px) ?? CARD_WIDTHS_PX.at(-1);

/** A card as a part of an SVG drawing, its upper left corner at (0, 0), in millimetres. */
export function cardDrawing(code, faceUp, zone, width_px) {
  const { width_mm, height_mm, corner_mm } = deck.card;
  const plain = plainCard(faceUp ? code : null);
  const address = cardAddress(code, faceUp, zone, width_px);
  if (!address) return svg("g", {}, ...plain);
  const image = picture(address, width_mm, height_mm, corner_mm);
  // Where the server has no picture, the code is shown.
  image.addEventListener("error", () => image.replaceWith(...plain));
  return svg("g", {}, svg("rect", { class: "paper", width: width_mm, height: height_mm, rx: corner_mm, fill: "#ffffff" }), image);
}

/** A card on its own, as on a button. */
export function cardPicture(code, faceUp = true) {
  const { width_mm, height_mm } = deck.card;
  const address = cardAddress(code, faceUp, "", pictureWidth(60 * devicePixelRatio));
  if (address) return el("img", { class: "card-picture", src: address, alt: "", loading: "lazy", width: width_mm, height: height_mm });
  return svg("svg", { class: "card-picture", viewBox: `0 0 ${width_mm} ${height_mm}`, "aria-hidden": "true", focusable: "false" }, ...plainCard(faceUp ? code : null));
}

/** Where the picture of a card is; null if there is none. */
function cardAddress(code, faceUp, zone, width_px) {
  const kind = backKind(zone);
  if (faceUp ? !printedOn(code) : kind === undefined) return null;
  const query = new URLSearchParams({ width: String(width_px), v: deck.version });
  if (deck.deck) query.set("deck", deck.deck);
  if (!faceUp && kind) query.set("kind", kind);
  return `/api/faces/${deck.game}/${encodeURIComponent(faceUp ? code : "back")}.webp?${query}`;
}

/** Which back lies in a zone: number cards have their own pile; undefined if no back is known. */
function backKind(zone) {
  if (deck.backs.includes("number") && /number|call|pile/.test(zone)) return "number";
  return deck.backs.find((kind) => kind !== "number") ?? deck.backs[0];
}

/** A card without a picture: its code, a question mark for an unread face, or a plain back (null). */
function plainCard(code) {
  const { width_mm, height_mm, corner_mm } = deck.card;
  const text = (words, size, fill) => svg("text", { class: "digit", x: width_mm / 2, y: height_mm / 2 + 0.31 * size, "font-size": size, fill }, words);
  const inner = (fill) => svg("rect", { x: 2.5, y: 2.5, width: width_mm - 5, height: height_mm - 5, rx: 3, fill });
  const paper = svg("rect", { class: "paper", width: width_mm, height: height_mm, rx: corner_mm, fill: "#ffffff" });
  if (code === null) return [paper, inner("#3a5a8c")];
  if (!code) return [paper, inner("#e6e2d6"), text("?", 48, "#6b6657")];
  return [paper, text(code, Math.min(42, 110 / code.length), "#22304f")];
}

/** Crosses and circles that players drew on a card, at the places where its grid has them. */
export function markDrawings(words) {
  return words.flatMap((word) => {
    const mark = deck.marks[word];
    if (!mark) return [];
    const { x_mm: x, y_mm: y } = mark;
    if (mark.shape === "circle") return [svg("circle", { class: "pen-mark", cx: x, cy: y, r: 7.2 })];
    return [svg("path", { class: "pen-mark", d: `M${x - 5} ${y - 4.6}L${x + 4.8} ${y + 5}M${x + 5} ${y - 5}L${x - 4.6} ${y + 4.8}` })];
  });
}

/** A figure or a token, its middle at (0, 0); a grey disc where the game has no drawing of it. */
export function pieceDrawing(piece, px_per_mm) {
  const name = piece.colour ? `${piece.kind}-${piece.colour}` : piece.kind;
  return centred(name, px_per_mm) ?? svg("circle", { r: 9, fill: "#8a8f98" });
}

/** What is printed on the table in a zone, as the track, its middle at (0, 0); null if nothing is. */
export const boardDrawing = (zone, px_per_mm) => centred(zone, px_per_mm);

function centred(name, px_per_mm) {
  const size = deck.pieces[name];
  if (!size) return null;
  const { width_mm, height_mm, corner_mm } = size;
  const query = new URLSearchParams({ width: String(Math.max(16, Math.ceil(Math.min(2048, width_mm * px_per_mm)))), v: deck.version });
  const image = picture(`/api/pieces/${deck.game}/${encodeURIComponent(name)}.webp?${query}`, width_mm, height_mm, corner_mm);
  image.setAttribute("x", String(-width_mm / 2));
  image.setAttribute("y", String(-height_mm / 2));
  return image;
}

function picture(address, width, height, corner) {
  const image = svg("image", { href: address, width, height, preserveAspectRatio: "none" });
  image.style.clipPath = `inset(0 round ${corner}px)`;
  return image;
}
