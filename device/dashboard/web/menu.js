/* The menu: language, appearance, voice and other views; and the list of keys. */

import { appearance, setAppearance } from "./appearance.js";
import { dialog } from "./dialogs.js";
import { el } from "./dom.js";
import { language, setLanguage, t } from "./i18n.js";
import { setVoice, speak, voiceIsOn } from "./voice.js";

function choice(title, options, now, choose) {
  const row = el("div", { class: "choices", role: "group", "aria-label": title });
  const buttons = options.map(([value, words]) => el("button", { "aria-pressed": String(value === now), "data-value": value, onclick: () => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === value));
    choose(value);
  } }, words));
  row.append(...buttons);
  return el("div", { class: "choice" }, el("h3", {}, title), row);
}

export function menu(pairing, changed) {
  const box = dialog(t("menu"),
    choice(t("language"), [["pl", "Polski"], ["en", "English"]], language(), async (value) => {
      await setLanguage(value);
      box.close();
    }),
    choice(t("theme"), ["auto", "dark", "light"].map((value) => [value, t(`theme-${value}`)]), appearance("theme"), (value) => setAppearance("theme", value)),
    choice(t("palette"), ["usual", "distinct"].map((value) => [value, t(`palette-${value}`)]), appearance("palette"), (value) => setAppearance("palette", value)),
    choice(t("voice"), [["off", t("off")], ["on", t("on")]], voiceIsOn() ? "on" : "off", (value) => {
      setVoice(value === "on");
      if (value === "on") speak(t("voice-on"));
      changed();
    }),
    el("nav", { class: "links", "aria-label": t("views") },
      ...[["/tv", "view-tv"], ["/overlay", "view-overlay"], ["/setup/", "view-setup"]].map(([address, words]) => el("a", { class: "button", href: address }, t(words)))),
    el("div", { class: "links" }, el("button", { onclick: () => { box.close(); keysHelp(); } }, t("keys"), " ", el("kbd", {}, "?")),
      pairing.mayAct ? el("button", { onclick: () => { box.close(); pairing.leave(); } }, t("unpair")) : el("button", { class: "chief", onclick: () => { box.close(); pairing.pair(); } }, t("pair"))));
}

const KEYS = [
  ["← ↑ ↓ →", "key-cards"], ["Enter", "key-correct"], ["g", "key-table"], ["u", "undo"], ["r", "redo"], ["d", "declare"], ["s", "key-stand"],
  ["k", "key-challenge"], ["p", "pause"], ["c", "camera"], ["o", "turn"], ["v", "voice"], ["l", "language"], ["t", "theme"], ["b", "palette"], ["?", "keys"],
];

export function keysHelp() {
  dialog(t("keys"), el("dl", { class: "key-list" }, ...KEYS.map(([key, words]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, t(words))))));
}
