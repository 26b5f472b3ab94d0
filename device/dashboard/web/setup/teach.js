/* Teaching: the list of decks, a form for a new one, and the open deck. */

import { dialog, toast } from "../dialogs.js";
import { el } from "../dom.js";
import { localized, t } from "../i18n.js";
import { refusalText, request } from "../requests.js";
import { setupIcon } from "./icons.js";
import { AT, address, openDeck } from "./teach-deck.js";
import { attempt, button, hostOnly } from "./widgets.js";

export function open(root, { pairing, rest }) {
  if (pairing.me.role !== "host") {
    root.append(hostOnly(pairing));
    root.dataset.ready = "true";
    return { close: () => {} };
  }
  /** @type {{ close: (leaving?: boolean) => void }} */
  let inside = { close: () => {} };
  let on = true;
  go(rest[0] ?? "");
  return {
    close: (leaving = false) => {
      on = false;
      inside.close(leaving);
    },
    turn: (more) => {
      go(more[0] ?? "");
      return true;
    },
  };

  function go(name) {
    inside.close();
    inside = { close: () => {} };
    root.replaceChildren();
    root.removeAttribute("data-ready");
    if (name) inside = openDeck(root, name, () => remove(name, () => { location.hash = "teach"; }));
    else list();
  }

  async function list() {
    const trouble = el("p", { class: "trouble", role: "alert" });
    const shelf = el("ul", { class: "shelf" });
    const aside = el("section", { class: "panel stack new-deck" });
    root.append(el("div", { class: "two teaching" }, aside, el("section", { class: "stack" },
      el("div", { class: "panel stack" }, el("h2", {}, t("teach.title")), el("p", { class: "soft" }, t("teach.more")), trouble, shelf))));
    const found = await attempt(() => Promise.all([request(AT), request("/api/games")]), trouble);
    if (!found || !on || !shelf.isConnected) return;
    const [{ decks }, games] = found;
    aside.append(...fresh(games, decks));
    shelf.replaceChildren(...(decks.length ? decks.map(row) : [el("li", { class: "none soft" }, setupIcon("teach"), el("span", {}, t("teach.none")))]));
    root.dataset.ready = "true";
  }

  function row(deck) {
    const fan = el("div", { class: "fan", "aria-hidden": "true" }, ...deck.fan.map((view) => el("img", { src: `${address(deck.name)}/views/${view}.png`, alt: "", loading: "lazy" })));
    const state = deck.fault ? "damaged" : deck.waiting ? "cut" : deck.unfinished ? "" : "running";
    const words = deck.fault ? t("teach.faulty") : deck.waiting ? t("teach.waiting", { n: deck.waiting }) : !deck.of_codes ? t("teach.free-ready") : deck.unfinished ? t("teach.unfinished") : t("teach.ready");
    return el("li", { class: "deck" },
      fan,
      el("div", { class: "deck-words" },
        el("h3", {}, el("a", { href: `#teach/${deck.name}` }, deck.name)),
        el("p", { class: "soft" }, deck.title ? localized(deck.title) : deck.game ? t("teach.free") : ""),
        deck.fault ? el("p", { class: "soft small" }, localized(deck.fault_texts)) : el("p", {}, deck.of_codes ? t("teach.of", { n: deck.listed, of: deck.of_codes, cards: deck.cards, all: deck.of_cards }) : t("teach.have", { n: deck.codes, cards: deck.cards })),
        deck.of_codes ? el("progress", { max: deck.of_codes, value: deck.listed, "aria-label": t("teach.how-much") }) : null,
        el("span", { class: `badge ${state}` }, words)),
      el("div", { class: "row" },
        deck.fault ? null : el("a", { class: "button chief small", href: `#teach/${deck.name}` }, setupIcon("teach"), el("span", {}, t("teach.open")), el("span", { class: "heard" }, ` ${deck.name}`)),
        deck.fault ? null : el("a", { class: "button small", href: `${address(deck.name)}/export`, download: "" }, setupIcon("save"), el("span", {}, t("teach.export")), el("span", { class: "heard" }, ` ${deck.name}`)),
        button("bin", t("teach.delete"), () => remove(deck.name, () => go("")), { class: "danger small", "aria-label": `${t("teach.delete")} ${deck.name}` })));
  }

  function fresh(games, decks) {
    const trouble = el("p", { class: "trouble", role: "alert" });
    const game = el("select", { id: "teach-game" }, ...games.map((one) => el("option", { value: one.name }, localized(one.title))), el("option", { value: "free" }, t("teach.free")));
    const name = el("input", { id: "teach-name", required: true, maxlength: 40, pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]{0,39}", autocomplete: "off", spellcheck: false, "aria-describedby": "teach-name-more" });
    let own = false;
    const suggest = () => {
      if (own && name.value) return;
      const stem = game.value === "free" ? t("teach.my-deck") : `${t("teach.my")}-${game.value.replace(/_/g, "-")}`;
      name.value = stem;
      for (let number = 2; decks.some((deck) => deck.name === name.value); number += 1) name.value = `${stem}-${number}`;
    };
    suggest();
    game.addEventListener("change", suggest);
    name.addEventListener("input", () => { own = true; });
    const form = el("form", { class: "stack" },
      el("label", {}, t("teach.which-game"), game),
      el("label", {}, t("teach.name"), name), el("p", { class: "soft small", id: "teach-name-more" }, t("teach.name-more")),
      trouble,
      el("button", { class: "chief go", type: "submit" }, setupIcon("teach"), el("span", {}, t("teach.begin"))));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const made = await attempt(() => request(`${AT}/decks`, { name: name.value.trim(), game: game.value }), trouble);
      if (made) location.hash = `teach/${made.name}`;
    });
    const bring = el("label", { class: "button small bring" }, setupIcon("film"), el("span", {}, t("teach.import")), el("input", { type: "file", class: "heard", accept: ".zip,application/zip", onchange: (event) => unpack(event.target, trouble) }));
    return [el("h2", {}, t("teach.new")), form, el("hr", {}), el("p", { class: "soft" }, t("teach.import-more")), bring];
  }

  async function unpack(input, trouble) {
    const [file] = input.files;
    if (!file) return;
    trouble.textContent = "";
    const response = await fetch(`${AT}/import`, { method: "POST", headers: { "Content-Type": "application/zip" }, body: file }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    input.value = "";
    if (!response?.ok) {
      trouble.textContent = refusalText(answer) ?? t("wire-lost");
      return;
    }
    toast(t("teach.imported", { name: answer.name }));
    go("");
  }

  function remove(name, after) {
    const trouble = el("p", { class: "trouble", role: "alert" });
    const box = dialog(t("teach.delete"), el("p", {}, t("teach.delete-sure", { name })), el("p", { class: "soft" }, t("teach.delete-more")), trouble, el("div", { class: "row" },
      button("bin", t("teach.delete-yes"), async () => {
        if ((await attempt(() => request(`${address(name)}/delete`, {}), trouble)) === undefined) return;
        box.close();
        toast(t("teach.deleted"));
        after();
      }, { class: "danger" }), button(null, t("setup.no"), () => box.close())));
  }
}
