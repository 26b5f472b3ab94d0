/* History: wins, games over time, points, and exports. */

import { el } from "../dom.js";
import { language, t } from "../i18n.js";
import { request } from "../requests.js";
import { horizontalBars, verticalBars } from "./charts.js";
import { setupIcon } from "./icons.js";
import { attempt, formatDate, formatTime, gameTitles } from "./widgets.js";

export function open(root) {
  const shown = { game: "", titles: {}, games: [], open: true };
  const trouble = el("p", { class: "trouble", role: "alert" });
  const head = el("div", { class: "row spread history-head" });
  const charts = el("div", { class: "charts" });
  const list = el("section", { class: "panel stack" });
  root.append(head, trouble, charts, list);
  load();
  return { close: () => { shown.open = false; } };

  async function load() {
    const query = shown.game ? `?game=${encodeURIComponent(shown.game)}` : "";
    const found = await attempt(() => Promise.all([request(`/api/history${query}`), shown.games.length ? shown.games : request("/api/games")]), trouble);
    if (!found || !shown.open) return;
    shown.games = found[1];
    shown.titles = gameTitles(shown.games, language());
    drawHead(query);
    drawCharts(found[0]);
    drawList(found[0]);
    root.dataset.ready = "true";
  }

  function drawHead(query) {
    const choices = [["", t("hist.all")], ...shown.games.map((game) => [game.name, shown.titles[game.name]])];
    head.replaceChildren(
      el("div", { class: "choices", role: "group", "aria-label": t("start.game") }, ...choices.map(([name, words]) => el("button", { type: "button", "aria-pressed": String(name === shown.game), onclick: () => {
        shown.game = name;
        load();
      } }, words))),
      el("div", { class: "row" }, ...["csv", "json"].map((kind) => el("a", { class: "button", href: `/api/history/games.${kind}${query}`, download: "" }, setupIcon("save"), el("span", {}, kind.toUpperCase())))));
  }

  function drawCharts(found) {
    const step = { day: { day: "numeric", month: "short" }, week: { day: "numeric", month: "short" }, month: { month: "short", year: "2-digit" } }[found.over_time.step];
    const when = (text) => new Date(`${text}T12:00:00`).toLocaleDateString(language(), step);
    charts.replaceChildren(
      el("h2", { class: "heard" }, t("hist.charts")),
      horizontalBars(t("hist.wins"), found.wins.map((row) => ({ name: row.name, all: row.played, part: row.won, words: t("hist.won-of", { won: row.won, played: row.played }) }))),
      verticalBars(t(`hist.by-${found.over_time.step}`), found.over_time.bars.map((bar) => ({ name: when(bar.from), value: bar.games }))),
      ...found.points.map((one) => verticalBars(t("hist.points", { game: shown.titles[one.game] ?? one.game }), one.bars.map((bar) => ({ name: bar.from === bar.to ? String(bar.from) : `${bar.from}–${bar.to}`, value: bar.players })))));
  }

  function drawList(found) {
    list.replaceChildren(el("h2", {}, t("hist.games", { n: found.count })),
      found.games.length ? el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("hist.list") }, el("table", { class: "list", role: "table" },
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...["when", "game", "length", "players", "recording"].map((name) => el("th", { scope: "col", role: "columnheader" }, t(`hist.${name}`))))),
        el("tbody", { role: "rowgroup" }, ...found.games.map(row)))) : el("p", { class: "soft" }, t("hist.none")));
  }

  function row(game) {
    const ranked = [...game.players].sort((one, other) => one.place - other.place);
    return el("tr", { role: "row" },
      el("td", { role: "cell" }, formatDate(game.began, language())),
      el("td", { role: "cell" }, shown.titles[game.game] ?? game.game),
      el("td", { role: "cell" }, formatTime(game.length_s)),
      el("td", { role: "cell" }, ...ranked.flatMap((player, number) => [number ? ", " : "", el(player.won ? "b" : "span", {}, `${player.won ? "★ " : ""}${player.name} ${player.points}`)])),
      el("td", { role: "cell" }, game.recording ? el("a", { href: `#recordings/${encodeURIComponent(game.recording)}` }, game.recording) : ""));
  }
}
