/* Starting a game: which game, who sits where, and which camera. */

import { dialog } from "../dialogs.js";
import { el, storage } from "../dom.js";
import { language, localized, t } from "../i18n.js";
import { request } from "../requests.js";
import { setupIcon } from "./icons.js";
import { SeatTable } from "./seat-table.js";
import { attempt, button, formatDate, formatTime, iconButton } from "./widgets.js";

const NAMES = ["Ala", "Bartek", "Celina", "Darek", "Ewa", "Filip", "Gosia", "Hubert", "Iga", "Jan", "Kasia", "Leszek"];

export function open(root, { state, pairing, watch }) {
  const draft = { games: [], game: null, names: remembered(), options: {}, camera: "", record: true, cameras: [], decks: [], deck: "", seating: null };
  const trouble = el("p", { class: "trouble", role: "alert" });
  const parts = {
    notice: el("div", { class: "notices" }),
    games: el("div", { class: "games", role: "radiogroup", "aria-label": t("start.game") }),
    names: el("ol", { class: "names" }),
    options: el("div", { class: "options" }),
    eye: el("div", { class: "eye" }),
    felt: el("div", { class: "seat-table" }),
    told: el("p", { class: "heard", role: "status" }),
    go: button("start", t("start.go"), begin, { class: "chief go" }),
  };
  const table = new SeatTable(parts.felt, swap);
  root.append(
    parts.notice,
    el("div", { class: "two starting" },
      el("section", { class: "panel stack what-side" },
        el("h2", {}, t("start.what")), parts.games, el("div", {}, el("h3", {}, t("start.who")), parts.names)),
      el("section", { class: "panel stack table-side" },
        el("h2", {}, t("start.seats")), el("p", { class: "soft" }, t("start.seats-more")), parts.felt, parts.told),
      el("section", { class: "panel stack how-side" },
        el("h2", {}, t("start.how")), parts.options, parts.eye, trouble, parts.go)));
  load();
  watch(drawNotice);
  let open = true;
  return { close: () => { open = false; } };

  async function load() {
    const found = await attempt(() => Promise.all([request("/api/games"), request("/api/calibration/cameras"), request("/api/recordings"), request("/api/decks")]), trouble);
    if (!found || !open) return;
    draft.games = found[0];
    draft.cameras = found[1].cameras;
    draft.cut = found[2].recordings.find((one) => one.resumable);
    draft.decks = found[3].decks;
    draft.game = draft.games.find((game) => game.name === storage.get("game", "")) ?? draft.games[0];
    draft.camera = draft.cameras[0]?.name ?? "";
    fit();
    draw();
    drawNotice();
    root.dataset.ready = "true";
  }

  /** Fit the names and the options to the game. */
  function fit() {
    const { min, max } = draft.game.seats;
    while (draft.names.length < min) draft.names.push(fresh());
    draft.names.length = Math.min(draft.names.length, max);
    const choices = draft.game.options[draft.names.length] ?? {};
    draft.options = Object.fromEntries(Object.entries(choices).map(([name, values]) => [name, values.includes(draft.options[name]) ? draft.options[name] : values[0]]));
  }

  function fresh() {
    return NAMES.find((name) => !draft.names.includes(name)) ?? t("start.seat", { n: draft.names.length + 1 });
  }

  function draw() {
    parts.games.replaceChildren(...draft.games.map(gameCard));
    drawNames();
    drawOptions();
    drawEye();
    drawTable();
  }

  function gameCard(game) {
    const id = `game-${game.name}`;
    return el("label", { class: "game", for: id },
      el("input", { type: "radio", name: "game", id, value: game.name, checked: game === draft.game, onchange: () => {
        draft.game = game;
        storage.set("game", game.name);
        fit();
        drawNames();
        drawOptions();
        drawEye();
        drawTable();
      } }),
      el("span", { class: "game-name" }, localized(game.title)),
      el("span", { class: "soft" }, t("start.players", { n: game.seats.min === game.seats.max ? game.seats.min : `${game.seats.min}–${game.seats.max}` })));
  }

  function drawNames() {
    const { min, max } = draft.game.seats;
    const rows = draft.names.map((name, seat) => el("li", { "data-seat": seat },
      el("span", { class: "seat-number", "aria-hidden": "true" }, String(seat + 1)),
      el("input", { value: name, maxlength: 40, autocomplete: "off", "aria-label": t("start.name-of", { n: seat + 1 }), oninput: (event) => {
        draft.names[seat] = event.target.value.trim();
        storage.set("names", JSON.stringify(draft.names));
        drawTable();
      } }),
      iconButton("up", t("start.up"), () => swap(seat, seat - 1, "up"), { disabled: seat === 0, "data-move": `up${seat}` }),
      iconButton("down", t("start.down"), () => swap(seat, seat + 1, "down"), { disabled: seat === draft.names.length - 1, "data-move": `down${seat}` }),
      iconButton("remove", t("start.remove", { name }), () => {
        draft.names.splice(seat, 1);
        resized();
      }, { disabled: draft.names.length <= min })));
    if (draft.names.length < max) {
      rows.push(el("li", { class: "more" }, button("add", t("start.add"), () => {
        draft.names.push(fresh());
        resized();
        /** @type {HTMLInputElement} */ (parts.names.querySelector("li:nth-last-child(2) input, li:last-child input"))?.select();
      }, { class: "small" })));
    }
    parts.names.replaceChildren(...rows);
  }

  function resized() {
    storage.set("names", JSON.stringify(draft.names));
    fit();
    drawNames();
    drawOptions();
    drawTable();
  }

  function swap(from, to, by = "") {
    [draft.names[from], draft.names[to]] = [draft.names[to], draft.names[from]];
    storage.set("names", JSON.stringify(draft.names));
    drawNames();
    if (by) {
      const arrow = /** @type {HTMLElement} */ (parts.names.querySelector(`[data-move="${by}${to}"]:not(:disabled)`));
      (arrow ?? parts.names.querySelectorAll("input")[to]).focus();
    }
    table.draw(draft.seating, draft.names);
    parts.told.textContent = t("start.moved", { name: draft.names[to], n: to + 1 });
  }

  function drawOptions() {
    const choices = draft.game.options[draft.names.length] ?? {};
    const simulated = draft.camera.startsWith("sim:");
    parts.options.replaceChildren(...Object.entries(choices).filter(([, values]) => values.length > 1).map(([name, values]) =>
      el("label", {}, word("option", name),
        el("select", { disabled: simulated, onchange: (event) => { draft.options[name] = event.target.value; } },
          ...values.map((value) => el("option", { value, selected: value === draft.options[name] }, seatWord(value) ?? word(`option.${name}`, value)))))));
    if (simulated && parts.options.children.length) parts.options.append(el("p", { class: "soft wide" }, t("start.sim-options")));
  }

  function seatWord(value) {
    const found = /^P(\d+)$/.exec(value);
    return found ? draft.names[Number(found[1]) - 1] || value : null;
  }

  function drawEye() {
    const kinds = { own: t("start.camera-own"), real: t("start.camera-real"), simulated: t("start.camera-sim") };
    const names = draft.cameras.filter((camera) => camera.kind !== "simulated" || camera.name === `sim:${draft.game.name}`);
    if (!names.some((camera) => camera.name === draft.camera) && draft.camera) draft.camera = draft.camera.startsWith("sim:") ? `sim:${draft.game.name}` : names[0].name;
    const label = (camera) => (camera.kind === "simulated" ? kinds.simulated : `${camera.name} (${kinds[camera.kind]})`);
    parts.eye.replaceChildren(
      el("label", {}, t("start.camera"), el("select", { id: "camera", onchange: (event) => {
        draft.camera = event.target.value;
        drawOptions();
        drawTable();
      } },
      ...names.map((camera) => el("option", { value: camera.name, selected: camera.name === draft.camera }, label(camera))),
      el("option", { value: "", selected: draft.camera === "" }, t("start.camera-none")))),
      deckChoice(),
      el("label", { class: "switch" }, el("input", { type: "checkbox", checked: draft.record, onchange: (event) => { draft.record = event.target.checked; } }), el("span", {}, t("start.record"))));
  }

  /** Krupier's own deck, or a finished taught deck of this game. */
  function deckChoice() {
    const decks = draft.decks.filter((deck) => deck.game === draft.game.name);
    const wanted = storage.get(`deck-${draft.game.name}`, "");
    draft.deck = decks.some((deck) => deck.ready && deck.name === wanted) ? wanted : "";
    return el("label", {}, t("start.deck"), el("select", { id: "deck", onchange: (event) => {
      draft.deck = event.target.value;
      storage.set(`deck-${draft.game.name}`, draft.deck);
    } },
    el("option", { value: "" }, t("start.deck-own")),
    ...decks.map((deck) => el("option", { value: deck.name, disabled: !deck.ready, selected: deck.name === draft.deck }, deck.ready ? deck.name : `${deck.name} (${t("teach.unfinished")})`))));
  }

  async function drawTable() {
    const query = new URLSearchParams({ game: draft.game.name, players: String(draft.names.length), camera: draft.camera });
    const asked = `${query}`;
    if (asked === draft.asked) return table.draw(draft.seating, draft.names);
    const seating = await attempt(() => request(`/api/calibration/seating?${query}`), trouble);
    if (!seating || !open) return;
    draft.asked = asked;
    draft.seating = seating;
    table.draw(seating, draft.names);
  }

  async function begin() {
    const body = { game: draft.game.name, names: draft.names.map((name, seat) => name || t("start.seat", { n: seat + 1 })), camera: draft.camera, record: draft.record, deck: draft.deck || null };
    const simulated = draft.camera.startsWith("sim:");
    if (simulated) body.camera = `sim:${draft.game.name}?players=${draft.names.length}&seed=${1 + Math.floor(Math.random() * 9999)}`;
    else body.options = draft.options;
    if (pairing.me.role !== "host") return pairing.pair("", begin);
    const made = await attempt(() => request("/api/game", body), trouble, parts.go);
    if (made) location.assign("/");
  }

  function drawNotice() {
    const game = state.now?.game;
    const rows = [];
    if (game) {
      rows.push(el("section", { class: "notice" }, setupIcon("play"), el("div", {}, el("h2", {}, t("start.on", { game: localized(game.title) })), el("p", { class: "soft" }, game.names.join(", "))),
        el("a", { class: "button chief", href: "/" }, t("start.look")), button("remove", t("start.end"), endGame)));
    } else if (draft.cut) {
      const { cut } = draft;
      const title = draft.games.find((one) => one.name === cut.game);
      rows.push(el("section", { class: "notice" }, setupIcon("resume"),
        el("div", {}, el("h2", {}, t("start.cut", { game: title ? localized(title.title) : cut.game })), el("p", { class: "soft" }, [cut.names.join(", "), formatDate(cut.began, language()), cut.length_s ? formatTime(cut.length_s) : ""].filter(Boolean).join(" · "))),
        button("resume", t("start.resume"), () => resume(cut.name), { class: "chief" })));
    }
    parts.go.disabled = Boolean(game);
    parts.notice.replaceChildren(...rows);
  }

  async function resume(session) {
    if (pairing.me.role !== "host") return pairing.pair("", () => resume(session));
    if (await attempt(() => request("/api/game/resume", { session }))) location.assign("/");
  }

  function endGame() {
    if (pairing.me.role !== "host") return pairing.pair("", endGame);
    const box = dialog(t("start.end"), el("p", {}, t("start.end-sure")), el("div", { class: "row" },
      button("remove", t("start.end"), async () => {
        box.close();
        await attempt(() => request("/api/game/end", {}));
      }, { class: "danger" }), button(null, t("setup.no"), () => box.close())));
  }
}

function word(kind, name) {
  const key = `${kind}.${name}`;
  const words = t(key);
  return words === key ? name : words;
}

function remembered() {
  try {
    const names = JSON.parse(storage.get("names", "[]"));
    return Array.isArray(names) && names.length ? names.map((name) => String(name).slice(0, 40)) : NAMES.slice(0, 3);
  } catch {
    return NAMES.slice(0, 3);
  }
}
