/* Lucky Box: box cards with a grid to cross off and bonuses to circle, number cards, tokens, and what is drawn by hand. */

import { PAPER, WIDTH, bolt, bothEnds, crescent, disc, mixed, number, outline, oval, path, rect, shape, star, stroke, words } from "./pen.js";

const GRAPE = "#3f1d6b";
const SUN = "#ffd02e";
const RASPBERRY = "#d2245f";
const INDIGO = "#3550c8";
const BANDS = [RASPBERRY, "#0b8266", INDIGO];
const bandOf = (value) => BANDS[Math.floor((value - 1) / 3) % 3];

const cell = (place) => [10.9 + 13.7 * (place % 3), 23.8 + 13.7 * Math.floor(place / 3)];
const bonusPlace = (place) => (place < 3 ? [53.2, cell(3 * place)[1]] : [cell(place - 3)[0], 65.4]);
const flash = (x, y, height) => shape(bolt(x, y, height), SUN, GRAPE, 0.45);
const raised = (text) => (text === "6" || text === "9" ? 1 : 0);

function tag(code, x, y, height) {
  const half = 0.78 * height;
  const cut = 0.3 * height;
  const right = [[half - cut, -height / 2], [half, cut - height / 2], [half, height / 2]];
  const corners = [...right, ...right.slice().reverse().map(([dx, dy]) => [-dx, dy])];
  return [
    shape(corners.map(([dx, dy]) => [x + dx, y + dy]), GRAPE), words(x, y - 0.1 * height, code, 0.62 * height, PAPER),
    rect(x - 0.6 * height, y + 0.32 * height, 1.2 * height, 0.11 * height, SUN, 0.05 * height),
  ];
}

const bow = (x, y, width) => [
  ...[-1, 1].flatMap((side) => [
    oval(x + 0.28 * side * width, y - 0.1 * width, 0.56 * width, 0.36 * width, 20 * side, RASPBERRY),
    oval(x + 0.3 * side * width, y - 0.1 * width, 0.26 * width, 0.12 * width, 20 * side, mixed(RASPBERRY, PAPER, 0.55)),
    stroke([[x, y], [x + 0.2 * side * width, y + 0.34 * width]], RASPBERRY, 0.14 * width),
  ]),
  disc(x, y, 0.14 * width, RASPBERRY, PAPER, 0.05 * width),
];

function bonus(name, x, y) {
  if (name === "-") return [disc(x, y, 1, GRAPE)];
  const rim = disc(x, y, 6, PAPER, mixed(GRAPE, PAPER, 0.45), 0.4);
  if (name === "L") return [rim, flash(x, y, 9.6)];
  if (name === "D") return [rim, flash(x - 2.1, y - 0.3, 8), flash(x + 2.1, y + 0.3, 8)];
  if (name === "S") return [rim, shape(star(x, y + 0.3, 5), RASPBERRY, GRAPE, 0.4)];
  if (name === "M") return [rim, ...crescent(x - 0.3, y, 4.3, INDIGO, PAPER)];
  return [rim, rect(x - 3.9, y - 3.9, 7.8, 7.8, GRAPE, 1.1), ...number(x, y - 0.5 * raised(name), name, 5, name === "?" ? SUN : PAPER)];
}

function box(code, { grid, rows, cols }) {
  const lines = [0, 1, 2].map((line) => outline([cell(3 * line), bonusPlace(line)]) + outline([cell(line), bonusPlace(3 + line)])).join("");
  return [
    rect(2.5, 15.7, 58, 56.6, SUN, 3), path(lines, null, GRAPE, 1),
    ...grid.flatMap((digit, place) => {
      const [x, y] = cell(place);
      return [
        rect(x - 6.5, y - 6.5, 13, 13, mixed(PAPER, bandOf(digit), 0.13), 1.6, { stroke: GRAPE, "stroke-width": 0.5 }),
        ...number(x, y - 0.7 * raised(String(digit)), String(digit), 7.4, GRAPE),
      ];
    }),
    ...[...rows, ...cols].flatMap((name, place) => bonus(name, ...bonusPlace(place))), ...tag(code, 53.2, 65.4, 8.2),
    ...bothEnds(() => [...tag(code, 13, 9.7, 10.4), ...tag(code, WIDTH - 13, 9.7, 10.4), ...bow(31.5, 9.7, 14)]),
    rect(4.5, 2.5, WIDTH - 9, 1.3, GRAPE, 0.6),
  ];
}

