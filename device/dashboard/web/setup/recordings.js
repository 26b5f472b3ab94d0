/* Recordings: the list, and one recording with its player, comparison and export. */

import { dialog, toast } from "../dialogs.js";
import { el, setText } from "../dom.js";
import { language, t } from "../i18n.js";
import { request } from "../requests.js";
import { setupIcon } from "./icons.js";
import { RecordingPlayer } from "./recording-player.js";
import { attempt, button, formatBytes, formatDate, formatTime, gameTitles, hostOnly, poll } from "./widgets.js";

export function open(root, { pairing, rest }) {
  const shown = { name: rest[0] ?? "", list: [], titles: {}, player: null, stop: () => {}, open: true };
  const list = el("ul", { class: "reels" });
  const room = el("p", { class: "soft room" });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const one = el("section", { class: "panel stack reel-side", "aria-live": "off" });
  const bring = el("label", { class: "button small bring" }, setupIcon("film"), el("span", {}, t("rec.import")), el("input", { type: "file", class: "heard", accept: ".krupier", onchange: (event) => upload(event.target) }));
  root.append(el("div", { class: "two list-first" }, el("section", { class: "panel stack" }, el("h2", {}, t("setup.recordings")), room, trouble, list, pairing.me.role === "host" ? bring : ""), one));
  load(true);
  return {
    close: () => {
      shown.open = false;
      shown.stop();
      shown.player?.close();
    },
    turn: (more) => {
      choose(more[0] ?? "");
      return true;
    },
  };

  async function load(first = false) {
    const found = await attempt(() => Promise.all([request("/api/recordings"), request("/api/games")]), trouble);
    if (!found || !shown.open) return;
    shown.list = found[0].recordings;
    shown.titles = gameTitles(found[1], language());
    const limit = found[0].limit_bytes ? t("rec.of", { size: formatBytes(found[0].limit_bytes) }) : "";
    room.textContent = `${t("rec.count", { n: shown.list.length })} · ${formatBytes(found[0].bytes)} ${limit}`;
    drawList();
    if (first) choose(shown.list.some((row) => row.name === shown.name) ? shown.name : (shown.list[0]?.name ?? ""));
    root.dataset.ready = "true";
  }

  function drawList() {
    if (!shown.list.length) {
      list.replaceChildren(el("li", { class: "empty soft" }, t("rec.none")));
      return;
    }
    list.replaceChildren(...shown.list.map((row) => el("li", {},
      el("a", { href: `#recordings/${encodeURIComponent(row.name)}`, "aria-current": row.name === shown.name ? "true" : null },
        el("span", { class: "reel-title" }, shown.titles[row.game] ?? row.game ?? t("rec.film"), row.pinned ? setupIcon("pin") : null),
        el("span", { class: "soft" }, row.names.join(", ")),
        el("span", { class: "soft small" }, [formatDate(row.began, language()), formatTime(row.length_s), formatBytes(row.bytes)].join(" · ")),
        row.state === "closed" && !row.pruned ? null : el("span", { class: `badge ${row.state}` }, row.pruned ? t("rec.pruned") : t(`rec.state-${row.state}`))))));
  }

  /** Import a bundle; its plain file name becomes the name of the recording. */
  async function upload(input) {
    const [file] = input.files;
    if (!file) return;
    const name = file.name.replace(/\.krupier$/, "").replace(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(0, 100) || "bundle";
    trouble.textContent = "";
    room.textContent = t("cal.uploading");
    const response = await fetch(`/api/recordings/import?name=${name}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (!response?.ok) trouble.textContent = answer?.error?.what ?? t("wire-lost");
    else shown.name = answer.name;
    input.value = "";
    await load(Boolean(response?.ok));
  }

  async function choose(name) {
    shown.name = name;
    shown.stop();
    shown.player?.close();
    shown.player = null;
    drawList();
    one.replaceChildren();
    if (!name) {
      one.append(el("p", { class: "soft" }, t("rec.choose")));
      return;
    }
    const found = await attempt(() => request(`/api/recordings/${encodeURIComponent(name)}`), trouble);
    if (!found || !shown.open || shown.name !== name) return;
    drawOne(found);
  }

  function drawOne(row) {
    const address = `/api/recordings/${encodeURIComponent(row.name)}`;
    const host = pairing.me.role === "host";
    const player = new RecordingPlayer(row, address);
    shown.player = player;
    const diff = el("div", { class: "stack diff" });
    const title = shown.titles[row.game] ?? row.game ?? t("rec.film");
    one.append(
      el("div", { class: "head" }, el("h2", {}, title), el("p", { class: "soft" }, `${row.names.join(", ")} · ${formatDate(row.began, language())} · ${row.name}`)),
      player.element,
      host ? el("div", { class: "row" },
        row.game ? button("compare", t("rec.compare"), () => compare(address, diff, false)) : null,
        row.game ? button(null, t("rec.compare-rules"), () => compare(address, diff, true), { class: "plain" }) : null,
        el("a", { class: "button", href: `${address}/bundle`, download: "" }, setupIcon("save"), el("span", {}, t("rec.export"))),
        button("pin", row.pinned ? t("rec.unpin") : t("rec.pin"), () => pin(row, address), { "aria-pressed": String(row.pinned) }),
        button("bin", t("rec.delete"), () => remove(row, address), { class: "danger" })) : hostOnly(pairing),
      diff,
      player.rulings);
    watchDiff(address, diff);
  }

  async function compare(address, place, onlyRules) {
    if (await attempt(() => request(`${address}/diff`, { only_rules: onlyRules }))) watchDiff(address, place);
  }

  function watchDiff(address, place) {
    shown.stop();
    shown.stop = poll(700, async () => {
      const job = await attempt(() => request(`${address}/diff`));
      if (!job || !shown.open) return shown.stop();
      if (job.stage === "none") return shown.stop();
      drawDiff(job, address, place);
      if (job.stage !== "running") shown.stop();
    });
  }

  function drawDiff(job, address, place) {
    if (job.stage === "running") {
      // Keep the button while the progress grows, so that a click on it counts.
      if (!place.querySelector("progress")) {
        place.replaceChildren(
          el("div", { class: "row spread" }, el("p", {}), button("remove", t("setup.cancel"), () => attempt(() => request(`${address}/diff/cancel`, {})), { class: "small" })),
          el("progress", { max: 1, "aria-label": t("rec.comparing") }));
      }
      setText(place.querySelector("p"), `${t("rec.comparing")} ${Math.round(100 * job.share)} %`);
      place.querySelector("progress").value = job.share;
      return;
    }
    if (job.stage !== "done") {
      place.replaceChildren(el("p", { class: job.stage === "failed" ? "trouble" : "soft", role: "status" }, job.stage === "failed" ? job.error : t("rec.cancelled")));
      return;
    }
    const { result } = job;
    const lines = t("rec.compared", { lines: result.lines, tables: result.tables });
    place.replaceChildren(
      el("p", { class: `verdict ${result.count ? "odd" : "well"}`, role: "status" }, setupIcon(result.count ? "odd" : "well"), el("span", {}, result.count ? t("rec.changes", { n: result.count }) : t("rec.same"), " ", el("span", { class: "soft" }, lines))),
      result.changes.length ? el("ol", { class: "changes" }, ...result.changes.map((change) => el("li", {},
        button(null, formatTime(change.at_s), () => shown.player?.seek(change.at_s), { class: "small plain" }),
        el("div", {}, el("p", { class: "was" }, el("span", { class: "heard" }, t("rec.was")), said(change.was)), el("p", { class: "now" }, el("span", { class: "heard" }, t("rec.now")), said(change.now)))))) : "");
  }

  function said(one) {
    if (!one) return t("rec.nothing");
    if (one.table !== undefined) return one.table;
    return [one.line, one.text, one.ruling ? t(`ruling.${one.ruling}`) : "", one.rule, one.refused].filter(Boolean).join(" · ");
  }

  async function pin(row, address) {
    if (!(await attempt(() => request(`${address}/pin`, { pinned: !row.pinned })))) return;
    toast(t(row.pinned ? "rec.unpinned" : "rec.is-pinned"));
    await load();
    choose(row.name);
  }

  function remove(row, address) {
    const box = dialog(t("rec.delete"), el("p", {}, t("rec.delete-sure", { name: row.name })), el("p", { class: "soft" }, t("rec.delete-more")), el("div", { class: "row" },
      button("bin", t("rec.delete-yes"), async () => {
        box.close();
        if ((await attempt(() => request(`${address}/delete`, {}))) === undefined) return;
        toast(t("rec.deleted"));
        shown.name = "";
        await load(true);
      }, { class: "danger" }), button(null, t("setup.no"), () => box.close())));
  }
}
