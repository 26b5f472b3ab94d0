/* Icons: one path each on a grid of 24, drawn in the colour of the text around them. */

import { svg } from "./dom.js";

const LINES = {
  legal: "M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19ZM7.5 12.5l3 3 6-7",
  illegal: "M8 2.5h8l5.5 5.5v8L16 21.5H8L2.5 16V8ZM8.5 8.5l7 7M15.5 8.5l-7 7",
  unclear: "M12 2.5 22 20.5H2ZM9.8 10.2c.2-2.6 4.6-2.3 4.2.1-.2 1.3-2 1.5-2 3.2M12 16.8v.2",
  note: "M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19ZM12 7.5v.2M12 11v6",
  undo: "M9 5 4 10l5 5M4 10h10a6 6 0 0 1 0 12h-3",
  redo: "m15 5 5 5-5 5M20 10H10a6 6 0 0 0 0 12h3",
  say: "M4 5h16v11H11l-5 4v-4H4ZM8 9h8M8 12h5",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.5v15l12-7.5Z",
  camera: "M3 7.5h4l2-3h6l2 3h4v12H3ZM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z",
  voice: "M4 9.5v5h4l5 4.5V5L8 9.5ZM16.5 9a4.5 4.5 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11",
  mute: "M4 9.5v5h4l5 4.5V5L8 9.5ZM17 9.5l5 5M22 9.5l-5 5",
  turn: "M20 12a8 8 0 1 1-2.5-5.8M20 3v4.5h-4.5",
  menu: "M4 6.5h16M4 12h16M4 17.5h16",
  key: "M8 9.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM11.5 11 20 2.5M16 6.5l3 3",
  flag: "M5 21.5v-18M5 4.5h13l-3 4.5 3 4.5H5",
  stand: "M4 20.5h16M12 3.5v11M7 9.5l5 5 5-5",
  edit: "M4 20.5h4L20 8.5l-4-4L4 16.5ZM13 7.5l4 4",
  close: "m6 6 12 12M18 6 6 18",
  pin: "M9 3.5h6l-1 6 3.5 4h-11l3.5-4ZM12 13.5v7.5",
  down: "m6 9.5 6 6 6-6",
  book: "M4 5c3-1.5 6-1 8 .5 2-1.5 5-2 8-.5v14c-3-1.5-6-1-8 .5-2-1.5-5-2-8-.5ZM12 5.5v14",
  picture: "M3 5h18v14H3ZM3 16l5-5 4 4 3-3 6 5M15.5 9v.1",
  cup: "M7 3.5h10v6a5 5 0 0 1-10 0ZM7 5.5H3.5c0 4 1.5 5.5 3.8 5.5M17 5.5h3.5c0 4-1.5 5.5-3.8 5.5M12 14.5v4M8 21h8",
  hand: "M5 8.5 13.5 5l5.5 12-8.5 3.5ZM13.5 5 17 3.5 21 14l-2 3",
};

/** An icon, hidden from screen readers: the words beside it say the same. */
export function icon(name) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: LINES[name] }),
  );
}

/** Put icons into all elements with data-icon. */
export function addIcons(root) {
  for (const element of root.querySelectorAll("[data-icon]")) {
    element.querySelector(".icon")?.remove();
    element.prepend(icon(element.dataset.icon));
  }
}
