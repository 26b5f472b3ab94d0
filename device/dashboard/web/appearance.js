/* Appearance: theme and palette, kept in this browser or given in the address. */

import { storage } from "./dom.js";

const CHOICES = { theme: ["auto", "dark", "light"], palette: ["usual", "distinct"] };

/** The current choice for theme or palette. */
export function appearance(name) {
  const asked = new URLSearchParams(location.search).get(name) ?? storage.get(name, "");
  return CHOICES[name].includes(asked) ? asked : CHOICES[name][0];
}

/** Choose, keep and apply. */
export function setAppearance(name, value) {
  storage.set(name, value);
  show();
}

/** Switch to the next choice. */
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
