/* A player for recordings: a picture, a slider, and the rulings by time. */

import { el, setText, svg } from "../dom.js";
import { localized, t } from "../i18n.js";
import { formatTime, iconButton } from "./widgets.js";

const WIDE = 1000;

/** Plays one recording. */
export class RecordingPlayer {
  #row;
  #address;
  #wanted_s = 0;
  #busy = false;
  #gone = false;
  #shown = null;
  #picture = el("img", { alt: "", width: 960, height: 540 });
  #words = el("figcaption", {});
  #slider;
  #needle = svg("line", { class: "needle", y1: 0, y2: 46 });
  #items = [];

  constructor(row, address) {
    this.#row = row;
    this.#address = address;
    const length = Math.max(row.length_s, 0.1);
    this.#slider = el("input", { type: "range", min: 0, max: length, step: 0.1, value: 0, "aria-label": t("rec.moment"), oninput: () => this.seek(Number(this.#slider.value), true) });
    this.element = el("div", { class: "reel" },
      row.video ? el("figure", { class: "screen" }, this.#picture, this.#words) : el("p", { class: "soft screen none" }, row.pruned ? t("rec.pruned-more") : t("rec.no-video")),
      el("div", { class: "time" }, this.#line(length),
        el("div", { class: "slide" }, iconButton("back", t("rec.before"), () => this.#jump(-1)), this.#slider, iconButton("next", t("rec.after"), () => this.#jump(1)))));
    this.#items = row.rulings.map((ruling) => this.#item(ruling));
    this.rulings = el("div", {}, el("h3", {}, t("rec.rulings", { n: row.rulings.length })),
      row.rulings.length ? el("ol", { class: "said" }, ...this.#items) : el("p", { class: "soft" }, t("rec.no-rulings")),
      row.troubles.length ? el("details", {}, el("summary", {}, t("rec.troubles", { n: row.troubles.length })), el("ul", { class: "soft" }, ...row.troubles.map((one) => el("li", {}, `${formatTime(one.at_s)} ${one.what}`)))) : "");
    this.seek(row.stretches[0]?.[0] ?? 0);
  }

  close() {
    this.#gone = true;
    if (this.#shown) URL.revokeObjectURL(this.#shown);
  }

  /** Show the stored frame nearest to a time; while one is loading, only the last request counts. */
  seek(at_s, bySlider = false) {
    this.#wanted_s = at_s;
    if (!bySlider) this.#slider.value = at_s;
    this.#slider.setAttribute("aria-valuetext", formatTime(at_s));
    const x = (at_s / Math.max(this.#row.length_s, 0.1)) * WIDE;
    this.#needle.setAttribute("x1", String(x));
    this.#needle.setAttribute("x2", String(x));
    const now = this.#row.rulings.findLastIndex((ruling) => ruling.at_s <= at_s + 0.05);
    for (const [number, item] of this.#items.entries()) item.classList.toggle("now", number === now);
    setText(this.#words, formatTime(at_s));
    if (this.#row.video && !this.#busy) this.#load();
  }

  async #load() {
    this.#busy = true;
    const at_s = this.#wanted_s;
    const response = await fetch(`${this.#address}/frame.jpg?at_s=${at_s.toFixed(2)}&width=960`).catch(() => null);
    if (response?.ok && !this.#gone) {
      const before = this.#shown;
      this.#shown = URL.createObjectURL(await response.blob());
      this.#picture.src = this.#shown;
      this.#picture.alt = t("rec.picture", { time: formatTime(at_s) });
      setText(this.#words, t("rec.frame", { frame: response.headers.get("X-Frame") ?? "", time: formatTime(Number(response.headers.get("X-At-S"))) }));
      this.#picture.dataset.frame = response.headers.get("X-Frame") ?? "";
      if (before) URL.revokeObjectURL(before);
    }
    this.#busy = false;
    if (this.#wanted_s !== at_s && !this.#gone) this.#load();
  }

  /** Jump to the ruling before or after the current time. */
  #jump(way) {
    const times = this.#row.rulings.map((ruling) => ruling.at_s);
    const to = way > 0 ? times.find((at_s) => at_s > this.#wanted_s + 0.05) : times.findLast((at_s) => at_s < this.#wanted_s - 0.05);
    this.seek(to ?? (way > 0 ? this.#row.length_s : 0));
  }

  #line(length) {
    const x = (at_s) => (at_s / length) * WIDE;
    return svg("svg", { class: "timeline", viewBox: `0 0 ${WIDE} 46`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "gap", x: 0, y: 30, width: WIDE, height: 8, rx: 4 }),
      ...this.#row.stretches.map(([from, to]) => svg("rect", { class: "film", x: x(from), y: 30, width: Math.max(2, x(to) - x(from)), height: 8, rx: 4 })),
      ...this.#row.tables.map((at_s) => svg("line", { class: "rest", x1: x(at_s), x2: x(at_s), y1: 30, y2: 38 })),
      ...this.#row.rulings.map((ruling) => svg("line", { class: `tick ${ruling.ruling ?? "said"}`, x1: x(ruling.at_s), x2: x(ruling.at_s), y1: 4, y2: 26 })),
      this.#needle);
  }

  #item(ruling) {
    return el("li", {}, el("button", { type: "button", class: "plain line", onclick: () => this.seek(ruling.at_s) },
      el("span", { class: "soft when" }, formatTime(ruling.at_s)),
      el("span", { class: `mark ${ruling.ruling ?? "said"}` }, ruling.ruling ? t(`ruling.${ruling.ruling}`) : t("ruling.said")),
      el("span", { class: "why" }, ruling.reason ? localized(ruling.reason) : (ruling.refused ?? ruling.text), " ", el("small", { class: "soft" }, [ruling.rule, ruling.text].filter(Boolean).join(" · ")))));
  }
}
