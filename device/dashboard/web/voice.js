/* The browser's voice, which reads rulings aloud. */

import { storage } from "./dom.js";
import { language } from "./i18n.js";

/** Whether rulings are read aloud; off by default. */
export const voiceIsOn = () => storage.get("voice", "off") === "on";
export const setVoice = (on) => {
  storage.set("voice", on ? "on" : "off");
  if (!on) globalThis.speechSynthesis?.cancel();
};

/** Say something aloud; an urgent sentence interrupts. */
export function speak(words, urgent = false) {
  const voice = globalThis.speechSynthesis;
  if (!voice || !words) return;
  if (urgent) voice.cancel();
  const sentence = new SpeechSynthesisUtterance(words);
  sentence.lang = language() === "pl" ? "pl-PL" : "en-GB";
  voice.speak(sentence);
}
