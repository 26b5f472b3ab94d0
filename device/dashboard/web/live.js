/* The live connection: a WebSocket that catches up after sleep, a lost network or a restarted server. */

import { applyPatch } from "./state.js";

/** @typedef {import("./types.js").LiveMessage} LiveMessage */
/** @typedef {import("./types.js").PageState} PageState */
/** @typedef {"live" | "lost"} ConnectionStatus */

/** The server sends a tick every five seconds: after this long without one the connection is dead. */
const SILENT_MS = 12_000;
const RETRY_MS = [250, 500, 1000, 2000, 4000, 8000];

/** Keeps a state store up to date, and reports whether the connection is live. */
export class LiveConnection {
  /** @type {import("./state.js").StateStore} */
  #store;
  /** @type {(status: ConnectionStatus) => void} */
  #onStatus;
  /** @type {WebSocket | null} */
  #socket = null;
  #tries = 0;
  #retryTimer = 0;
  #silenceTimer = 0;
  /** @type {{ at_s: number, received_ms: number } | null} */
  #clock = null;

  /**
   * @param {import("./state.js").StateStore} store
   * @param {(status: ConnectionStatus) => void} onStatus
   */
  constructor(store, onStatus = (_status) => {}) {
    this.#store = store;
    this.#onStatus = onStatus;
    addEventListener("online", () => this.#reconnect(0));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#socket?.readyState !== WebSocket.OPEN) this.#reconnect(0);
    });
    this.#open();
  }

  /** The time of the session now, in seconds, or null while it is not known. */
  now_s() {
    return this.#clock && this.#clock.at_s + (performance.now() - this.#clock.received_ms) / 1000;
  }

  #open() {
    const known = this.#store.now;
    const since = known ? `?server=${encodeURIComponent(known.server)}&since=${known.number}` : "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/live${since}`);
    this.#socket = socket;
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#receive(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#lost();
    };
    this.#watchSilence();
  }

  /** @param {LiveMessage} message */
  #receive(message) {
    this.#tries = 0;
    this.#watchSilence();
    const number = this.#store.now?.number;
    if (message.kind === "tick") {
      this.#clock = { at_s: message.now_s, received_ms: performance.now() };
      // A tick that is ahead of the state means that a change got lost.
      if (message.number > number) return this.#reconnect(0);
    } else if (message.kind === "state") this.#store.put(message.state);
    else {
      if (message.number <= number) return;
      if (message.number !== number + 1) return this.#reconnect(0);
      this.#store.put({ ...applyPatch(this.#store.now, message.patch), number: message.number });
    }
    if (message.kind !== "tick") this.#estimateClock(this.#store.now);
    this.#onStatus("live");
  }

  /**
   * Until a tick comes, the time is at least that of the last thing that happened.
   * @param {PageState} state
   */
  #estimateClock({ table, rulings }) {
    const at_s = Math.max(table?.at_s ?? 0, ...Object.values(rulings).map((ruling) => ruling.at_s));
    if (at_s > (this.now_s() ?? -1)) this.#clock = { at_s, received_ms: performance.now() };
  }

  #watchSilence() {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => this.#reconnect(0), SILENT_MS);
  }

  #lost() {
    this.#onStatus("lost");
    this.#reconnect(RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)] * (0.75 + Math.random() / 2));
  }

  #reconnect(wait_ms) {
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#silenceTimer);
    const old = this.#socket;
    this.#socket = null;
    if (old && old.readyState <= WebSocket.OPEN) old.close();
    this.#retryTimer = setTimeout(() => this.#open(), wait_ms);
  }
}
