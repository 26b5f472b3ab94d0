/* Four corners of the table, dragged over the picture or moved with the arrow keys. */

import { el, svg } from "../dom.js";
import { t } from "../i18n.js";

const START = [[0.18, 0.16], [0.82, 0.16], [0.86, 0.86], [0.14, 0.86]];
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Corners clockwise from the upper left, in pixels of the picture. */
export class Corners {
  points = null;
  #over;
  #size = null;
  #outline = svg("polygon", { class: "outline" });
  #handles;
  #layer;

  constructor(over) {
    this.#over = over;
    this.#handles = START.map((_, number) => this.#handle(number));
    this.#layer = svg("g", { class: "corners" }, this.#outline, ...this.#handles);
    this.fields = el("p", { class: "soft" }, t("cal.corners-keys"));
  }

  show(size) {
    if (!this.points || this.#size?.[0] !== size[0] || this.#size?.[1] !== size[1]) {
      this.#size = size;
      this.points = START.map(([x, y]) => [Math.round(x * size[0]), Math.round(y * size[1])]);
    }
    if (!this.#layer.isConnected) this.#over.append(this.#layer);
    this.#draw();
  }

  hide() {
    this.#layer.remove();
  }

  #handle(number) {
    const handle = svg("g", { class: "handle", tabindex: "0", role: "button" }, svg("circle", { class: "grip" }), svg("circle", { class: "point" }), svg("text", {}, String(number + 1)));
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.classList.add("held");
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const area = this.#over.getBoundingClientRect();
      this.#put(number, ((event.clientX - area.left) / area.width) * this.#size[0], ((event.clientY - area.top) / area.height) * this.#size[1]);
    });
    const drop = () => handle.classList.remove("held");
    handle.addEventListener("pointerup", drop);
    handle.addEventListener("pointercancel", drop);
    handle.addEventListener("keydown", (event) => {
      const way = WAYS[event.key];
      if (!way) return;
      event.preventDefault();
      const far = event.shiftKey ? 20 : 2;
      this.#put(number, this.points[number][0] + far * way[0], this.points[number][1] + far * way[1]);
    });
    return handle;
  }

  #put(number, x, y) {
    const inside = (value, most) => Math.round(Math.min(most - 1, Math.max(0, value)));
    this.points[number] = [inside(x, this.#size[0]), inside(y, this.#size[1])];
    this.#draw();
  }

  #draw() {
    const unit = this.#size[0] / 100;
    this.#outline.setAttribute("points", this.points.map((point) => point.join(",")).join(" "));
    for (const [number, handle] of this.#handles.entries()) {
      const [x, y] = this.points[number];
      handle.setAttribute("transform", `translate(${x} ${y})`);
      handle.setAttribute("aria-label", t("cal.corner", { n: number + 1, x, y }));
      handle.children[0].setAttribute("r", String(3.2 * unit));
      handle.children[1].setAttribute("r", String(0.5 * unit));
      handle.children[2].setAttribute("font-size", String(2.6 * unit));
      handle.children[2].setAttribute("y", String(-4 * unit));
    }
  }
}
