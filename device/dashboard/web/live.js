/* The wire: a WebSocket that catches up after sleep, a lost network or a restarted server. */

import { merged } from "./state.js";

const SILENT_MS = 12_000;
const WAITS_MS = [250, 500, 1000, 2000, 4000, 8000];

/** Keeps `state` (a State) up to date; `heard(word)` is told live, lost or asleep. */
export class Live {
  #state;
  #heard;
  #socket = null;
  #tries = 0;
  #timer = 0;
  #silence = 0;
  #clock = null;

  constructor(state, heard = () => {}) {
    this.#state = state;
    this.#heard = heard;
    addEventListener("online", () => this.#again(0));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#socket?.readyState !== WebSocket.OPEN) this.#again(0);
    });
    this.#open();
  }

  /** The time of the session now, in seconds, or null while it is not known. */
  now_s() {
    return this.#clock && this.#clock.at_s + (performance.now() - this.#clock.heard_ms) / 1000;
  }

  #open() {
    const known = this.#state.now;
    const since = known ? `?server=${encodeURIComponent(known.server)}&since=${known.number}` : "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/live${since}`);
    this.#socket = socket;
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#take(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#lost();
    };
    this.#listen();
  }

  #take(message) {
    this.#tries = 0;
    this.#listen();
    const number = this.#state.now?.number;
    if (message.kind === "tick") this.#clock = { at_s: message.now_s, heard_ms: performance.now() };
    else if (message.kind === "state") this.#state.put(message.state);
    else if (message.kind === "change") {
      if (message.number <= number) return;
      if (message.number !== number + 1) return this.#again(0);
      this.#state.put({ ...merged(this.#state.now, message.patch), number: message.number });
    }
    // A tick that is ahead of us means that a change got lost.
    if (message.kind === "tick" && message.number > number) return this.#again(0);
    else if (message.kind !== "tick") this.#guess(this.#state.now);
    this.#heard("live");
  }

  /** Until a tick tells the time: not earlier than what has happened last. */
  #guess({ table, rulings }) {
    const at_s = Math.max(table?.at_s ?? 0, ...Object.values(rulings).map((ruling) => ruling.at_s));
    if (at_s > (this.now_s() ?? -1)) this.#clock = { at_s, heard_ms: performance.now() };
  }

  #listen() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#again(0), SILENT_MS);
  }

  #lost() {
    this.#heard("lost");
    this.#again(WAITS_MS[Math.min(this.#tries++, WAITS_MS.length - 1)] * (0.75 + Math.random() / 2));
  }

  #again(wait_ms) {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    const old = this.#socket;
    this.#socket = null;
    if (old && old.readyState <= WebSocket.OPEN) old.close();
    this.#timer = setTimeout(() => this.#open(), wait_ms);
  }
}
