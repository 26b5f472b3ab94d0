/* dnp: two values, two colours, two halves that swap when the card is turned. */

import { HEIGHT, PAPER, WIDTH, at, away, disc, mixed, number, outline, path, rect, ring, round, shape, star, stroke } from "./pen.js";

const NIGHT = "#231f35";
const GOLD = "#ffc21a";
const GREY = "#4d5363";
const TURQUOISE = "#0f9aa0";
const INKS = ["#ffd23f", "#1b4fa8", "#ff9a3d", "#0b6e4f", "#f9a8cf", "#6d2e9c", "#7fd1ee", "#b3202c", "#b9d94a", "#2a2a35"];
const groundOf = (value) => INKS[(value - 1) % INKS.length];
const inkOn = (value) => (value % 2 ? NIGHT : PAPER);

const wave = Array.from({ length: 21 }, (_, step) => {
  const x = 2.5 + (58 * step) / 20;
  return [x, 44 - 11 * Math.sin((Math.PI * (x - 31.5)) / 58)];
});
// The upper half with the rounded corners of the card's inside.
const half = `M2.5 5.5a3 3 0 0 1 3-3h52a3 3 0 0 1 3 3V33L${[...wave].reverse().map((point) => point.join(" ")).join("L")}Z`;

function mark(name, x, y, radius) {
  if (name === "star") return [disc(x, y, 1.3 * radius, NIGHT, PAPER, 0.12 * radius), shape(star(x, y, 1.12 * radius), GOLD)];
  const ground = disc(x, y, radius, PAPER);
  if (name === "A") return [ground, shape(star(x, y, 0.85 * radius, 8, 0.62), NIGHT), disc(x, y, 0.32 * radius, GOLD)];
  if (name === "B") return [ground,
    ...[[-0.36, 0.14, 0.33], [0.02, -0.16, 0.44], [0.42, 0.16, 0.31]].map(([dx, dy, size]) => disc(x + dx * radius, y + dy * radius, size * radius, NIGHT)),
    rect(x - 0.4 * radius, y + 0.1 * radius, 0.84 * radius, 0.37 * radius, NIGHT)];
  return [ground, shape([[x, y - 0.78 * radius], ...ring(x, y + 0.2 * radius, 0.52 * radius, 24).slice(4, 21)], "#1b6fd0", NIGHT, 0.1 * radius)];
}

function motif(value, x, y, r) {
  const kind = (value - 1) % 10;
  if (kind === 0 || kind === 5) return round(x, y, kind ? 0.8 * r : r);
  if (kind === 1) return outline([[x - 0.4 * r, y - r], [x + 0.4 * r, y - r], [x + 0.4 * r, y + r], [x - 0.4 * r, y + r]]);
  if (kind === 2) return outline(ring(x, y, 1.2 * r, 3));
  if (kind === 3 || kind === 7) return outline(ring(x, y, 1.2 * r, 4, kind === 3 ? 45 : 0));
  if (kind === 6) return outline(star(x, y, 1.3 * r, 4, 0.5));
  if (kind === 8) return outline([[x - r, y + 0.6 * r], [x, y - 0.7 * r], [x + r, y + 0.6 * r], [x, y + 0.1 * r]]);
  return outline(star(x, y, 1.3 * r, ...(kind === 4 ? [5, 0.46] : [4, 0.34])));
}

function turnArrow(x, y, radius) {
  const arc = Array.from({ length: 17 }, (_, step) => away(x, y, radius, (Math.PI * (step + 2)) / 12));
  const [hx, hy] = away(x, y, radius, Math.PI / 8);
  const head = [[-1.05, -0.1], [0.15, -0.85], [0.3, 0.6]].map(([dx, dy]) => [hx + dx * radius, hy + dy * radius]);
  return [stroke(arc, GREY, 0.45 * radius), shape(head, GREY)];
}

function upper(own, other, name) {
  const ink = inkOn(own);
  let d = "";
  for (let row = 0; row < 3; row++)
    for (let column = 0; column < 7; column++) {
      const x = 6.5 + 8.4 * column + (row % 2 ? 3.4 : 0);
      const y = 20.5 + 7 * row;
      if (y < 41 - 11 * Math.sin((Math.PI * (x - 31.5)) / 58) && x < 58) d += motif(own, x, y, 1.9);
    }
  return [
    path(half, groundOf(own)), path(d, mixed(groundOf(own), ink, 0.13)),
    ...number(19.5, own === 6 || own === 9 ? 29.6 : 31, String(own), 18.5, ink, groundOf(own)),
    ...[10.6, WIDTH - 10.6].flatMap((x) => number(x, 9, String(own), 8.4, ink)),
    rect(18.2, 5.4, 13.6, 7.2, "#eceef3", 3.6), ...turnArrow(21.2, 9, 1.5), ...number(27.3, 8.8, String(other), 4.3, GREY),
    ...(name === "base" ? [] : [...mark(name, 9, 47.7, 4.1), ...mark(name, 39.3, 9, 4.4)]),
  ];
}

export function face({ a, b, group, star: starred }) {
  const name = starred ? "star" : group;
  return [
    ...upper(a, b, name), at(WIDTH, HEIGHT, 180, 1, ...upper(b, a, name)), stroke(wave, PAPER, 1.8, "butt"),
    ...(name === "base" ? [] : [...mark(name, 9, 47.7, 4.1), at(WIDTH, HEIGHT, 180, 1, ...mark(name, 9, 47.7, 4.1))]),
  ];
}

export function back() {
  const light = mixed(TURQUOISE, PAPER, 0.35);
  const dark = mixed(TURQUOISE, NIGHT, 0.4);
  const paths = { [light]: "", [dark]: "" };
  const right = [[0, -0.5], [0.42, -0.06], [0.16, -0.06], [0.16, 0.5]];
  const arrow = [...right, ...right.slice(1).reverse().map(([dx, dy]) => [-dx, dy])];
  for (let column = 0; column < 5; column++)
    for (let row = -3; row < 4; row++) {
      const flip = column % 2 ? -1 : 1;
      const points = arrow.map(([dx, dy]) => [31.5 + 11 * (column - 2) + 9 * flip * dx, 44 + 11.6 * row + 9 * flip * dy]);
      paths[row % 2 ? light : dark] += outline(points);
    }
  const swing = () => [
    stroke(Array.from({ length: 17 }, (_, step) => away(0, 0, 9, (Math.PI * (step + 2)) / 24)), GOLD, 4, "butt"),
    at(...away(0, 0, 9, Math.PI * 0.75), 135, 1, shape([[-0.2, -4.4], [5.2, 0], [-0.2, 4.4]], GOLD)),
  ];
  return [
    rect(2.5, 2.5, 58, 83, TURQUOISE, 3), ...Object.entries(paths).map(([ink, d]) => path(d, ink)), disc(31.5, 44, 16.5, PAPER),
    disc(31.5, 44, 14.8, TURQUOISE), at(31.5, 44, 0, 1, ...swing()), at(31.5, 44, 180, 1, ...swing()),
  ];
}
