/* The pen: what the printed faces are drawn with, in millimetres of a card of 63 x 88. */

import { svg } from "../dom.js";

export const WIDTH = 63;
export const HEIGHT = 88;
export const PAPER = "#ffffff";
const DIGIT = 0.622;

const short = (number) => Math.round(number * 100) / 100;

export const rect = (x, y, width, height, fill, rx = 0, more = {}) =>
  svg("rect", { x: short(x), y: short(y), width: short(width), height: short(height), fill, rx, ...more });

export const disc = (x, y, r, fill, stroke = null, line = 0) =>
  svg("circle", { cx: short(x), cy: short(y), r: short(r), fill: fill ?? "none", stroke, "stroke-width": line || null });

/** "M…Z" through points, to be joined into one path. */
export const outline = (points) => `M${points.map(([x, y]) => `${short(x)} ${short(y)}`).join("L")}Z`;

export const path = (d, fill, stroke = null, line = 0, more = {}) =>
  svg("path", { d, fill: fill ?? "none", stroke, "stroke-width": line || null, "stroke-linejoin": "round", ...more });

export const shape = (points, fill, stroke = null, line = 0) => path(outline(points), fill, stroke, line);

export const stroke = (points, ink, width, cap = "round") =>
  path(outline(points).slice(0, -1), null, ink, width, { "stroke-linecap": cap });

/** Words centred on (x, y); `height` is that of a digit. */
export function words(x, y, text, height, ink, edge = null) {
  return svg(
    "text",
    {
      x: short(x), y: short(y + height / 2), "font-size": short(height / DIGIT), fill: ink, class: "digit",
      stroke: edge, "stroke-width": edge ? short(0.28 * height) : null, "paint-order": edge ? "stroke" : null,
    },
    String(text),
  );
}

/** A number that cannot be mistaken upside down: 6, 9 and the like stand on a bar. */
export function number(x, y, text, height, ink, edge = null) {
  const parts = [words(x, y, text, height, ink, edge)];
  if (/^[01689]*$/.test(text) && /[69]/.test(text)) {
    const width = 0.62 * height * String(text).length;
    parts.push(rect(x - width / 2, y + 0.6 * height, width, 0.13 * height, ink, 0.06 * height));
  }
  return parts;
}

export function star(x, y, radius, points = 5, inner = 0.46) {
  return Array.from({ length: 2 * points }, (_, corner) => {
    const length = corner % 2 ? radius * inner : radius;
    return away(x, y, length, (Math.PI * corner) / points);
  });
}

export function ring(x, y, radius, corners, turn = 0) {
  return Array.from({ length: corners }, (_, corner) => away(x, y, radius, 2 * Math.PI * (corner / corners + turn / 360)));
}

export const away = (x, y, length, angle) => [x + length * Math.sin(angle), y - length * Math.cos(angle)];

export const round = (x, y, r) =>
  `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0Z`;

export function oval(x, y, width, height, turn, fill) {
  const place = `translate(${short(x)} ${short(y)}) rotate(${turn})`;
  return svg("ellipse", { rx: short(width / 2), ry: short(height / 2), transform: place, fill });
}

const BOLT = [[0.12, -0.5], [-0.32, 0.08], [-0.04, 0.08], [-0.14, 0.5], [0.32, -0.12], [0.04, -0.12], [0.22, -0.5]];
export const bolt = (x, y, height) => BOLT.map(([dx, dy]) => [x + height * dx, y + height * dy]);

export const crescent = (x, y, radius, fill, hollow) => [
  disc(x, y, radius, fill),
  disc(x + 0.42 * radius, y - 0.18 * radius, 0.78 * radius, hollow),
];

/** Draw twice: as it is, and upside down at the other short edge. */
export const bothEnds = (strip) => [
  svg("g", {}, strip()),
  svg("g", { transform: `rotate(180 ${WIDTH / 2} ${HEIGHT / 2})` }, strip()),
];

export const at = (x, y, turn, scale, ...parts) =>
  svg("g", { transform: `translate(${short(x)} ${short(y)}) rotate(${turn}) scale(${scale})` }, ...parts);

/** A colour between two: share 0 is the first, 1 the second. */
export function mixed(first, second, share) {
  const part = (colour, place) => parseInt(colour.slice(1 + 2 * place, 3 + 2 * place), 16);
  const both = [0, 1, 2].map((place) => part(first, place) + (part(second, place) - part(first, place)) * share);
  return `#${both.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}
