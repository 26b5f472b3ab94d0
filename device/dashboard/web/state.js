/* The state as the server sends it: changes are merge patches (RFC 7396); an unchanged part stays the same object. */

/** @typedef {import("./types.js").PageState} PageState */
/** @typedef {import("./types.js").GameState} GameState */
/** @typedef {import("./types.js").CardState} CardState */
/** @typedef {(now: PageState, before: PageState | null) => void} StateWatcher */

/** Readings that are less likely are shown as doubtful. */
const SURE = 0.9;

/** The value after a patch; nothing is changed in place, so `===` tells what stayed. */
export function applyPatch(value, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const base = value && typeof value === "object" && !Array.isArray(value) ? value : {};
  const after = { ...base };
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) delete after[key];
    else after[key] = applyPatch(base[key], part);
  }
  return after;
}

/** Holds the newest state and calls every watcher, at most once per animation frame. */
export class StateStore {
  /** @type {StateWatcher[]} */
  #watchers = [];
  #waiting = false;
  /** @type {PageState | null} */
  now = null;
  /** @type {PageState | null} */
  before = null;

  /** @param {StateWatcher} watcher */
  watch(watcher) {
    this.#watchers.push(watcher);
    if (this.now) watcher(this.now, null);
  }

  /** @param {PageState} state */
  put(state) {
    this.now = state;
    if (this.#waiting) return;
    this.#waiting = true;
    // Hidden pages get no animation frames; a timer makes sure that the voice speaks there, too.
    const once = () => {
      if (!this.#waiting) return;
      this.#waiting = false;
      const before = this.before;
      this.before = this.now;
      for (const watcher of this.#watchers) watcher(this.now, before);
    };
    requestAnimationFrame(once);
    setTimeout(once, 200);
  }

  /** Call every watcher again, as after a change of the language. */
  redraw() {
    if (this.now) for (const watcher of this.#watchers) watcher(this.now, null);
  }
}

/**
 * The name of a seat, guests after the players.
 * @param {GameState | null} game
 * @param {number | null} seat
 */
export function seatName(game, seat) {
  if (seat === null || seat === undefined || !game) return "";
  return [...game.names, ...game.guests][seat] ?? `P${seat + 1}`;
}

/**
 * How confident the reading of a card is: sure, doubtful or unknown; back for a card that lies face down.
 * @param {CardState} card
 */
export function readingConfidence(card) {
  if (!card.face_up) return "back";
  if (card.pinned) return "sure";
  if (!card.code) return "unknown";
  const best = card.guesses.find((guess) => guess.code === card.code);
  return (best?.probability ?? 1) >= SURE ? "sure" : "doubtful";
}
