/* Dawaj 2: a digit, one of three colours with its own shape, and up to two stars. */

import { PAPER, WIDTH, bothEnds, disc, mixed, number, outline, path, rect, ring, round, shape, star, words } from "./pen.js";

const INKS = { blue: "#1f66c9", pink: "#e0428f", green: "#1d9a56" };
const NIGHT = "#22304f";
const GOLD = "#f5b100";

function outlineOf(colour, x, y, radius) {
  if (colour === "blue") return round(x, y, radius);
  if (colour === "pink") return outline(ring(x, y, 1.25 * radius, 4));
  return outline(ring(x, y + 0.2 * radius, 1.3 * radius, 3));
}

function pattern(colour) {
  let d = "";
  for (let row = 0; row < 4; row++)
    for (let column = 0; column < 4; column++) d += outlineOf(colour, 9.5 + 14 * column + (row % 2 ? 2 : 0), 23.5 + 13.7 * row, 3.2);
  return d;
}

export function face({ digit, colour, stars }) {
  const ink = INKS[colour];
  const strip = () => [
    number(10, 9.5, String(digit), 9.4, ink),
    path(outlineOf(colour, 21.5, 10.1, 3.6), ink),
    [0, 1].map((place) =>
      place < stars ? shape(star(33 + 9.5 * place, 10.3, 4.2), GOLD, NIGHT, 0.5) : disc(33 + 9.5 * place, 10.1, 0.7, "#c9ced8"),
    ).flat(),
    number(53.5, 9.5, String(digit), 9.4, ink),
  ].flat();
  return [
    rect(4, 17.5, WIDTH - 8, 53, ink, 5),
    path(pattern(colour), mixed(ink, PAPER, 0.14)),
    ...number(WIDTH / 2, 44, String(digit), 33, PAPER),
    ...bothEnds(strip),
    rect(6.5, 1.9, WIDTH - 13, 1.1, NIGHT, 0.5),
  ];
}

export function back() {
  const parts = [rect(2.5, 2.5, WIDTH - 5, 83, NIGHT, 3)];
  for (const [place, colour] of Object.keys(INKS).entries()) {
    let d = "";
    for (let row = 0; row < 9; row++)
      for (let column = 0; column < 6; column++)
        if ((row + 2 * column) % 3 === place) d += outlineOf(colour, 6.5 + 9.4 * column + (row % 2 ? 3.4 : 0), 7.5 + 9.1 * row, 2.1);
    parts.push(path(d, mixed(INKS[colour], NIGHT, 0.25)));
  }
  return [
    ...parts, disc(31.5, 44, 15.5, PAPER), disc(31.5, 44, 13.8, GOLD), shape(star(31.5, 44, 12, 9, 0.82), PAPER),
    words(31.5, 43.7, "2", 12, NIGHT),
  ];
}
