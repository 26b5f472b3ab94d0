/* Kto drugi: race cards with a hare that runs ahead or a crayfish that backs off, colour cards, figures and the track. */

import { PAPER, WIDTH, at, bothEnds, crescent, disc, mixed, number, oval, path, rect, ring, shape, star, stroke, words } from "./pen.js";

const NIGHT = "#2a2438";
const GOLD = "#f6b800";
const AHEAD = "#00757f";
const BACK = "#d9480f";
const CINDER = "#b4482f";
const INKS = {
  red: "#cc1f33", orange: "#f08a00", green: "#1f9646", blue: "#1d5fd0", purple: "#7b35a8", grey: "#6a717c",
  yellow: "#f2c500", pink: "#e85fa2", black: "#1c1c22", brown: "#7a4a24",
};
const NAMES = {
  red: "czerwony", orange: "pomarańczowy", green: "zielony", blue: "niebieski", purple: "fioletowy", grey: "szary",
  yellow: "żółty", pink: "różowy", black: "czarny", brown: "brązowy",
};

function sign(x, y, size, value, ink) {
  const bar = 0.27 * size;
  return [
    value ? rect(x - size / 2, y - bar / 2, size, bar, ink, bar / 4) : null,
    value > 0 ? rect(x - bar / 2, y - size / 2, bar, size, ink, bar / 4) : null,
  ];
}

function hare(ink, ground) {
  return [
    oval(3.4, -6.2, 9, 2.9, 25, ink), oval(2.2, -4.2, 9, 2.9, 8, ink), oval(-1.5, 0.6, 16, 7.6, -8, ink),
    oval(-6, 1.4, 9, 8.4, 0, ink), oval(8.6, -2.4, 7.6, 5.8, 12, ink), disc(-11, -1.6, 2.1, ink),
    stroke([[-6, 3.5], [-9, 6.6], [-13, 6.8]], ink, 2.4), stroke([[-4, 3.5], [-6.4, 7], [-9.5, 8.2]], ink, 2.2),
    stroke([[4, 1.5], [8, 5], [12, 5.4]], ink, 2.2), stroke([[3, 2], [6, 6.4], [9.4, 7.6]], ink, 2), disc(9.6, -3.2, 0.9, ground),
  ];
}

function crayfish(ink, ground) {
  const sides = [-1, 1].flatMap((side) => [
    ...[-1.5, 1, 3.5].map((leg) => stroke([[leg, 0], [leg - 0.8, 5.2 * side], [leg - 2.6, 7.2 * side]], ink, 1.1)),
    stroke([[4.5, 1.5 * side], [5.5, 5.2 * side], [8.4, 5.8 * side]], ink, 1.8), oval(10, 5.3 * side, 7.4, 4.8, -12 * side, ink),
    shape([[10.2, 5 * side], [14.4, 3.4 * side], [14.4, 5.6 * side]], ground), oval(-11, 2.7 * side, 5, 3, 38 * side, ink),
  ]);
  const rings = [0, 1, 2, 3].map((place) => oval(-1.8 - 2.5 * place, 0, 3.1, 5.9 - 0.7 * place, 0, ink));
  return [...sides, oval(3, 0, 9.6, 6.6, 0, ink), ...rings, oval(-11.6, 0, 4.4, 2.8, 0, ink), disc(5.8, 1.5, 0.8, ground), disc(5.8, -1.5, 0.8, ground)];
}

const animal = (value, x, y, width, ink, ground) => at(x, y, 0, width / 26, ...(value < 0 ? crayfish : hare)(ink, ground));

const startNumber = (white, x, y) => [
  shape([[x + 1.6, y], [x + 13.9, y], [x + 15.5, y + 10.4], [x, y + 10.4]], NIGHT, NIGHT, 0.4),
  words(x + 7.75, y + 4.3, white, 6.4, PAPER), rect(x + 2, y + 8.2, 11.5, 1.3, GOLD, 0.6),
];

export function emblem(colour, x, y, radius, ink, ground) {
  if (colour === "red") return [shape(ring(x, y + 0.2 * radius, 1.25 * radius, 3), ink)];
  if (colour === "orange") return [shape(star(x, y + 0.05 * radius, 1.2 * radius), ink)];
  if (colour === "green") return [...ring(x, y, 0.62 * radius, 4, 45).map(([cx, cy]) => disc(cx, cy, 0.54 * radius, ink)), disc(x, y, 0.4 * radius, ink)];
  if (colour === "blue") return [disc(x, y, radius, ink)];
  if (colour === "purple") return crescent(x - 0.1 * radius, y, 1.1 * radius, ink, ground);
  if (colour === "grey") return [shape(ring(x, y, 1.25 * radius, 4, 45), ink)];
  if (colour === "yellow") return [shape(star(x, y, 1.15 * radius, 12, 0.7), ink)];
  if (colour === "black") return [disc(x, y, radius, ink), disc(x, y, 0.5 * radius, ground)];
  if (colour === "pink") return [path(`M${x} ${y + radius}C${x - 2 * radius} ${y - 0.4 * radius} ${x - 0.7 * radius} ${y - 1.6 * radius} ${x} ${y - 0.4 * radius}C${x + 0.7 * radius} ${y - 1.6 * radius} ${x + 2 * radius} ${y - 0.4 * radius} ${x} ${y + radius}Z`, ink)];
  return [shape(star(x, y, 1.25 * radius, 4, 0.36), ink)];
}

