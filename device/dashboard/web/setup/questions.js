/* Questions about unnamed cards, one at a time: a large picture, the best guesses as buttons, and a text field. */

import { el } from "../dom.js";
import { localized, t } from "../i18n.js";
import { setupIcon } from "./icons.js";
import { button } from "./widgets.js";

const [FEW, MOST] = [12, 9];

/** The panel of questions; `change` sends an answer and returns the new deck. */
export class QuestionPanel {
  #at;
  #change;
  #deck = null;
  #later = new Set();
  #apart = new Set();
  #drawn = "";
  #busy = false;
  #answered = false;
  #keys = (event) => this.#press(event);

  constructor(at, change) {
    this.#at = at;
    this.#change = change;
    this.element = el("section", { class: "panel asking", "aria-label": t("teach.questions"), hidden: true });
    document.addEventListener("keydown", this.#keys);
  }

  close() {
    document.removeEventListener("keydown", this.#keys);
  }

  /** Disable the panel while a job runs. */
  still(busy) {
    this.#busy = busy;
    for (const one of this.element.querySelectorAll("button, input")) one.toggleAttribute("disabled", busy);
  }

  take(deck) {
    this.#deck = deck;
    const questions = deck.questions.flatMap((question) => (question.views.some((view) => this.#apart.has(view)) ? question.views.map((view) => ({ ...question, views: [view] })) : [question]));
    const open = questions.filter((question) => !this.#later.has(question.views[0]));
    const [question] = open;
    const look = JSON.stringify([question, open.length, deck.questions.length, question && deck.views[question.views[0]].changed, deck.missing.length]);
    if (look === this.#drawn) return;
    this.#drawn = look;
    this.element.hidden = !deck.questions.length;
    if (!deck.questions.length) this.element.replaceChildren();
    else if (!question) this.#drawLater(deck.questions.length);
    else this.#draw(deck, question, open.length);
    this.still(this.#busy);
  }

  #draw(deck, question, left) {
    const [view] = question.views;
    const trouble = el("p", { class: "trouble", role: "alert" });
    const input = el("input", { id: "ask-code", autocomplete: "off", autocapitalize: "characters", spellcheck: false, maxlength: 40, list: "ask-codes", required: true });
    const answer = async (code) => {
      this.#answered = true;
      const done = await this.#change("/label", { views: question.views, code }, trouble);
      if (!done) input.select();
    };
    const form = el("form", { class: "typed" }, el("label", {}, t("teach.type"), input, el("datalist", { id: "ask-codes" }, ...deck.missing.slice(0, 200).map((code) => el("option", { value: code })))),
      el("button", { type: "submit", class: question.guesses.length ? "" : "chief" }, setupIcon("well"), el("span", {}, t("teach.this"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim() && !this.#busy) answer(input.value.trim());
    });
    // If few cards are missing, it is most likely one of them.
    const missing = deck.missing.length <= FEW ? deck.missing.filter((code) => !question.guesses.includes(code)) : [];
    const codes = [...question.guesses, ...missing].slice(0, MOST);
    const keys = keysFor(codes, [...deck.missing, ...deck.cards.map((card) => card.code)]);
    const guesses = codes.map((code, number) => el("button", { type: "button", class: number < question.guesses.length ? "guess" : "guess faint", "data-key": keys[number], onclick: () => answer(code) },
      el("b", {}, code === "back" ? t("teach.is-back") : code), keys[number] === code ? "" : el("kbd", { "aria-hidden": "true" }, keys[number])));
    const picture = `${this.#at}/views/${view}.png?v=${deck.views[view].changed}`;
    this.element.replaceChildren(
      el("div", { class: "asked" },
        el("figure", {}, el("img", { src: picture, alt: t("teach.asked-card", { view }) }), ...this.#others(deck, question)),
        el("div", { class: "stack" },
          el("p", { class: "soft small" }, t("teach.question-of", { n: left })),
          ["poor", "unusable"].includes(deck.views[view].quality) ? el("p", { class: "small trouble" }, localized(deck.views[view].verdict)) : "",
          el("h2", {}, question.guesses.length > 1 ? t("teach.is-this", { guesses: question.guesses.slice(0, 2).join(` ${t("teach.or")} `) }) : t("teach.which")),
          guesses.length ? el("div", { class: "guesses", role: "group", "aria-label": t("teach.guesses") }, ...guesses) : "",
          form, el("p", { class: "soft small" }, deck.code_hint ? localized(deck.code_hint) : t("teach.hint-free")), trouble,
          el("div", { class: "row" },
            button("turn", t("teach.turn"), () => this.#change("/turn", { view }, trouble), { class: "small" }),
            button(null, t("teach.is-a-back"), () => answer("back"), { class: "small" }),
            button("bin", t("teach.forget"), () => this.#forget(question, trouble), { class: "small danger" }),
            button("next", t("teach.later"), () => this.#postpone(view), { class: "small" })))));
    // After an answer, the keyboard focus moves to the next question.
    if (this.#answered) (/** @type {HTMLElement} */ (this.element.querySelector(".guess")) ?? input).focus();
    this.#answered = false;
  }

  /** The other views of a question, and a button for the person who sees that they are different cards. */
  #others(deck, question) {
    const others = question.views.slice(1);
    if (!others.length) return [];
    return [el("figcaption", { class: "badge" }, t("teach.alike", { n: question.views.length })),
      el("div", { class: "alike" }, ...others.map((view) => el("img", { src: `${this.#at}/views/${view}.png?v=${deck.views[view].changed}`, alt: t("teach.asked-card", { view }) }))),
      button(null, t("teach.two-cards"), () => {
        for (const view of question.views) this.#apart.add(view);
        this.take(this.#deck);
      }, { class: "small" })];
  }

  #drawLater(count) {
    this.element.replaceChildren(el("div", { class: "row spread" }, el("p", {}, t("teach.postponed", { n: count })), button("back", t("teach.ask-again"), () => {
      this.#later.clear();
      this.take(this.#deck);
    }, { class: "chief" })));
  }

  #postpone(view) {
    this.#later.add(view);
    this.#answered = true;
    this.take(this.#deck);
  }

  async #forget(question, trouble) {
    this.#answered = true;
    for (const word of question.views) if (!(await this.#change("/forget", { word }, trouble))) return;
  }

  #press(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.altKey || event.metaKey || this.#busy) return;
    const guess = /** @type {HTMLElement} */ (this.element.querySelector(`.guess[data-key="${CSS.escape(event.key)}"]`));
    if (!guess) return;
    event.preventDefault();
    guess.click();
  }
}

/** A key for each guess: 1, 2, 3; if codes start with digits, the code itself where it is unique, else a letter. */
function keysFor(codes, all) {
  if (!codes.some((code) => /^\d/.test(code))) return codes.map((_, number) => String(number + 1));
  const alone = (code) => /^\d$/.test(code) && ![...codes, ...all].some((other) => other !== code && other.startsWith(code));
  return codes.map((code, number) => (alone(code) ? code : "abcdefghi"[number]));
}
