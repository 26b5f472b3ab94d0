/* Short messages and dialogs. */

import { byId, el } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";

let toastTimer = 0;

/** Show a short message at the lower edge. */
export function toast(words, bad = false) {
  const place = byId("toast");
  place.textContent = words;
  place.classList.toggle("bad", bad);
  place.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { place.hidden = true; }, bad ? 7000 : 3500);
}

/** Open a dialog with a heading; closing removes it. */
export function dialog(title, ...parts) {
  const id = `dialog-${Math.random().toString(36).slice(2)}`;
  const box = el("dialog", { "aria-labelledby": id },
    el("div", { class: "sheet-head" }, el("h2", { id }, title),
      el("button", { class: "square plain", "aria-label": t("close"), onclick: () => box.close() }, icon("close"))),
    el("div", { class: "sheet-body" }, ...parts));
  box.addEventListener("click", (event) => event.target === box && box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}
