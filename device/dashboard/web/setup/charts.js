/* Charts as SVG, each with a table of the same numbers for screen readers. */

import { el, svg } from "../dom.js";
import { t } from "../i18n.js";

/** Narrow pages get narrow drawings, so that letters keep their size. */
const page = () => (matchMedia("(max-width: 620px)").matches ? { wide: 340, names: 110, letters: 10, label: 62 } : { wide: 600, names: 190, letters: 17, label: 74 });

/** Horizontal bars: a name, a bar and a text per row; `part` is highlighted. */
export function horizontalBars(title, data) {
  const most = Math.max(1, ...data.map((row) => row.all));
  const tall = 40;
  const { wide, names, letters } = page();
  const drawing = svg("svg", { class: "chart rows", viewBox: `0 0 ${wide} ${Math.max(1, data.length) * tall}`, "aria-hidden": "true" },
    ...data.flatMap((row, number) => {
      const y = number * tall;
      const [all, part] = [row.all, row.part].map((value) => (value / most) * (wide - names - 80));
      return [
        svg("text", { class: "name", x: 0, y: y + 25 }, short(row.name, letters)),
        svg("rect", { class: "whole", x: names, y: y + 9, width: Math.max(all, 3), height: 22, rx: 6 }),
        row.part ? svg("rect", { class: "part", x: names, y: y + 9, width: Math.max(part, 3), height: 22, rx: 6 }) : null,
        svg("text", { class: "value", x: names + 10 + all, y: y + 25 }, row.words),
      ];
    }));
  return figure(title, drawing, data.map((row) => [row.name, row.words]));
}

/** Vertical bars. */
export function verticalBars(title, data) {
  const most = Math.max(1, ...data.map((column) => column.value));
  const { wide, label } = page();
  const tall = 220;
  const step = (wide - 40) / Math.max(1, data.length);
  const every = Math.ceil(data.length / Math.max(1, Math.floor((wide - 40) / label)));
  const lines = ticks(most);
  const y = (value) => 12 + (tall - 48) * (1 - value / lines.at(-1));
  const drawing = svg("svg", { class: "chart columns", viewBox: `0 0 ${wide} ${tall}`, "aria-hidden": "true" },
    ...lines.flatMap((value) => [svg("line", { class: "grid", x1: 34, x2: wide, y1: y(value), y2: y(value) }), svg("text", { class: "axis end", x: 28, y: y(value) + 5 }, String(value))]),
    ...data.flatMap((column, number) => {
      const x = 38 + number * step;
      return [
        column.value ? svg("rect", { class: "part", x: x + step * 0.12, y: y(column.value), width: Math.max(2, Math.min(step * 0.76, 70)), height: tall - 36 - y(column.value), rx: 4 }) : null,
        number % every === 0 ? svg("text", { class: "axis", x: x + Math.min(step / 2, 40), y: tall - 12 }, column.name) : null,
      ];
    }));
  return figure(title, drawing, data.map((column) => [column.name, String(column.value)]));
}

function figure(title, drawing, table) {
  return el("figure", { class: "panel stack" }, el("figcaption", {}, el("h3", {}, title)), drawing,
    el("table", { class: "heard" }, el("caption", {}, title), el("tbody", {}, ...table.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value))))),
    table.length ? "" : el("p", { class: "soft" }, t("hist.nothing")));
}

function ticks(most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000].find((one) => most / one <= 4) ?? 100_000;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, number) => number * step);
}

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
