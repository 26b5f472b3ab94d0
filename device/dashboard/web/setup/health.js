/* Health: live numbers, and the doctor with what to do. */

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { request } from "../requests.js";
import { setupIcon } from "./icons.js";
import { attempt, button, formatNumber, formatTime, hostOnly, poll } from "./widgets.js";

export function open(root, { pairing, watch }) {
  const shown = { open: true, stop: () => {} };
  const tiles = el("div", { class: "tiles" });
  const notes = el("div", {});
  const trouble = el("p", { class: "trouble", role: "alert" });
  const go = button("health", t("health.examine"), examine, { class: "chief" });
  const found = el("div", { class: "stack" });
  const doctor = el("section", { class: "panel stack" }, el("div", { class: "row spread" }, el("div", {}, el("h2", {}, t("health.doctor")), el("p", { class: "soft" }, t("health.doctor-more"))), go), trouble, found);
  root.append(el("section", { class: "stack" }, el("h2", { class: "heard" }, t("health.now")), tiles), notes, pairing.me.role === "host" ? doctor : hostOnly(pairing));
  watch(draw);
  if (pairing.me.role === "host") follow();
  root.dataset.ready = "true";
  return {
    close: () => {
      shown.open = false;
      shown.stop();
    },
  };

  function draw(now) {
    const { health = {}, camera, game } = now;
    const number = (value, digits = 0) => (value === null || value === undefined ? "–" : formatNumber(value, digits));
    const lag = health.p90_s;
    const warm = health.temperature_c;
    tiles.replaceChildren(
      tile("camera", t("health.camera"), camera ? t(`health.camera-${camera.health}`) : t("health.camera-none"), camera?.message || camera?.name || "", camera && camera.health !== "running" ? "odd" : ""),
      tile("step", t("health.fps"), number(health.fps, 1), game ? t("health.frames", { frames: health.frames ?? 0, dropped: health.dropped ?? 0 }) : t("setup.idle")),
      tile("next", t("health.lag"), lag === null || lag === undefined ? "–" : `${number(lag, 2)} s`, health.p50_s ? t("health.lag-half", { s: number(health.p50_s, 2) }) : t("health.lag-more"), lag > 2 ? "odd" : ""),
      tile("colour", t("health.warm"), warm === null || warm === undefined ? "–" : `${number(warm)} °C`, throttled(health.throttled), warm >= 80 || health.throttled?.length ? "bad" : warm >= 70 ? "odd" : ""),
      tile("save", t("health.disk"), `${number(health.disk_free_gb, 1)} GB`, t("health.disk-more"), health.disk_free_gb < 2 ? "bad" : ""),
      tile("recordings", t("health.recording"), health.recording ? t("setup.yes") : "–", typeof health.recording === "string" ? health.recording : ""),
      tile("calibrate", t("health.drift"), health.drift_px === null || health.drift_px === undefined ? "–" : `${number(health.drift_px, 1)} px`, t("health.drift-more"), health.drift_px > 12 ? "bad" : health.drift_px > 5 ? "odd" : ""),
      tile("seats", t("health.clients"), String(health.clients ?? 0), t("health.clients-more")));
    const rows = Object.values(now.notes ?? {}).reverse();
    notes.replaceChildren(...(rows.length ? [el("section", { class: "panel stack" }, el("h2", {}, t("health.notes")), el("ul", { class: "notes" }, ...rows.map((one) => el("li", {}, el("span", { class: "soft" }, formatTime(one.at_s)), " ", one.what))))] : []));
  }

  function throttled(value) {
    return Array.isArray(value) && value.length ? value.join(", ") : t("health.warm-more");
  }

  function tile(icon, title, value, more, state = "") {
    return el("div", { class: `tile ${state}` }, el("h3", {}, setupIcon(icon), el("span", {}, title)), el("p", { class: "big" }, value), el("p", { class: "soft" }, more));
  }

  async function examine() {
    if (await attempt(() => request("/api/health/doctor", {}), trouble)) follow();
  }

  function follow() {
    shown.stop();
    shown.stop = poll(600, async () => {
      const job = await attempt(() => request("/api/health/doctor"), trouble);
      if (!job || !shown.open || job.stage === "none") return shown.stop();
      go.disabled = job.stage === "running";
      if (job.stage === "running") found.replaceChildren(el("progress", { max: 1, value: job.share, "aria-label": t("health.examining") }));
      else if (job.stage === "failed") found.replaceChildren(el("p", { class: "trouble" }, job.error));
      else drawFindings(job.result);
      if (job.stage !== "running") shown.stop();
      return undefined;
    });
  }

  function drawFindings(result) {
    const order = { bad: 0, odd: 1, unknown: 2, well: 3 };
    const rows = [...result.findings].sort((one, other) => order[one.state] - order[other.state]);
    found.replaceChildren(
      el("p", { class: `verdict ${result.well ? "well" : "bad"}`, role: "status" }, setupIcon(result.well ? "well" : "bad"), el("span", {}, result.well ? t("health.all-well") : t("health.not-well"))),
      el("ul", { class: "findings" }, ...rows.map((one) => el("li", { class: one.state }, el("span", { class: "state", title: t(`health.state-${one.state}`) }, setupIcon(one.state), el("span", { class: "heard" }, t(`health.state-${one.state}`))),
        el("div", {}, el("h3", {}, named(one.what)), el("p", { lang: "en" }, one.says), one.mend ? el("p", { class: "mend", lang: "en" }, `→ ${one.mend}`) : "")))));
  }

  function named(what) {
    const words = t(`health.what-${what}`);
    return words === `health.what-${what}` ? what : words;
  }
}
