/* The lens step while somebody waves the calibration board: views, slants, and progress. */

import { el, setText, svg } from "../dom.js";
import { t } from "../i18n.js";
import { button } from "./widgets.js";

const PETALS = { up: [60, 24], right: [96, 60], down: [60, 96], left: [24, 60], flat: [60, 60] };

/** The panel during the search for the board; it follows the `found` events of `body`. */
export function lensPanel(body, first, finish, cancel) {
  const number = el("p", { class: "count" });
  const words = el("p", { class: "soft", role: "status" });
  const bar = el("progress", { max: 1, "aria-label": t("cal.views") });
  const petals = Object.fromEntries(Object.entries(PETALS).map(([name, [x, y]]) => [name, svg("circle", { cx: x, cy: y, r: 17 })]));
  const rose = svg("svg", { class: "rose", viewBox: "0 0 120 120", role: "img" }, ...Object.values(petals));
  const slants = el("p", { class: "soft small" });
  const enough = button("well", t("cal.enough"), finish, { class: "chief" });
  const panel = el("div", { class: "waving stack" },
    el("div", { class: "row spread" }, el("div", {}, number, words), el("figure", {}, rose, el("figcaption", { class: "soft small" }, t("cal.slants")))),
    bar, slants, el("div", { class: "row" }, enough, button("remove", t("setup.cancel"), cancel)));

  function follow(found) {
    const { coverage } = found;
    if (!coverage) return;
    setText(number, t("cal.views-of", { n: coverage.views, of: coverage.wanted }));
    bar.value = Math.min(1, coverage.views / coverage.wanted);
    const cells = coverage.grid.flat();
    const covered = cells.reduce((sum, share) => sum + Math.min(1, share), 0) / cells.length;
    const now = found.solving ? "solving" : !coverage.frames ? "looking" : !coverage.now ? "unseen" : coverage.now.sharp ? "seen" : "blurred";
    setText(words, t(`cal.now-${now}`));
    const missing = Object.entries(coverage.slants).filter(([, share]) => share < 1).map(([name]) => t(`cal.slant-${name}`));
    setText(slants, [t("cal.covered", { share: Math.round(100 * covered) }), missing.length ? t("cal.missing", { slants: missing.join(", ") }) : t("cal.all-slants")].join(" "));
    for (const [name, petal] of Object.entries(petals)) petal.setAttribute("class", coverage.slants[name] >= 1 ? "full" : coverage.slants[name] > 0 ? "some" : "none");
    rose.setAttribute("aria-label", slants.textContent);
    enough.disabled = found.solving || coverage.views < coverage.enough;
    if (found.solving) bar.removeAttribute("value");
  }

  const listener = (event) => {
    if (panel.isConnected) follow(event.detail);
    else body.removeEventListener("found", listener);
  };
  follow(first);
  setTimeout(() => body.addEventListener("found", listener));
  return panel;
}
