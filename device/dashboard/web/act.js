/* Acting: requests that change something, who may send them, and the dialog that pairs with a code. */

import { $, el, kept } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./say.js";

/** A request that was refused; its words are for people. */
export class Refused extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

/** Ask the server; the answer as a value, or Refused. */
export async function ask(address, body = undefined) {
  const about = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(address, { ...about, credentials: "same-origin" });
  } catch {
    throw new Refused(0, t("wire-lost"));
  }
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  const error = answer?.error ?? {};
  const found = error.found === null || error.found === undefined ? "" : ` (${typeof error.found === "string" ? error.found : JSON.stringify(error.found)})`;
  const wait = response.headers.get("Retry-After");
  const words = response.status === 429 && wait ? t("too-soon", { s: wait }) : `${error.what ?? t("failed")}${found}${error.wanted ? ` – ${error.wanted}` : ""}`;
  throw new Refused(response.status, words);
}

/** A short word at the lower edge. */
export function toast(words, bad = false) {
  const place = $("toast");
  place.textContent = words;
  place.classList.toggle("bad", bad);
  place.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => (place.hidden = true), bad ? 7000 : 3500);
}

/** A dialog with a heading; it is taken away when it is closed. */
export function dialog(title, ...parts) {
  const id = `dialog-${Math.random().toString(36).slice(2)}`;
  const box = el("dialog", { "aria-labelledby": id },
    el("div", { class: "sheet-head" }, el("h2", { id }, title),
      el("button", { class: "square plain", "aria-label": t("close"), onclick: () => box.close() }, icon("close"))),
    el("div", { class: "sheet-body" }, ...parts));
  box.addEventListener("click", (event) => event.target === box && box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

/** Who we are to the table: spectator, player or host. */
export class Door {
  me = { role: "spectator", name: "" };
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  async look() {
    try {
      this.me = await ask("/api/me");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    this.#changed(this.me);
    const code = new URLSearchParams(location.hash.slice(1)).get("code");
    if (code === null) return;
    // The code does not stay in the address, which may be seen or sent on.
    history.replaceState(null, "", location.pathname + location.search);
    if (this.me.role === "spectator") this.pair(code);
  }

  get mayAct() {
    return this.me.role !== "spectator";
  }

  /** Ask for the code; `after` is done once we are in. */
  pair(code = "", after = null, words = "") {
    const number = el("input", { id: "pair-code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 12, required: true, value: code });
    const name = el("input", { id: "pair-name", autocomplete: "nickname", maxlength: 40, value: kept.get("name", "") });
    const trouble = el("p", { class: "trouble", role: "alert" }, words);
    const go = el("button", { class: "chief", type: "submit" }, icon("key"), t("pair-go"));
    const form = el("form", { class: "sheet-form" },
      el("p", { class: "soft" }, t("pair-more")), el("label", {}, t("pair-code"), number), el("label", {}, t("pair-name"), name), trouble, go);
    const box = dialog(t("pair"), form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      go.disabled = true;
      try {
        this.me = await ask("/api/pair", { code: number.value.replace(/\s/g, ""), name: name.value.trim() });
        kept.set("name", name.value.trim());
        box.close();
        this.#changed(this.me);
        toast(t(`paired-${this.me.role}`));
        after?.();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        trouble.textContent = error.message;
        number.select();
      } finally {
        go.disabled = false;
      }
    });
    (code ? name : number).focus();
  }

  async leave() {
    await this.send("/api/unpair", {});
    this.me = { role: "spectator", name: "" };
    this.#changed(this.me);
  }

  /** Send something that changes the game; who is not paired is asked for the code first. */
  async send(address, body, done = "") {
    if (!this.mayAct) {
      this.pair("", () => this.send(address, body, done));
      return false;
    }
    try {
      await ask(address, body);
      if (done) toast(done);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 401) {
        this.me = { role: "spectator", name: "" };
        this.#changed(this.me);
        this.pair("", () => this.send(address, body, done), error.message);
      } else toast(error.message, true);
      return false;
    }
  }

  line(text, done = "") {
    return this.send("/api/game/line", { text }, done);
  }
}