const pad = (x, y, size, value, lit, unlit) => Array.from({ length: 9 }, (_, place) => {
  const pitch = size / 3;
  return rect(x + ((place % 3) - 1.47) * pitch, y + (Math.floor(place / 3) - 1.47) * pitch, 0.88 * pitch, 0.88 * pitch, place === value - 1 ? lit : unlit, 0.15 * pitch);
});

function called({ number: value }) {
  const ink = bandOf(value);
  const up = raised(String(value));
  const strip = () => [
    ...[11, WIDTH - 11].flatMap((x) => number(x, 10.2 - 0.6 * up, String(value), 8.4, PAPER)), ...pad(31.5, 10.2, 9.6, value, SUN, mixed(ink, PAPER, 0.3)),
  ];
  return [
    rect(2.5, 2.5, 58, 83, ink, 3), disc(31.5, 44, 26.5, SUN), disc(31.5, 44, 23.5, PAPER), ...number(31.5, 44 - 2.4 * up, String(value), 29, ink),
    ...bothEnds(strip), rect(5.5, 3.4, WIDTH - 11, 1.3, SUN, 0.6),
  ];
}

export const face = (card, code) => (card.kind === "number" ? called(card) : box(code, card));

export function back(kind) {
  const parcel = (x, y, height, ink) => [
    rect(x - 0.76 * height, y - height / 2, 1.52 * height, 0.2 * height, ink, 0.06 * height),
    rect(x - 0.64 * height, y - height / 4, 1.28 * height, 0.75 * height, ink, 0.06 * height),
  ];
  const parts = [rect(2.5, 2.5, 58, 83, kind === "number" ? GRAPE : SUN, 3)];
  for (let row = 0; row < 8; row++)
    for (let column = 0; column < 5; column++) {
      const [x, y] = [7.5 + 11 * column + (row % 2 ? 4 : 0), 8.5 + 10.2 * row];
      parts.push(...(kind === "number" ? [disc(x, y, 3.2, mixed(BANDS[(row + column) % 3], GRAPE, 0.25))] : parcel(x, y, 4.6, mixed(SUN, "#e08a00", 0.45))));
    }
  if (kind === "number") return [...parts, disc(31.5, 44, 20, SUN), disc(31.5, 44, 17.6, PAPER), ...pad(31.5, 44, 22, 5, RASPBERRY, GRAPE)];
  const paper = mixed(SUN, PAPER, 0.72);
  return [
    ...parts, disc(31.5, 44, 23, PAPER), disc(31.5, 44, 21.2, paper), shape(star(31.5, 31.5, 5.8), RASPBERRY, GRAPE, 0.5), flash(20.5, 37.5, 11),
    ...crescent(42.3, 37, 4.2, INDIGO, paper), ...parcel(31.5, 52.5, 14, GRAPE), rect(29.9, 45.5, 3.2, 14, RASPBERRY), ...bow(31.5, 43.4, 13),
  ];
}

/** What was drawn by hand: r1c2 is a crossed cell, b3 a circled bonus. */
export function drawn(marks) {
  return marks.flatMap((word) => {
    const crossed = /^r([123])c([123])$/.exec(word);
    if (crossed) {
      const [x, y] = cell(3 * (crossed[1] - 1) + (crossed[2] - 1));
      return [stroke([[x - 5, y - 4.6], [x + 4.8, y + 5]], "#16181d", 1.7), stroke([[x + 5, y - 5], [x - 4.6, y + 4.8]], "#16181d", 1.7)];
    }
    const circled = /^b([1-6])$/.exec(word);
    return circled ? [disc(...bonusPlace(circled[1] - 1), 7.2, null, "#16181d", 1.5)] : [];
  });
}

/** A token, its middle at (0, 0). */
export function piece({ kind }) {
  const ground = kind === "lightning" ? SUN : INDIGO;
  const sign = kind === "lightning" ? [shape(bolt(0, 0, 17), GRAPE, GRAPE, 0.8)] : crescent(-0.8, 0, 8, "#fff3c4", ground);
  return [disc(0, 0, 12, GRAPE), disc(0, 0, 11, ground), ...sign];
}
