/* Teaching one deck: camera or pictures, questions, and cards. */

import { el, setText, storage, svg, focusOn } from "../dom.js";
import { localized, t } from "../i18n.js";
import { RequestRefused, refusalText, request } from "../requests.js";
import { DeckCards } from "./deck-cards.js";
import { askDoubt, pairFigure } from "./doubts.js";
import { setupIcon } from "./icons.js";
import { QuestionPanel } from "./questions.js";
import { attempt, button, formatNumber, poll } from "./widgets.js";

export const AT = "/api/teaching";
export const address = (name) => `${AT}/decks/${encodeURIComponent(name)}`;
const PAUSE_MS = 200;
/** A refusal without the name that it begins with, where the name is shown already. */
const withoutName = (text, name) => (text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text);
const isPoor = (view) => view.quality === "poor" || view.quality === "unusable";

export function openDeck(root, name, remove) {
  const at = address(name);
  const shown = { deck: null, now: null, cameras: [], by: storage.get("teach-by", "camera"), back: false, cropped: false, troubles: [], sending: null, drawn: "", open: true, count: 0, since: null };
  const trouble = el("p", { class: "trouble", role: "alert" });
  const head = el("section", { class: "panel school-head" });
  const show = el("div", { class: "stack" });
  const work = el("div", { class: "stack working", role: "status" });
  const lesson = el("section", { class: "panel stack lesson", "aria-label": t("teach.last") });
  const live = el("img", { alt: t("cal.picture") });
  const screen = el("div", { class: "screen live" }, live);
  const questionPanel = new QuestionPanel(at, change);
  const deckCards = new DeckCards(at, change, start);
  root.append(head, trouble, el("div", { class: "two school" },
    el("div", { class: "stack show-side" }, el("section", { class: "panel stack" }, el("h2", {}, t("teach.show")), show, work), lesson),
    el("div", { class: "stack" }, questionPanel.element, deckCards.element)));
  let stop = () => {};
  let timer = 0;
  let last = Promise.resolve();
  live.addEventListener("load", () => again(PAUSE_MS));
  live.addEventListener("error", () => again(1000));
  load();
  return {
    close: (leaving = false) => {
      shown.open = false;
      stop();
      clearTimeout(timer);
      questionPanel.close();
      // Close the camera on leaving, so that a game can use it.
      if (shown.now?.camera) fetch(`${AT}/camera`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"camera":null}', keepalive: leaving });
    },
  };

  async function load() {
    const found = await attempt(() => Promise.all([request(at), request(`${AT}/now`), request("/api/calibration/cameras")]), trouble);
    if (!found || !shown.open) {
      root.dataset.ready = "true";
      return;
    }
    shown.cameras = found[2].cameras;
    hear(found[1]);
    take(found[0]);
    if (!found[0].open && found[0].waiting.length && !busy()) await start("/open", {});
    stop = poll(500, async () => {
      if (!shown.now.camera && !busy()) return;
      await look();
    });
    root.dataset.ready = "true";
  }

  /** Load the preview and the running job. */
  async function look() {
    const was = busy() ? shown.now.working.number : null;
    const now = await attempt(() => request(`${AT}/now`), trouble);
    if (!now || !shown.open) return;
    hear(now);
    if (was !== null && !busy()) await over(now);
  }

  /** After a job: load the deck again. */
  async function over(now) {
    const { stage, doing } = now.working;
    if (stage === "failed") trouble.textContent = localized(now.working.error_texts);
    const deck = await attempt(() => request(at), stage === "failed" ? null : trouble);
    if (!deck || !shown.open) return;
    take(deck);
    if (stage === "done" && doing === "finish") location.hash = "start";
  }

  function busy() {
    return shown.now?.working?.stage === "running";
  }

  function hear(now) {
    shown.now = now;
    drawShow();
    drawWork();
    questionPanel.still(busy() || Boolean(shown.sending));
    deckCards.still(busy() || Boolean(shown.sending));
  }

  function take(deck) {
    shown.deck = deck;
    drawHead();
    drawShow();
    drawLesson();
    questionPanel.take(deck);
    deckCards.take(deck);
  }

  /** Send an edit of the deck; edits wait for each other. */
  function change(path, payload, words = trouble) {
    const done = last.then(async () => {
      const deck = await attempt(() => asking(`${at}${path}`, payload), words);
      if (deck && shown.open) take(deck);
      return deck;
    });
    last = done.catch(() => undefined);
    return done;
  }

  /** Send an edit; if a name is doubtful, show both pictures and let the person insist. */
  async function asking(path, payload) {
    try {
      return await request(path, payload);
    } catch (error) {
      if (!(error instanceof RequestRefused) || !error.found?.pair) throw error;
      if (await askDoubt(at, error.found)) return request(path, { ...payload, insist: true });
      throw new RequestRefused(error.status, localized(error.found.texts));
    }
  }

  /** Start a job and follow it. */
  async function start(path, payload, mark = null) {
    const now = await attempt(() => request(`${at}${path}`, payload), trouble, mark);
    if (now && shown.open) {
      hear(now);
      // The job may have ended before the answer.
      if (now.working && !busy()) await over(now);
    }
    return now;
  }

  function drawHead() {
    const { deck } = shown;
    const found = deck.totals.reduce((sum, one) => sum + one.found, 0);
    const wanted = deck.totals.reduce((sum, one) => sum + one.wanted, 0);
    const cards = deck.cards.reduce((sum, card) => sum + card.count, 0);
    const kinds = deck.cards.length + deck.missing.length - deck.extra.length;
    const size = deck.card_mm ? t(deck.measured ? "teach.size" : "teach.proportions", { wide: formatNumber(deck.card_mm[0], 1), tall: formatNumber(deck.card_mm[1], 1) }) : "";
    head.replaceChildren(
      el("a", { class: "button square plain", href: "#teach", "aria-label": t("teach.all"), title: t("teach.all") }, setupIcon("back")),
      el("div", { class: "deck-words" },
        el("h2", {}, deck.name),
        el("p", { class: "soft" }, [deck.title ? localized(deck.title) : t("teach.free"), wanted ? t("teach.of", { n: deck.cards.length - deck.extra.length, of: kinds, cards: found, all: wanted }) : t("teach.have", { n: deck.cards.length, cards }), size].filter(Boolean).join(" · ")),
        wanted ? el("progress", { max: kinds, value: kinds - deck.missing.length, "aria-label": t("teach.how-much") }) : ""),
      el("div", { class: "row" },
        deck.cards.length && !deck.unfinished ? button("start", t("teach.play"), play, { class: "chief" }) : null,
        button("undo", t("teach.undo"), (event) => start("/undo", {}, event.currentTarget), { disabled: !deck.undo }),
        el("a", { class: "button", href: `${at}/export`, download: "" }, setupIcon("save"), el("span", {}, t("teach.export"))),
        button("bin", t("teach.delete"), remove, { class: "danger" })));
  }

  function play() {
    storage.set("game", shown.deck.game);
    storage.set(`deck-${shown.deck.game}`, shown.deck.name);
    return start("/finish", {});
  }

  function drawShow() {
    const { now } = shown;
    const there = Boolean(now.camera) && now.frame >= 0;
    const look = JSON.stringify([shown.by, now.camera, there, now.message, busy(), Boolean(shown.sending), Boolean(shown.deck)]);
    if (look === shown.drawn) return;
    shown.drawn = look;
    const focus = document.activeElement?.id;
    const ways = ["camera", "pictures"].map((by) => el("button", { type: "button", id: `by-${by}`, "aria-pressed": String(by === shown.by), onclick: () => {
      shown.by = by;
      storage.set("teach-by", by);
      drawShow();
    } }, setupIcon(by === "camera" ? "camera" : "film"), el("span", {}, t(`teach.by-${by}`))));
    show.replaceChildren(el("p", { class: "soft" }, t("teach.show-more")),
      el("div", { class: "choices", role: "group", "aria-label": t("teach.by") }, ...ways),
      ...(shown.by === "camera" ? camera(there) : pictures()).filter(Boolean), facing("back"));
    if (focus) focusOn(show, `#${CSS.escape(focus)}`);
    if (there && shown.by === "camera") again(0);
  }

  function camera(there) {
    const { now } = shown;
    const stands = shown.cameras.map((one) => el("option", { value: one.name, selected: one.name === now.camera }, one.kind === "simulated" ? `${one.name} (${t("start.camera-sim")})` : one.name));
    const select = el("select", { id: "teach-camera", disabled: Boolean(now.camera) }, ...stands);
    return [
      now.camera ? null : el("label", {}, t("cal.which"), select),
      now.camera ? screen : null,
      now.camera && !there ? el("p", { class: "soft" }, t("cal.waiting")) : null,
      now.message ? el("p", { class: "soft", lang: "en" }, now.message) : null,
      el("div", { class: "row" },
        now.camera ? button("eye", t("teach.look"), (event) => {
          anew();
          start("/look", { back: shown.back }, event.currentTarget);
        }, { class: "chief go", id: "look", disabled: !there || busy() })
          : button("camera", t("cal.open"), (event) => lend(select.value, event.currentTarget), { class: "chief", id: "lend" }),
        now.camera ? button("remove", t("cal.close"), () => lend(null), { id: "give-back" }) : null),
    ];
  }

  function pictures() {
    const input = el("input", { type: "file", id: "teach-files", class: "heard", multiple: true, accept: "image/jpeg,image/png,image/webp", disabled: busy() || Boolean(shown.sending), onchange: () => send([...input.files]) });
    const drop = el("label", { class: "drop", ondragover: (event) => event.preventDefault(), ondrop: (event) => {
      event.preventDefault();
      if (!input.disabled) send([...event.dataTransfer.files]);
    } }, setupIcon("film"), el("b", {}, t("teach.files")), el("span", { class: "soft small" }, t("teach.files-more")), input);
    return [drop, facing("cropped")];
  }

  function facing(what) {
    return el("label", { class: "switch" }, el("input", { type: "checkbox", id: `teach-${what}`, checked: shown[what], onchange: (event) => { shown[what] = event.target.checked; } }), el("span", {}, t(`teach.${what}`)));
  }

  async function lend(name, mark = null) {
    const now = await attempt(() => request(`${AT}/camera`, { camera: name }), trouble, mark);
    if (now && shown.open) hear(now);
  }

  function again(ms) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!shown.open || !shown.now?.camera || shown.now.frame < 0 || shown.by !== "camera") return;
      if (document.hidden) again(1000);
      else live.src = `${AT}/picture.jpg?width=960&n=${shown.count++}`;
    }, ms);
  }

  /** Start a new group of lessons. */
  function anew() {
    shown.since = shown.now.working?.number ?? 0;
    shown.troubles = [];
    shown.stopped = false;
  }

  /** Send pictures one by one; unreadable ones are listed, the others are learnt all the same. */
  async function send(files) {
    anew();
    for (const [number, file] of files.entries()) {
      if (!shown.open) return;
      if (shown.stopped) break;
      shown.sending = { number: number + 1, of: files.length, file: file.name };
      hear(shown.now);
      const query = new URLSearchParams({ file: file.name.slice(-200), back: String(shown.back), cropped: String(shown.cropped), more: String(number + 1 < files.length) });
      const response = await fetch(`${at}/picture?${query}`, { method: "POST", headers: { "Content-Type": file.type || "application/octet-stream" }, body: file }).catch(() => null);
      const answer = await response?.json().catch(() => null);
      if (!response?.ok) shown.troubles.push({ what: file.name, why: withoutName(refusalText(answer) ?? t("wire-lost"), file.name) });
      else {
        hear(answer);
        while (shown.open && busy()) {
          await new Promise((wake) => setTimeout(wake, 250));
          await look();
        }
      }
    }
    shown.sending = null;
    if (!shown.open) return;
    hear(shown.now);
    drawLesson();
    // If the last picture was refused, the questions about the others must still be loaded.
    if (!shown.deck.open || shown.deck.waiting.length !== shown.deck.questions.flatMap((one) => one.views).length) await start("/open", {});
  }

  function drawWork() {
    const { sending } = shown;
    if (!busy() && !sending) {
      work.replaceChildren();
      return;
    }
    const { working } = shown.now;
    const words = sending ? t("teach.sending", { n: sending.number, of: sending.of, file: sending.file }) : t(`teach.doing-${working.doing === "look" && working.share < 0.2 ? "still" : working.doing}`);
    const share = sending ? (sending.number - 1 + (busy() ? working.share : 0)) / sending.of : working.share;
    if (!work.firstChild) {
      work.append(el("p", {}), el("progress", { max: 1, "aria-label": t("teach.working") }), button("remove", t("setup.cancel"), () => {
        shown.stopped = true;
        attempt(() => request(`${AT}/cancel`, {}));
      }, { class: "small" }));
    }
    setText(work.querySelector("p"), words);
    work.querySelector("progress").value = share;
  }

  function drawLesson() {
    const { deck } = shown;
    const latest = deck.lessons[0];
    const same = deck.lessons.filter((one) => one.number > (shown.since ?? latest.number - 1));
    const refused = [...same.flatMap((one) => one.refused), ...shown.troubles];
    lesson.hidden = !same.length && !refused.length;
    if (lesson.hidden) return;
    const sum = (key) => same.reduce((total, one) => total + one[key].length, 0);
    lesson.replaceChildren(el("h2", {}, t("teach.last")),
      same.length ? el("p", { class: `verdict ${sum("named") + sum("waiting") + sum("again") ? "well" : "odd"}`, role: "status" }, setupIcon(sum("named") + sum("waiting") + sum("again") ? "well" : "odd"), el("span", {}, t("teach.learnt", { named: sum("named"), waiting: sum("waiting"), again: sum("again"), refused: refused.length }), " ", el("span", { class: "soft" }, same.length > 1 ? t("teach.pictures", { n: same.length }) : latest.picture))) : "",
      same.length && latest.size_px ? outlined(latest, deck) : "",
      same.length ? tiles(same, deck) : "",
      poorViews(same, deck),
      ...same.flatMap((one) => one.warnings).map((one) => pairFigure(at, one)),
      refused.length ? el("ul", { class: "refused" }, ...refused.map((one) => el("li", {}, setupIcon("bad"), el("div", {}, el("b", {}, one.what_texts ? localized(one.what_texts) : one.what), " ", el("span", {}, one.texts ? localized(one.texts) : one.why))))) : "");
  }

  /** The picture with outlines of the cards that were found. */
  function outlined(one, deck) {
    const [wide, tall] = one.size_px;
    const marks = [...one.named, ...one.waiting].filter((seen) => deck.views[seen.view]).flatMap((seen) => {
      const code = deck.views[seen.view].code;
      const middle = [0, 1].map((axis) => seen.corners_px.reduce((sum, point) => sum + point[axis], 0) / 4);
      return [svg("polygon", { class: code ? "known" : "unknown", points: seen.corners_px.map((point) => point.join(",")).join(" ") }),
        svg("text", { x: middle[0], y: middle[1], "font-size": wide / 22, "stroke-width": wide / 160 }, code || "?")];
    });
    return el("figure", { class: "screen outlined" }, el("img", { src: `${at}/shown.jpg?width=960&n=${one.number}`, alt: t("teach.shown", { picture: one.picture }) }),
      svg("svg", { class: "over", viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...marks));
  }

  /** The poor views of the lessons with their pictures, and how to show these cards better. */
  function poorViews(lessons, deck) {
    const poor = lessons.flatMap((one) => [...one.named, ...one.waiting]).map((one) => one.view).filter((view) => deck.views[view] && isPoor(deck.views[view]));
    const better = lessons.flatMap((one) => one.replaced);
    if (!poor.length && !better.length) return "";
    return el("ul", { class: "poor-views", "aria-label": t("teach.poor-views") },
      ...poor.map((view) => el("li", {}, el("img", { src: `${at}/views/${view}.png?v=${deck.views[view].changed}`, alt: t("teach.asked-card", { view }) }), el("span", {}, el("b", {}, deck.views[view].code || "?"), " ", localized(deck.views[view].verdict)))),
      ...better.map((one) => el("li", {}, el("span", {}, t("teach.replaced", { code: one.code })))));
  }

  function tiles(lessons, deck) {
    const seen = lessons.flatMap((one) => [...one.named, ...one.waiting]).filter((view) => deck.views[view.view]);
    return el("ul", { class: "crops", "aria-label": t("teach.cut-out") }, ...seen.map((one) => {
      const view = deck.views[one.view];
      const words = view.code ? `${view.code} (${t(`teach.by-who-${view.by || "hand"}`)})` : t("teach.unnamed");
      return el("li", { class: [view.code ? "" : "unnamed", isPoor(view) ? "poor" : ""].join(" ").trim(), title: words }, el("img", { src: `${at}/views/${one.view}.png?v=${view.changed}`, alt: "" }), el("span", {}, view.code || "?"), el("span", { class: "heard" }, words));
    }));
  }
}
