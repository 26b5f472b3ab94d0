/* The camera's picture with the results of the wizard drawn over it. */

import { el, svg } from "../dom.js";
import { t } from "../i18n.js";

const PAUSE_MS = 180;
const STRAIGHT = ["table", "colour", "seats", "save"];

/** Shows the picture, coverage and board while waving, and the straightened table with its zones when that is known. */
export class CalibrationView {
  #picture = el("img", { alt: "" });
  #straight = el("img", { alt: "" });
  #zones = svg("svg", { class: "zones", "aria-hidden": "true" });
  #none = el("p", { class: "soft none" });
  #timer = 0;
  #on = false;
  #gone = false;
  #count = 0;
  #straightened = "";
  #addresses;

  constructor(picture, straight) {
    this.#addresses = { picture, straight };
    this.overlay = svg("svg", { class: "over", preserveAspectRatio: "none" });
    this.screen = el("div", { class: "screen live", hidden: true }, this.#picture, this.overlay);
    this.table = el("figure", { class: "screen straight", hidden: true }, this.#straight, this.#zones, el("figcaption", {}, ""));
    this.element = el("div", { class: "stack" }, this.#none, this.screen, this.table);
    this.#picture.addEventListener("load", () => this.#again(PAUSE_MS));
    this.#picture.addEventListener("error", () => this.#again(1000));
  }

  /** Show the results of the wizard for a step. */
  look(found, step) {
    const there = Boolean(found.camera) && found.frame >= 0;
    const straight = Boolean(found.table) && there && STRAIGHT.includes(step);
    this.screen.hidden = !there || (straight && step !== "table");
    this.#none.hidden = there;
    this.#none.textContent = found.camera ? t("cal.waiting") : t("cal.no-picture");
    this.#picture.alt = t("cal.picture");
    if (there && !this.#on) this.#again(0);
    this.#on = there;
    const size = found.size_px ?? [16, 9];
    this.overlay.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.#draw(found, step, size);
    this.#showStraight(found, straight);
  }

  close() {
    this.#gone = true;
    clearTimeout(this.#timer);
  }

  #again(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#gone || !this.#on) return;
      if (document.hidden) this.#again(1000);
      else this.#picture.src = `${this.#addresses.picture}?width=960&n=${this.#count++}`;
    }, ms);
  }

  #draw(found, step, [wide, tall]) {
    for (const old of this.overlay.querySelectorAll(".seen")) old.remove();
    const { coverage } = found;
    if (step !== "lens" || !coverage || !(found.waving || found.solving)) return;
    const [rows, columns] = [coverage.grid.length, coverage.grid[0].length];
    const cells = coverage.grid.flatMap((row, y) => row.map((share, x) => svg("rect", {
      class: `seen cell ${share >= 1 ? "full" : share > 0 ? "some" : "none"}`, x: (x * wide) / columns + 2, y: (y * tall) / rows + 2, width: wide / columns - 4, height: tall / rows - 4, rx: 10,
    })));
    const board = coverage.now && svg("polygon", { class: `seen board ${coverage.now.sharp ? "sharp" : "blurred"}`, points: coverage.now.outline.map(([x, y]) => `${x * wide},${y * tall}`).join(" ") });
    this.overlay.prepend(...cells, ...(board ? [board] : []));
  }

  #showStraight(found, wanted) {
    const { table } = found;
    this.table.hidden = !wanted;
    if (!wanted) return;
    const look = JSON.stringify([table, found.colour]);
    if (look === this.#straightened) return;
    this.#straightened = look;
    this.#straight.src = `${this.#addresses.straight}?width=960&n=${this.#count++}`;
    this.#straight.alt = t("cal.straight");
    this.table.querySelector("figcaption").textContent = t("cal.straight");
    const [wide, deep] = table.size_mm;
    this.#zones.setAttribute("viewBox", `${-wide / 2} ${-deep / 2} ${wide} ${deep}`);
    this.#zones.replaceChildren(...table.zones.flatMap((zone) => {
      const middle = [0, 1].map((axis) => zone.polygon_mm.reduce((sum, point) => sum + point[axis], 0) / zone.polygon_mm.length);
      return [
        svg("polygon", { class: zone.seat === null ? "zone" : "zone own", points: zone.polygon_mm.map((point) => point.join(",")).join(" ") }),
        svg("text", { x: middle[0], y: middle[1], "font-size": Math.min(wide, deep) / 14 }, zoneName(zone.name)),
      ];
    }));
  }
}

/** The title of a zone; seats have their numbers. */
function zoneName(name) {
  const words = t(`zone-${name}`);
  return words === `zone-${name}` ? name : words;
}
