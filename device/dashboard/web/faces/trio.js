/* Trio: a fruit stand. Every number is a fruit in as many pieces; the one without links is golden. */

import { PAPER, WIDTH, at, away, disc, mixed, number, outline, path, rect, shape, star } from "./pen.js";

const NIGHT = "#2b2140";
const GOLD = "#f7b500";
const LEAF = "#1f7a3d";
const CORAL = "#ff8f6b";
// The ink of the number, then rind, what lies under it, flesh, and seeds where it has some.
const FRUITS = [
  ["#8a6100", "#f2c500", "#fff9d6", "#ffe45c"],
  ["#b3122f", "#1f8a45", "#e9f8d8", "#f2405a", "#2b2140"],
  ["#b84a00", "#f58220", "#fff1dc", "#ffa63d"],
  ["#5b4412", "#7a5c2e", "#d8ee9a", "#8cc63f", "#2b2140"],
  ["#c22a4f", "#f59a6b", "#fff0ea", "#f7637c"],
  ["#2c7a12", "#4caf1f", "#f3fbd9", "#b6e04c"],
  ["#8a5a00", "#f7b500", "#fff6d8", "#ffd54a"],
  ["#45308f", "#4a3aa8", "#efe6ff", "#9a83e6"],
  ["#a8127c", "#e0189a", "#ffc2e8", "#ffffff", "#2b2140"],
  ["#7d0f1f", "#d4521c", "#ffe6d1", "#a8132b"],
  ["#9c4b1c", "#9fb56a", "#eef3cf", "#ffb27a", "#fff3c4"],
  ["#4a1a52", "#5b2166", "#f6e3ee", "#d9527f", "#ffe08a"],
];
const fruitOf = (value) => FRUITS[(value - 1) % FRUITS.length];

function slice(value, x, y, radius) {
  const [, rind, pith, flesh, seed] = fruitOf(value);
  const pieces = Array.from({ length: value }, (_, piece) => (2 * Math.PI * piece) / value);
  const cuts = pieces.map((angle) => outline([[x, y], away(x, y, 0.84 * radius, angle)])).join("");
  return [
    disc(x, y, radius, rind), disc(x, y, 0.9 * radius, pith), disc(x, y, 0.82 * radius, flesh),
    disc(x, y, Math.min(0.3, 0.12 + 0.016 * value) * radius, pith), path(cuts, null, pith, 0.06 * radius),
    ...(seed && radius > 10 ? pieces.map((angle) => disc(...away(x, y, 0.66 * radius, angle + Math.PI / value), 0.05 * radius, seed)) : []),
  ];
}

function pineapple(x, y, height) {
  const blades = [-58, 58, -30, 30, 0].map((turn) =>
    at(0, -0.36 * height, turn, 1, shape(
      [[0, 0.1 * height], [0.13 * height, -0.2 * height], [0, -(turn ? 0.5 : 0.42) * height], [-0.13 * height, -0.2 * height]],
      mixed(LEAF, PAPER, Math.abs(turn) === 30 ? 0.2 : 0),
    )),
  );
  const lines = [-3, -2, -1, 0, 1, 2, 3].flatMap((place) => [-1, 1].map((way) =>
    outline([[(place * 0.13 - way * 0.2) * height, -0.3 * height], [(place * 0.13 + way * 0.2) * height, 0.3 * height]])));
  return at(x, y, 0, 1, ...blades, rect(-0.42 * height, -height / 2, 0.84 * height, height, "#f39a12", 0.42 * height),
    path(lines.join(""), null, "#b85c00", 0.025 * height));
}

const avocado = (x, y, height, turn) => at(x, y, turn, 1,
  ...[[1, "#2f5d1e"], [0.88, "#9ccb3b"], [0.7, "#e9f2a4"]].map(([share, colour]) => shape(
    Array.from({ length: 24 }, (_, step) => {
      const angle = (Math.PI * step) / 12;
      return [share * height * Math.sin(angle) * (0.37 - 0.1 * Math.cos(angle)), -0.5 * share * height * Math.cos(angle)];
    }), colour)),
  disc(0, 0.17 * height, 0.185 * height, "#7a4a21"));

export function face({ number: value, links }) {
  const [ink, rind] = fruitOf(value);
  const special = links.length === 0;
  const strip = (inset) => [inset, WIDTH - inset].flatMap((x) => number(x, 9.5, String(value), 8, special ? NIGHT : ink))
    .concat(special ? [disc(31.5, 9.9, 5.3, PAPER), pineapple(31.5, 11.3, 6)] : slice(value, 31.5, 9.5, 4));
  const tags = (links.length > 1 ? links : [...links, ...links]).flatMap((link, place) => {
    const x = place % 2 ? WIDTH - 7.6 : 7.6;
    const tag = [[x - 4, 76.8], [x - 1.8, 74.4], [x + 1.8, 74.4], [x + 4, 76.8], [x + 4, 84.4], [x - 4, 84.4]];
    return [shape(tag, fruitOf(link)[0]), disc(x, 76.2, 0.8, PAPER), ...number(x, 80.4, String(link), 4.2, PAPER)];
  });
  let checks = "";
  for (let row = 0; row < 10; row++) for (let column = row % 2; column < 11; column += 2) checks += `M${4 + 5 * column} ${19 + 5 * row}h5v5h-5Z`;
  const rays = Array.from({ length: 14 }, (_, ray) =>
    outline([[31.5, 44], away(31.5, 44, 29, (Math.PI * (2 * ray - 0.5)) / 14), away(31.5, 44, 29, (Math.PI * (2 * ray + 0.5)) / 14)])).join("");
  const middle = special
    ? [rect(2.5, 2.5, 58, 83, GOLD, 3), path(rays, mixed(GOLD, PAPER, 0.4)), pineapple(31.5, 48.5, 36)]
    : [rect(4, 17.5, 55, 53, mixed(PAPER, rind, 0.14), 5), path(checks, mixed(PAPER, rind, 0.3)), ...slice(value, 31.5, 44, 23.5)];
  const stripes = Array.from({ length: 17 }, (_, stripe) => disc(4 + (55 / 17) * (stripe + 0.5), 3.3, 55 / 34, mixed("#d7263d", PAPER, 0.8 * (stripe % 2))));
  return [
    ...middle, ...number(31.5, special ? 48.5 : 42.5, String(value), 21, NIGHT, PAPER), ...stripes, ...strip(10),
    at(WIDTH, 88, 180, 1, ...strip(special ? 10 : 19.9)), ...tags,
  ];
}

export function back() {
  const parts = [rect(2.5, 2.5, 58, 83, CORAL, 3)];
  for (let row = 0; row < 7; row++)
    for (let column = -2; column < 3; column++) {
      const x = 31.5 + 12 * (column + 0.25 - 0.5 * (row % 2));
      const y = 44 + 11.5 * (row - 3);
      if (Math.hypot(x - 31.5, y - 44) > 17 && x > 8 && x < 55) parts.push(avocado(x, y, 10.5, 20 + 180 * (row % 2)));
    }
  return [
    ...parts, shape(star(31.5, 44, 17, 24, 0.93), PAPER), disc(31.5, 44, 14.2, mixed(CORAL, PAPER, 0.7)),
    avocado(25.1, 43.5, 17, 16), avocado(37.9, 44.5, 17, 196),
  ];
}
