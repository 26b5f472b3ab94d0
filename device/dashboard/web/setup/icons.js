/* Icons of the setup pages, drawn like those of the table: one path each on a grid of 24. */

import { svg } from "../dom.js";

const LINES = {
  start: "M4 7l7-3.5 9 4-7 13-9-4ZM8.5 9.5l6 2.7M7.5 13l4 1.8",
  calibrate: "M12 3v4M12 17v4M3 12h4M17 12h4M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM5 5l2 2M17 17l2 2",
  teach: "M12 4 2.5 9 12 14l9.5-5ZM6.5 11.5v5c3 2.7 8 2.7 11 0v-5M21.5 9v6",
  recordings: "M3 5h18v14H3ZM7 5v14M17 5v14M3 9.7h4M3 14.3h4M17 9.7h4M17 14.3h4",
  history: "M4 20V4M4 20h16M8 20v-6M12.5 20V8M17 20v-9",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  health: "M3 12h4l2.5-6 4.5 13 3-7h4",
  up: "m6 15 6-6 6 6",
  down: "m6 9 6 6 6-6",
  add: "M12 5v14M5 12h14",
  remove: "m6 6 12 12M18 6 6 18",
  bin: "M5 7h14M9.5 7V4h5v3M7 7l1 13.5h8L17 7M10.5 11v5.5M13.5 11v5.5",
  pin: "M9 3.5h6l-1 6 3.5 4h-11l3.5-4ZM12 13.5v7.5",
  save: "M12 3.5v11M7 10l5 5 5-5M4 20.5h16",
  compare: "M4 8h13l-4-4M20 16H7l4 4",
  back: "M14 6l-6 6 6 6",
  next: "M10 6l6 6-6 6",
  resume: "M5 5v14M9.5 5v14L20 12Z",
  film: "M12 20.5v-11M7 14l5-5 5 5M4 3.5h16",
  well: "m5 12.5 4.5 4.5L19 7.5",
  odd: "M12 4v10M12 18.5v.5",
  bad: "m6 6 12 12M18 6 6 18",
  unknown: "M8.5 9c0-5 8-4.5 7 0-.5 2.3-3.5 2.5-3.5 5.5M12 18.5v.5",
  lens: "M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19ZM12 7a5 5 0 0 0-5 5",
  table: "M4 7h16l-2 11H6ZM4 7l1.5-2.5h13L20 7",
  colour: "M12 3c4 5 6 7.5 6 11a6 6 0 0 1-12 0c0-3.5 2-6 6-11Z",
  seats: "M12 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM5 20.5c0-5 3-7 7-7s7 2 7 7",
  camera: "M3 7.5h4l2-3h6l2 3h4v12H3ZM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z",
  play: "M7 4.5v15l12-7.5Z",
  eye: "M2.5 12c4-7.5 15-7.5 19 0-4 7.5-15 7.5-19 0ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  undo: "M9 5 4 10l5 5M4.5 10H15a5 5 0 0 1 0 10h-4",
  turn: "M4.5 12a7.5 7.5 0 0 1 13-5L20 9.5M20 4v5.5h-5.5M19.5 12a7.5 7.5 0 0 1-13 5L4 14.5M4 20v-5.5h5.5",
  less: "M5 12h14",
  step: "M5 5v14l9-7ZM18 5v14",
};

/** An icon, hidden from screen readers: the words beside it say the same. */
export function setupIcon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, svg("path", { d: LINES[name] }));
}
