/* Pairing: the role of this browser, requests that need one, and the dialog that asks for the code. */

import { dialog, toast } from "./dialogs.js";
import { el, storage } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { RequestRefused, request } from "./requests.js";

/** The role of this browser: spectator, player or host. */
export class Pairing {
  me = { role: "spectator", name: "" };
  /** @type {(me: { role: string, name: string }) => void} */
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** Ask the server for our role, and offer to pair if the address has a code. */
  async restore() {
    try {
      this.me = await request("/api/me");
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
    }
    this.#changed(this.me);
    const code = new URLSearchParams(location.hash.slice(1)).get("code");
    if (code === null) return;
    // Remove the code from the address, which others may see.
    history.replaceState(null, "", location.pathname + location.search);
    if (this.me.role === "spectator") this.pair(code);
  }

  get mayAct() {
    return this.me.role !== "spectator";
  }

  /** Ask for the code; `after` is called once we are paired. */
  pair(code = "", after = null, words = "") {
    const number = el("input", { id: "pair-code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 12, required: true, value: code });
    const name = el("input", { id: "pair-name", autocomplete: "nickname", maxlength: 40, value: storage.get("name", "") });
    const trouble = el("p", { class: "trouble", role: "alert" }, words);
    const go = el("button", { class: "chief", type: "submit" }, icon("key"), t("pair-go"));
    const form = el("form", { class: "sheet-form" },
      el("p", { class: "soft" }, t("pair-more")), el("label", {}, t("pair-code"), number), el("label", {}, t("pair-name"), name), trouble, go);
    const box = dialog(t("pair"), form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      go.disabled = true;
      try {
        this.me = await request("/api/pair", { code: number.value.replace(/\s/g, ""), name: name.value.trim() });
        storage.set("name", name.value.trim());
        box.close();
        this.#changed(this.me);
        toast(t(`paired-${this.me.role}`));
        after?.();
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error;
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

  /** Send an action; a browser that is not paired asks for the code first. */
  async send(address, body, done = "") {
    if (!this.mayAct) {
      this.pair("", () => this.send(address, body, done));
      return false;
    }
    try {
      await request(address, body);
      if (done) toast(done);
      return true;
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      if (error.status === 401) {
        this.me = { role: "spectator", name: "" };
        this.#changed(this.me);
        this.pair("", () => this.send(address, body, done), error.message);
      } else toast(error.message, true);
      return false;
    }
  }

  /** Send a line of the record. */
  line(text, done = "") {
    return this.send("/api/game/line", { text }, done);
  }
}
