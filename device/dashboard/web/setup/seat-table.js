/* The drawn table with its seats: drag names from seat to seat, or move them with the arrow keys. */

import { el, svg } from "../dom.js";
import { t } from "../i18n.js";

const AROUND_MM = 110;
const CHIP_MM = 58;

/** Draws a seating; calls `swapped(from, to)` when two players change seats. */
export class SeatTable {
  #place;
  #swapped;
  #chips = [];
  #spots = [];
  #picked = null;
  #drawn = "";

  constructor(place, swapped) {
    this.#place = place;
    this.#swapped = swapped;
  }

  draw(seating, names) {
    // Draw only after a change: somebody may be dragging a name.
    const look = JSON.stringify([seating, names, document.documentElement.lang]);
    if (look === this.#drawn) return;
    this.#drawn = look;
    const [wide, deep] = seating.size_mm;
    const box = { x: -wide / 2 - AROUND_MM, y: -deep / 2 - AROUND_MM, wide: wide + 2 * AROUND_MM, deep: deep + 2 * AROUND_MM };
    const focused = this.#chips.indexOf(document.activeElement);
    this.#place.style.aspectRatio = `${box.wide} / ${box.deep}`;
    this.#place.replaceChildren(this.#felt(seating, box));
    this.#picked = null;
    this.#spots = seating.seats.map((seat) => {
      const turn = (seat.turn_deg * Math.PI) / 180;
      const [x, y] = [seat.at_mm[0] - Math.sin(turn) * CHIP_MM, seat.at_mm[1] + Math.cos(turn) * CHIP_MM];
      return { left: ((x - box.x) / box.wide) * 100, top: ((y - box.y) / box.deep) * 100 };
    });
    const everybody = [...names, ...seating.guests];
    this.#chips = seating.seats.map((_seat, index) => {
      const guest = index >= names.length;
      const words = everybody[index] || t("start.seat", { n: index + 1 });
      const chip = el("button", {
        type: "button", class: `chip${guest ? " guest" : ""}`, "data-seat": index, disabled: guest,
        "aria-label": t(guest ? "start.guest-at" : "start.name-at", { name: words, n: index + 1 }),
      }, el("b", {}, String(index + 1)), el("span", {}, words));
      chip.style.left = `${this.#spots[index].left}%`;
      chip.style.top = `${this.#spots[index].top}%`;
      if (!guest) this.#listen(chip, index, names.length);
      return chip;
    });
    this.#place.append(...this.#chips);
    if (focused >= 0) this.#chips[focused]?.focus();
  }

  focus(seat) {
    this.#chips[seat]?.focus();
  }

  #felt(seating, box) {
    const [wide, deep] = seating.size_mm;
    const outline = (polygon) => polygon.map((point) => point.join(",")).join(" ");
    return svg("svg", { viewBox: `${box.x} ${box.y} ${box.wide} ${box.deep}`, "aria-hidden": "true" },
      svg("rect", { class: "rim", x: -wide / 2 - 16, y: -deep / 2 - 16, width: wide + 32, height: deep + 32, rx: 44 }),
      svg("rect", { class: "cloth", x: -wide / 2, y: -deep / 2, width: wide, height: deep, rx: 30 }),
      ...seating.zones.map((zone) => svg("polygon", { class: "zone", points: outline(zone.polygon_mm) })),
      ...seating.seats.map((seat) => svg("polygon", { class: "seat", "data-seat": seat.seat, points: outline(seat.polygon_mm) })));
  }

  #listen(chip, index, players) {
    let begin = null;
    chip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      chip.setPointerCapture(event.pointerId);
      begin = { x: event.clientX, y: event.clientY, moved: false };
    });
    chip.addEventListener("pointermove", (event) => {
      if (!begin) return;
      const [x, y] = [event.clientX - begin.x, event.clientY - begin.y];
      begin.moved ||= Math.hypot(x, y) > 6;
      if (!begin.moved) return;
      chip.classList.add("dragged");
      chip.style.translate = `${x}px ${y}px`;
      this.#light(this.#nearest(event, players));
    });
    const drop = (event, counts) => {
      if (!begin) return;
      const { moved } = begin;
      begin = null;
      chip.classList.remove("dragged");
      chip.style.translate = "";
      this.#light(null);
      if (counts && moved) {
        const to = this.#nearest(event, players);
        if (to !== index) this.#swapped(index, to);
      } else if (counts) this.#tap(index);
    };
    chip.addEventListener("pointerup", (event) => drop(event, true));
    chip.addEventListener("pointercancel", (event) => drop(event, false));
    chip.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.#tap(index);
      } else if (step) {
        event.preventDefault();
        const to = (index + step + players) % players;
        this.#swapped(index, to);
        this.focus(to);
      }
    });
  }

  /** The first tap picks a player, the second one swaps seats. */
  #tap(index) {
    const before = this.#picked;
    this.#picked = before === null ? index : null;
    for (const [number, chip] of this.#chips.entries()) chip.classList.toggle("picked", number === this.#picked);
    if (before !== null && before !== index) this.#swapped(before, index);
  }

  #nearest(event, players) {
    const area = this.#place.getBoundingClientRect();
    const [x, y] = [((event.clientX - area.left) / area.width) * 100, ((event.clientY - area.top) / area.height) * 100];
    const far = this.#spots.slice(0, players).map((spot) => Math.hypot((spot.left - x) * area.width, (spot.top - y) * area.height));
    return far.indexOf(Math.min(...far));
  }

  #light(seat) {
    for (const zone of this.#place.querySelectorAll(".seat")) zone.classList.toggle("lit", zone.dataset.seat === String(seat));
  }
}
