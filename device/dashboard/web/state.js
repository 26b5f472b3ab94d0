/* The state as the server tells it: changes are merge patches (RFC 7396); what did not change stays the same object. */

/** The value after a patch; nothing is changed in place, so `===` tells what stayed. */
export function merged(value, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const base = value && typeof value === "object" && !Array.isArray(value) ? value : {};
  const after = { ...base };
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) delete after[key];
    else after[key] = merged(base[key], part);
  }
  return after;
}

/** Holds the newest state and calls everybody who watches, at most once a picture. */
export class State {
  #watchers = [];
  #waiting = false;
  now = null;
  before = null;

  watch(watcher) {
    this.#watchers.push(watcher);
    if (this.now) watcher(this.now, null);
  }

  put(state) {
    this.now = state;
    if (this.#waiting) return;
    this.#waiting = true;
    // Hidden pages get no pictures; a timer makes sure that the voice speaks there, too.
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

  /** Draw everything again, as after another language was chosen. */
  again() {
    if (this.now) for (const watcher of this.#watchers) watcher(this.now, null);
  }
}

/** The name of a seat, guests behind the players. */
export function nameOf(game, seat) {
  if (seat === null || seat === undefined || !game) return "";
  return [...game.names, ...game.guests][seat] ?? `P${seat + 1}`;
}

/** How sure the reading of a card is: sure, doubtful, unknown, or back for a card that lies face down. */
export function sureness(card) {
  if (!card.face_up) return "back";
  if (card.pinned) return "sure";
  if (!card.code) return "unknown";
  const best = card.guesses.find((guess) => guess.code === card.code);
  return (best?.probability ?? 1) >= 0.9 ? "sure" : "doubtful";
}
