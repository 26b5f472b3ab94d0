/* History: who won, when was played, how many points; files to take away. */

import { ask } from "../act.js";
import { el } from "../dom.js";
import { language, t } from "../say.js";
import { columns, rows } from "./bars.js";
import { glyph } from "./glyphs.js";
import { clock, day, gameTitles, trying } from "./parts.js";

export function open(root) {
  const shown = { game: "", titles: {}, games: [], open: true };
  const trouble = el("p", { class: "trouble", role: "alert" });
  const head = el("div", { class: "row spread history-head" });
  const charts = el("div", { class: "charts" });
  const list = el("section", { class: "panel stack" });
  root.append(head, trouble, charts, list);
  load();
  return { close: () => (shown.open = false) };

  async function load() {
    const query = shown.game ? `?game=${encodeURIComponent(shown.game)}` : "";
    const found = await trying(() => Promise.all([ask(`/api/history${query}`), shown.games.length ? shown.games : ask("/api/games")]), trouble);
    if (!found || !shown.open) return;
    shown.games = found[1];
    shown.titles = gameTitles(shown.games, language());
    drawHead(found[0], query);
    drawCharts(found[0]);
    drawList(found[0]);
    root.dataset.ready = "true";
  }

  function drawHead(found, query) {
    const choices = [["", t("hist.all")], ...shown.games.map((game) => [game.name, shown.titles[game.name]])];
    head.replaceChildren(
      el("div", { class: "choices", role: "group", "aria-label": t("start.game") }, ...choices.map(([name, words]) => el("button", { type: "button", "aria-pressed": String(name === shown.game), onclick: () => {
        shown.game = name;
        load();
      } }, words))),
      el("div", { class: "row" }, ...["csv", "json"].map((kind) => el("a", { class: "button", href: `/api/history/games.${kind}${query}`, download: "" }, glyph("save"), el("span", {}, kind.toUpperCase())))));
  }

  function drawCharts(found) {
    const step = { day: { day: "numeric", month: "short" }, week: { day: "numeric", month: "short" }, month: { month: "short", year: "2-digit" } }[found.over_time.step];
    const when = (text) => new Date(`${text}T12:00:00`).toLocaleDateString(language(), step);
    charts.replaceChildren(
      el("h2", { class: "heard" }, t("hist.charts")),
      rows(t("hist.wins"), found.wins.map((row) => ({ name: row.name, all: row.played, part: row.won, words: t("hist.won-of", { won: row.won, played: row.played }) }))),
      columns(t(`hist.by-${found.over_time.step}`), found.over_time.bars.map((bar) => ({ name: when(bar.from), value: bar.games }))),
      ...found.points.map((one) => columns(t("hist.points", { game: shown.titles[one.game] ?? one.game }), one.bars.map((bar) => ({ name: bar.from === bar.to ? String(bar.from) : `${bar.from}–${bar.to}`, value: bar.players })))));
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
      el("td", { role: "cell" }, day(game.began, language())),
      el("td", { role: "cell" }, shown.titles[game.game] ?? game.game),
      el("td", { role: "cell" }, clock(game.length_s)),
      el("td", { role: "cell" }, ...ranked.flatMap((player, number) => [number ? ", " : "", el(player.won ? "b" : "span", {}, `${player.won ? "★ " : ""}${player.name} ${player.points}`)])),
      el("td", { role: "cell" }, game.recording ? el("a", { href: `#recordings/${encodeURIComponent(game.recording)}` }, game.recording) : ""));
  }
}
