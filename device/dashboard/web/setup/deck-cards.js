/* The cards of a taught deck: tiles with copies, missing cards, and a dialog to edit single views. */

import { dialog } from "../dialogs.js";
import { el, focusOn } from "../dom.js";
import { localized, t } from "../i18n.js";
import { setupIcon } from "./icons.js";
import { button, iconButton } from "./widgets.js";

const MOST = 200;

/** The panel of cards; `change` sends an edit and returns the new deck, `start` starts a job. */
export class DeckCards {
  #at;
  #change;
  #start;
  #deck = null;
  #busy = false;

  constructor(at, change, start) {
    this.#at = at;
    this.#change = change;
    this.#start = start;
    this.element = el("section", { class: "panel stack pile" });
  }

  /** Disable the panel while a job runs. */
  still(busy) {
    this.#busy = busy;
    for (const one of this.element.querySelectorAll("button")) one.disabled = busy || one.dataset.never === "true";
  }

  take(deck) {
    this.#deck = deck;
    const key = document.activeElement?.getAttribute("data-focus");
    const backs = deck.backs.length ? [this.#tile("back", deck.backs, null)] : [];
    this.element.replaceChildren(
      el("h2", {}, t("teach.cards", { n: deck.cards.length })),
      deck.cards.length || backs.length ? el("ul", { class: "cards" }, ...deck.cards.map((card) => this.#tile(card.code, card.views, card)), ...backs) : el("p", { class: "soft" }, t("teach.no-cards")),
      this.#missing(deck),
      deck.extra.length ? el("p", { class: "soft" }, t("teach.extra", { codes: deck.extra.join(" ") })) : "",
      ...this.#alike(deck),
      ...this.#more(deck));
    this.still(this.#busy);
    if (key) focusOn(this.element, `[data-focus="${CSS.escape(key)}"]`);
  }

  #tile(code, views, card) {
    const [view] = views;
    const called = code === "back" ? t("teach.is-back") : code;
    return el("li", { class: card && card.of !== null && card.count !== card.of ? "odd" : "" },
      el("button", { type: "button", class: "face", "data-focus": `face-${code}`, "aria-label": t("teach.views-of", { code: called, n: views.length }), onclick: () => this.#mend(code) },
        el("img", { src: this.#picture(view), alt: "", loading: "lazy" }), views.length > 1 ? el("span", { class: "badge" }, String(views.length)) : ""),
      el("b", { class: "code" }, called),
      card ? el("div", { class: "stepper" },
        iconButton("less", t("teach.fewer", { code }), () => this.#change("/count", { code, copies: card.count - 1 }), { "data-focus": `less-${code}`, disabled: card.count <= 1, "data-never": String(card.count <= 1) }),
        el("span", { class: card.counted ? "" : "soft", title: card.counted ? "" : t("teach.uncounted") }, `×${card.count}`, card.of !== null && card.of !== card.count ? el("small", { class: "soft" }, `/${card.of}`) : ""),
        iconButton("add", t("teach.further", { code }), () => this.#change("/count", { code, copies: card.count + 1 }), { "data-focus": `more-${code}`, disabled: card.count >= MOST, "data-never": String(card.count >= MOST) })) : "");
  }

  #missing(deck) {
    if (!deck.totals.length) return "";
    if (!deck.missing.length) return el("p", { class: `verdict ${deck.unfinished ? "odd" : "well"}` }, setupIcon(deck.unfinished ? "odd" : "well"), el("span", {}, deck.waiting.length ? t("teach.all-but-waiting", { n: deck.waiting.length }) : deck.unfinished ? el("span", {}, localized(deck.unfinished_texts)) : t("teach.complete-of", { n: deck.totals.reduce((sum, one) => sum + one.found, 0), of: deck.totals.reduce((sum, one) => sum + one.wanted, 0) })));
    return el("div", { class: "stack missing" }, el("h3", {}, t("teach.missing", { n: deck.missing.length })), el("ul", {}, ...deck.missing.map((code) => el("li", {}, code))));
  }

  /** Look-alikes that a person told apart. */
  #alike(deck) {
    const pairs = deck.told_apart.filter((pair) => !pair.turned).map((pair) => pair.codes.join("/"));
    return [pairs.length ? el("p", { class: "soft" }, t("teach.told-apart", { codes: pairs.join(" ") })) : "",
      ...deck.told_apart.filter((pair) => pair.turned).map(({ codes: [one, other] }) => el("p", { class: "soft" }, t("teach.turned-twin", { one, other })))];
  }

  #more(deck) {
    const sides = ["wide", "tall"].map((side, axis) => el("input", { type: "number", min: 20, max: 200, step: 0.1, id: `card-${side}`, value: deck.card_mm?.[axis] ?? "" }));
    const learn = button("teach", t("teach.corrections"), (event) => this.#start("/corrections", {}, event.currentTarget), { class: "small" });
    const form = el("form", { class: "row sizes" }, el("label", {}, t("cal.wide"), sides[0]), el("label", {}, t("teach.tall"), sides[1]), el("button", { type: "submit", class: "small" }, t("teach.measure")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#change("/size", { card_mm: sides.map((side) => Number(side.value)) });
    });
    const guide = deck.guide ? el("details", { class: "guide" }, el("summary", {}, t("teach.guide")), el("div", { class: "stack" }, ...guideParts(localized(deck.guide)))) : "";
    return [guide, el("details", {}, el("summary", {}, t("teach.beside")), el("div", { class: "stack" }, el("p", { class: "soft" }, t("teach.size-more")), form, el("p", { class: "soft" }, t("teach.corrections-more")), learn))];
  }

  /** A dialog with all views of a card, to rename, turn or delete them. */
  #mend(code) {
    const trouble = el("p", { class: "trouble", role: "alert" });
    const list = el("ul", { class: "views" });
    const called = code === "back" ? t("teach.is-back") : code;
    const box = dialog(t("teach.card", { code: called }), list, trouble, button("bin", t("teach.forget-card", { code: called }), async () => {
      if (await this.#change("/forget", { word: code }, trouble)) box.close();
    }, { class: "danger small whole" }));
    const draw = () => {
      const views = code === "back" ? this.#deck.backs : this.#deck.cards.find((card) => card.code === code)?.views ?? [];
      if (!views.length) return box.close();
      // Keep the rows of views that stay, with their focus and typed text.
      for (const row of [...list.children]) {
        const view = row.getAttribute("data-view");
        if (views.includes(view)) row.querySelector("img").src = this.#picture(view);
        else row.remove();
      }
      const there = [...list.children].map((row) => row.getAttribute("data-view"));
      list.append(...views.filter((view) => !there.includes(view)).map((view) => this.#view(view, code, trouble, draw)));
      return undefined;
    };
    draw();
  }

  #view(view, code, trouble, draw) {
    const about = this.#deck.views[view];
    const input = el("input", { value: code, maxlength: 40, autocomplete: "off", spellcheck: false, "aria-label": t("teach.code-of", { view }) });
    const form = el("form", { class: "row" }, input, el("button", { type: "submit", class: "small" }, t("teach.rename")));
    const after = (path, payload) => async (event) => {
      event?.preventDefault();
      if (await this.#change(path, typeof payload === "function" ? payload() : payload, trouble)) draw();
    };
    form.addEventListener("submit", after("/label", () => ({ views: [view], code: input.value.trim() })));
    return el("li", { "data-view": view }, el("img", { src: this.#picture(view), alt: t("teach.asked-card", { view }) }),
      el("div", { class: "stack" }, el("p", { class: "soft small" }, `${view} · ${about.origin} · ${t(`teach.by-who-${about.by || "hand"}`)}`), about.verdict ? el("p", { class: about.quality === "good" ? "soft small" : "small trouble" }, localized(about.verdict)) : "", form,
        el("div", { class: "row" }, button("turn", t("teach.turn"), after("/turn", { view }), { class: "small" }), button("bin", t("teach.forget"), after("/forget", { word: view }), { class: "small danger" }))));
  }

  #picture(view) {
    return `${this.#at}/views/${view}.png?v=${this.#deck.views[view].changed}`;
  }
}

/** The page about teaching a game: its Markdown has headings, quotations, lists, bold words and codes only. */
function guideParts(text) {
  const inline = (line) => line.split(/(\*\*.+?\*\*|`.+?`)/).map((part) => (part.startsWith("**") ? el("b", {}, part.slice(2, -2)) : part.startsWith("`") ? el("code", {}, part.slice(1, -1)) : part));
  return text.split("\n").filter(Boolean).map((line) => {
    if (line.startsWith("# ")) return el("h3", {}, line.slice(2));
    if (line.startsWith("> ")) return el("p", { class: "soft" }, ...inline(line.slice(2)));
    return el("p", {}, ...inline(line.replace(/^- /, "• ")));
  });
}
