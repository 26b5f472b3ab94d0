/* Doubtful names: two views side by side, and the person's word. */

import { dialog } from "../dialogs.js";
import { el } from "../dom.js";
import { localized, t } from "../i18n.js";
import { button } from "./widgets.js";

/** Two views side by side, with what makes the name doubtful. */
export function pairFigure(at, doubt) {
  return el("figure", { class: "pair" }, el("img", { src: `${at}/pairs/${doubt.pair}.png`, alt: t("teach.pair", { one: doubt.other, other: doubt.code }) }), el("figcaption", { class: "soft" }, localized(doubt.texts)));
}

/**
 * Ask whether a doubtful name is meant.
 * @returns {Promise<boolean>} whether the person insists
 */
export function askDoubt(at, doubt) {
  return new Promise((answer) => {
    const apart = doubt.kind === "looks-like";
    const box = dialog(t("teach.doubt"), pairFigure(at, doubt), el("div", { class: "row" },
      button("well", apart ? t("teach.two-cards") : t("teach.all-the-same", { code: doubt.code }), () => {
        answer(true);
        box.close();
      }, { class: "chief" }),
      button("back", t("teach.choose-again"), () => box.close())));
    box.addEventListener("close", () => answer(false), { once: true });
  });
}
