/* The camera's picture: hidden, beside the drawn table, or under it; loaded only while the page is visible. */

import { byId, setAttr, storage } from "./dom.js";
import { t } from "./i18n.js";

const MODES = ["off", "beside", "over"];
const PAUSE_MS = 300;
const TROUBLE_MS = 3000;

/** Shows the newest pictures; the next one is requested when the last one has arrived. */
export class CameraView {
  #timer = 0;
  #mode = MODES.includes(storage.get("camera", "off")) ? storage.get("camera", "off") : "off";
  #there = false;
  #shown = "";
  #table;

  /** `table` is the drawing that can show a picture as its background. */
  constructor(table) {
    this.#table = table;
    document.addEventListener("visibilitychange", () => this.#later(0));
    this.#show();
  }

  next() {
    this.#mode = MODES[(MODES.indexOf(this.#mode) + 1) % MODES.length];
    storage.set("camera", this.#mode);
    this.#show();
    return t(`camera-${this.#mode}`);
  }

  /** Whether there is a camera at all. */
  draw(camera) {
    const there = Boolean(camera);
    if (there === this.#there) return;
    this.#there = there;
    this.#show();
  }

  get #on() {
    return this.#mode !== "off" && this.#there;
  }

  #show() {
    setAttr(byId("views"), "data-camera", this.#on ? this.#mode : "off");
    byId("camera").hidden = !this.#on || this.#mode !== "beside";
    byId("camera-button").hidden = !this.#there;
    byId("camera-button").setAttribute("aria-pressed", String(this.#on));
    if (!this.#on || this.#mode !== "over") this.#table.lay(null);
    this.#later(0);
  }

  #later(wait_ms) {
    clearTimeout(this.#timer);
    if (this.#on && !document.hidden) this.#timer = setTimeout(() => this.#fetch(this.#mode), wait_ms);
  }

  async #fetch(mode) {
    const width = byId("views").clientWidth * Math.min(2, devicePixelRatio) > 700 ? 1280 : 640;
    let picture = null;
    try {
      const answer = await fetch(`/api/picture.jpg?width=${width}${mode === "over" ? "&straight=1" : ""}`);
      picture = answer.ok ? await answer.blob() : null;
    } catch {
      // The status line reports a lost connection.
    }
    if (mode !== this.#mode || !this.#on) return;
    if (picture) this.#put(URL.createObjectURL(picture));
    this.#later(picture ? PAUSE_MS : TROUBLE_MS);
  }

  #put(address) {
    const before = this.#shown;
    this.#shown = address;
    if (this.#mode === "over") this.#table.lay(address);
    else {
      byId("camera-picture").src = address;
      byId("camera-picture").alt = t("camera-picture");
    }
    // The old picture stays until the new one is decoded.
    setTimeout(() => before && URL.revokeObjectURL(before), 1000);
  }
}
