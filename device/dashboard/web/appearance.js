/* Looks: dark or light, usual or colour-blind colours; kept in this browser, or asked for in the address. */

import { storage } from "./dom.js";

const CHOICES = { theme: ["auto", "dark", "light"], palette: ["usual", "distinct"] };

/** What is chosen: one of the words above. */
export function appearance(name) {
  const asked = new URLSearchParams(location.search).get(name) ?? storage.get(name, "");
  return CHOICES[name].includes(asked) ? asked : CHOICES[name][0];
}

/** Choose and show. */
export function setAppearance(name, value) {
  storage.set(name, value);
  show();
}

/** The next choice in turn. */
export function nextAppearance(name) {
  const choices = CHOICES[name];
  const value = choices[(choices.indexOf(appearance(name)) + 1) % choices.length];
  setAppearance(name, value);
  return value;
}

function show() {
  const root = document.documentElement;
  for (const name of Object.keys(CHOICES)) root.dataset[name] = appearance(name);
}

show();