function race({ value, white }) {
  const ink = value < 0 ? BACK : AHEAD;
  const [ground, writing] = value < 0 ? [mixed(BACK, PAPER, 0.84), BACK] : [ink, PAPER];
  const digits = String(Math.abs(value));
  const steps = Math.min(Math.abs(value), 6);
  const way = value < 0 ? -1 : 1;
  const strip = () => [
    value < 0 ? rect(4, 5.3, 8.8, 8.8, ink, 1) : disc(8.4, 9.7, 4.7, ink), ...sign(8.4, 9.7, 6, value, PAPER),
    ...number(17.5, 9.7, digits, 8.8, ink), animal(value, 34.3, 9.9, 13, ink, PAPER), ...startNumber(white, 43.5, 4.6),
  ];
  return [
    rect(4, 16.5, 55, 55, ground, 5), ...sign(22.5, 37, 15, value, writing), ...number(40, 37, digits, 28, writing),
    ...startNumber(white, 6.5, 58.5),
    ...Array.from({ length: steps }, (_, step) => {
      const x = 33 + (step - (steps - 1) / 2) * Math.min(4, 15 / steps);
      return stroke([[x - way, 60.5], [x + way, 63.5], [x - way, 66.5]], writing, 1.2);
    }),
    animal(value, 50.4, 63.5, 14, writing, ground), ...bothEnds(strip),
  ];
}

function colourCard({ colour }) {
  const ink = INKS[colour];
  const name = NAMES[colour] ?? colour;
  const strip = () => [
    ...emblem(colour, 8.2, 9.7, 4, ink, PAPER), ...emblem(colour, WIDTH - 8.2, 9.7, 4, ink, PAPER),
    words(31.5, 9.1, name, Math.min(5.4, 40 / name.length), NIGHT),
  ];
  return [
    rect(4, 16.5, 55, 55, ink, 5), disc(31.5, 44, 24, null, mixed(ink, PAPER, 0.22), 0.8), ...emblem(colour, 31.5, 44, 17, PAPER, ink),
    ...bothEnds(strip),
  ];
}

export const face = (card) => [...(card.kind === "colour" ? colourCard(card) : race(card)), rect(4.5, 2.5, WIDTH - 9, 1.3, NIGHT, 0.6)];

export function back(kind) {
  const lawn = kind === "colour" ? NIGHT : "#2f7d4f";
  const lanes = [0, 1, 2, 3].map((lane) => {
    const inset = 4.5 + 3.7 * lane;
    return rect(inset, inset, WIDTH - 2 * inset, 88 - 2 * inset, lane < 3 ? CINDER : lawn, 25 - 3.7 * lane, { stroke: PAPER, "stroke-width": 0.6 });
  });
  const podium = [["1", -8.4, 9], ["3", 8.4, 6.5], ["2", 0, 18]].flatMap(([place, x, step]) => [
    rect(31.5 + x - 4.4, 56 - step, 8.8, step, place === "2" ? GOLD : PAPER, 0, { stroke: NIGHT, "stroke-width": 0.5 }),
    words(31.5 + x, 56 - step / 2, place, place === "2" ? 9 : 4, NIGHT),
  ]);
  const six = ["red", "orange", "green", "blue", "purple", "grey"];
  const middle = kind === "colour"
    ? [disc(31.5, 44, 14.2, PAPER), ...ring(31.5, 44, 9.2, 6).flatMap(([x, y], place) => emblem(six[place], x, y, 2.9, INKS[six[place]], PAPER))]
    : [...podium, shape(star(31.5, 31.5, 6), GOLD, NIGHT, 0.5)];
  return [rect(2.5, 2.5, 58, 83, lawn, 3), ...lanes, ...middle];
}

/** A figure, seen from above, its middle at (0, 0). */
export const piece = ({ colour }) => [disc(0, 0, 10, NIGHT), disc(0, 0, 9.1, INKS[colour] ?? "#888888"), ...emblem(colour, 0, 0, 5.6, PAPER, INKS[colour] ?? "#888888")];

/** What is printed on the table itself: the track in its zone, its middle at (0, 0). */
export function ground(zone) {
  if (zone !== "track") return [];
  const parts = [rect(-261, -75.5, 522, 151, CINDER, 2)];
  for (let space = -12; space <= 16; space++) {
    const x = -17 * 14 + 17 * (space + 12);
    parts.push(rect(x, -63, 17, 126, space ? mixed(PAPER, space < 0 ? BACK : AHEAD, 0.16 + 0.014 * Math.abs(space)) : PAPER, 0, { stroke: CINDER, "stroke-width": 0.6 }));
    const label = space ? String(space).replace("-", "−") : "START";
    const height = space ? 5.6 : 3;
    parts.push(words(x + 8.5, 68.8, label, height, PAPER), at(x + 8.5, -68.8, 180, 1, words(0, 0, label, height, PAPER)));
  }
  for (let lane = -2; lane < 3; lane++) parts.push(stroke([[-238, 21 * lane], [255, 21 * lane]], CINDER, 0.5, "butt"));
  return parts;
}
