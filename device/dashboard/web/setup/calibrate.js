/* The calibration wizard: camera, lens, table, colours, seats; the rig is written at the end. */

import { dialog, toast } from "../dialogs.js";
import { el } from "../dom.js";
import { language, localized, t } from "../i18n.js";
import { request } from "../requests.js";
import { CalibrationView } from "./calibration-view.js";
import { Corners } from "./corners.js";
import { setupIcon } from "./icons.js";
import { lensPanel } from "./lens-panel.js";
import { attempt, button, formatNumber, hostOnly, poll } from "./widgets.js";

const STEPS = ["camera", "lens", "table", "colour", "seats", "save"];
const AT = "/api/calibration";

export function open(root, { pairing, rest }) {
  if (pairing.me.role !== "host") {
    root.append(hostOnly(pairing));
    root.dataset.ready = "true";
    return { close: () => {} };
  }
  const shown = { step: STEPS.includes(rest[0]) ? rest[0] : "camera", found: null, games: [], cameras: [], by: "markers", size: [700, 500], drawn: "", open: true };
  const trouble = el("p", { class: "trouble", role: "alert" });
  const steps = el("ol", { class: "steps" });
  const body = el("div", { class: "stack step-body" });
  const cameraView = new CalibrationView(`${AT}/picture.jpg`, `${AT}/straight.jpg`);
  const corners = new Corners(cameraView.overlay);
  const wizard = el("div", { class: "two wizard" },
    el("section", { class: "panel stack" }, steps, body, trouble),
    el("section", { class: "panel stack picture-side" }, cameraView.element));
  root.append(wizard);
  let stop = () => {};
  load();
  return {
    close: (leaving = false) => {
      shown.open = false;
      stop();
      cameraView.close();
      // Close the camera on leaving, so that a game can use it.
      if (shown.found?.camera) fetch(`${AT}/camera`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"camera":null}', keepalive: leaving });
    },
    turn: (more) => {
      go(STEPS.includes(more[0]) ? more[0] : "camera");
      return true;
    },
  };

  async function load() {
    const found = await attempt(() => Promise.all([request(AT), request("/api/games"), request(`${AT}/cameras`)]), trouble);
    if (!found || !shown.open) return;
    shown.games = found[1];
    shown.cameras = found[2].cameras;
    take(found[0]);
    stop = poll(600, async () => {
      if (!shown.found.camera && !shown.found.waving && !shown.found.solving) return;
      const now = await attempt(() => request(AT), trouble);
      if (now && shown.open) take(now);
    });
    root.dataset.ready = "true";
  }

  function take(found) {
    shown.found = found;
    cameraView.look(found, shown.step);
    wizard.classList.toggle("looking", Boolean(found.camera));
    if (shown.step === "table" && shown.by === "corners" && found.size_px) corners.show(found.size_px);
    else corners.hide();
    drawSteps();
    // Draw only after a change, so that fields in use are not replaced.
    const look = JSON.stringify([shown.step, shown.by, language(), found.camera, found.message, found.waving, found.solving, found.lens, found.lens_error, found.rig, found.table, found.colour, found.light, found.changed, found.saved, found.frame >= 0]);
    if (look !== shown.drawn) {
      shown.drawn = look;
      body.replaceChildren(...partOf(shown.step).flat().filter(Boolean));
    }
    body.dispatchEvent(new CustomEvent("found", { detail: found }));
  }

  function go(step) {
    shown.step = step;
    trouble.textContent = "";
    if (shown.found) take(shown.found);
  }

  function drawSteps() {
    const rig = Object.fromEntries(shown.found.rig.map((row) => [row.what, row.well]));
    const done = { camera: Boolean(shown.found.camera), save: shown.found.saved, ...rig };
    const look = JSON.stringify([done, shown.step, language()]);
    if (look === steps.dataset.drawn) return;
    steps.dataset.drawn = look;
    steps.replaceChildren(...STEPS.map((step, number) => el("li", { class: done[step] ? "done" : null },
      el("a", { href: `#calibrate/${step}`, "aria-current": step === shown.step ? "step" : null },
        el("span", { class: "number", "aria-hidden": "true" }, done[step] ? setupIcon("well") : String(number + 1)),
        el("span", {}, t(`cal.${step}`)), done[step] ? el("span", { class: "heard" }, t("cal.done")) : null))));
  }

  function title(step) {
    return [el("h2", {}, t(`cal.${step}-title`)), el("p", { class: "soft" }, t(`cal.${step}-more`))];
  }

  function next(step, words = t("cal.next")) {
    return el("a", { class: "button chief", href: `#calibrate/${step}` }, el("span", {}, words), setupIcon("next"));
  }

  async function post(path, payload, busy = null) {
    const found = await attempt(() => request(`${AT}${path}`, payload), trouble, busy);
    if (found && shown.open) take(found);
    return found;
  }

  function partOf(step) {
    return { camera, lens, table, colour, seats, save }[step]();
  }

  function camera() {
    const { found } = shown;
    const real = shown.cameras.filter((camera) => camera.kind !== "simulated");
    const select = el("select", { id: "calibrate-camera" }, ...[...real, ...shown.cameras.filter((camera) => camera.kind === "simulated")].map((camera) =>
      el("option", { value: camera.name, selected: camera.name === found.camera }, camera.kind === "simulated" ? `${camera.name} (${t("start.camera-sim")})` : camera.name)));
    const file = el("input", { type: "file", id: "calibrate-film", accept: "video/mp4,video/webm,video/quicktime,video/x-matroska,image/jpeg,image/png", onchange: () => upload(file) });
    return [
      ...title("camera"),
      el("label", {}, t("cal.which"), select),
      el("div", { class: "row" }, button("camera", t("cal.open"), (event) => post("/camera", { camera: select.value }, event.currentTarget), { class: found.camera ? "" : "chief" }),
        found.camera ? button("remove", t("cal.close"), () => post("/camera", { camera: null })) : null),
      el("label", { class: "file" }, t("cal.film"), file, el("span", { class: "soft small" }, t("cal.film-more"))),
      el("progress", { max: 1, value: 0, hidden: true, "aria-label": t("cal.uploading") }),
      found.camera ? el("p", { class: "verdict well" }, setupIcon("well"), el("span", {}, found.camera === "upload" ? t("cal.film-open") : t("cal.is-open", { camera: found.camera }))) : null,
      found.message ? el("p", { class: "soft", lang: "en" }, found.message) : null,
      state(),
      found.camera ? next("lens") : null,
    ];
  }

  function lens() {
    const { found } = shown;
    const well = found.rig.find((row) => row.what === "lens");
    return [
      ...title("lens"),
      found.waving || found.solving ? lensPanel(body, found, () => post("/lens/finish", {}), () => post("/lens/cancel", {})) : [
        found.lens ? verdict(found.lens) : found.lens_error ? el("p", { class: "trouble", lang: "en" }, found.lens_error) : known(well),
        el("div", { class: "row" }, needsCamera() ?? button("lens", found.lens || well.well ? t("cal.wave-again") : t("cal.wave"), (event) => post("/lens", {}, event.currentTarget), { class: found.lens?.trusted ? "" : "chief" }),
          next("table", found.lens?.trusted || well.well ? t("cal.next") : t("cal.skip"))),
      ],
    ].flat();
  }

  function table() {
    const { found } = shown;
    const sizes = ["wide", "deep"].map((name, number) => el("input", { type: "number", min: 100, max: 10000, step: 1, value: shown.size[number], id: `table-${name}`, oninput: (event) => { shown.size[number] = Number(event.target.value); } }));
    const ways = ["markers", "mat", "corners"].map((by) => el("button", { type: "button", "aria-pressed": String(by === shown.by), onclick: () => {
      shown.by = by;
      take(shown.found);
    } }, t(`cal.by-${by}`)));
    return [
      ...title("table"),
      el("div", { class: "choices", role: "group", "aria-label": t("cal.table-by") }, ...ways),
      el("p", { class: "soft" }, t(`cal.by-${shown.by}-more`)),
      shown.by === "markers" ? null : el("div", { class: "row sizes" }, el("label", {}, t("cal.wide"), sizes[0]), el("label", {}, t("cal.deep"), sizes[1])),
      shown.by === "corners" && found.size_px ? corners.fields : null,
      el("div", { class: "row" }, needsCamera() ?? button("table", t("cal.find-table"), findTable, { class: found.table ? "" : "chief" }), found.table ? next("colour") : null),
      found.table ? el("p", { class: "verdict well", role: "status" }, setupIcon("well"), el("span", {}, t("cal.table-found", { wide: Math.round(found.table.size_mm[0]), deep: Math.round(found.table.size_mm[1]), off: formatNumber(found.table.error_mm, 1) }), " ", el("span", { class: "soft" }, t(`cal.table-${grade(found.table.error_mm, 1, 3)}`)))) : null,
    ];
  }

  function colour() {
    const { found } = shown;
    return [
      ...title("colour"),
      ...found.light.map((words) => el("p", { class: "verdict odd", lang: "en" }, setupIcon("odd"), el("span", {}, words))),
      found.colour ? el("p", { class: "verdict well", role: "status" }, setupIcon("well"), el("span", {}, t("cal.colour-found", { kelvin: found.colour.kelvin, off: formatNumber(found.colour.error, 1) }), " ", el("span", { class: "soft" }, t(`cal.colour-${grade(found.colour.error, 5, 10)}`)))) : null,
      el("div", { class: "row" }, needsCamera() ?? button("colour", t("cal.find-colour"), (event) => post("/colour", {}, event.currentTarget), { class: found.colour ? "" : "chief" }), next("seats", found.colour ? t("cal.next") : t("cal.skip"))),
    ];
  }

  function seats() {
    const { found } = shown;
    const game = shown.games.find((one) => one.name === shown.game) ?? shown.games[0];
    const players = Math.min(game.seats.max, Math.max(game.seats.min, shown.players ?? 4));
    const change = (name, value) => {
      shown[name] = value;
      shown.drawn = "";
      take(shown.found);
    };
    return [
      ...title("seats"),
      el("label", {}, t("start.game"), el("select", { id: "seats-game", onchange: (event) => change("game", event.target.value) }, ...shown.games.map((one) => el("option", { value: one.name, selected: one === game }, localized(one.title))))),
      el("label", {}, t("cal.players"), el("select", { id: "seats-players", onchange: (event) => change("players", Number(event.target.value)) }, ...range(game.seats.min, game.seats.max).map((n) => el("option", { value: n, selected: n === players }, String(n))))),
      el("div", { class: "choices", role: "group", "aria-label": t("cal.layout") }, ...["sides", "round"].map((layout) => el("button", { type: "button", "aria-pressed": String(layout === (shown.layout ?? "sides")), onclick: () => change("layout", layout) }, t(`cal.layout-${layout}`)))),
      el("div", { class: "row" }, found.table ? button("seats", t("cal.lay"), (event) => post("/seats", { game: game.name, players, layout: shown.layout ?? "sides" }, event.currentTarget), { class: found.table.zones.length ? "" : "chief" }) : el("p", { class: "soft" }, t("cal.needs-table")), found.table?.zones.length ? next("save") : null),
    ];
  }

  function save() {
    const { found } = shown;
    return [
      ...title("save"),
      state(),
      found.saved ? el("p", { class: "verdict well", role: "status" }, setupIcon("well"), el("span", {}, t("cal.saved", { file: found.file }))) : null,
      el("div", { class: "row" }, button("well", t("cal.store"), async (event) => {
        if (await post("/save", {}, event.currentTarget)) toast(t("cal.is-saved"));
      }, { class: "chief", disabled: !found.table || (!found.changed && found.saved) }), button("remove", t("cal.discard"), discard)),
      found.saved ? el("a", { class: "button chief", href: "#start" }, t("setup.start")) : null,
    ];
  }

  function state() {
    return el("ul", { class: "findings" }, ...shown.found.rig.map((row) => el("li", { class: row.well ? "well" : "unknown" }, el("span", { class: "state" }, setupIcon(row.well ? "well" : "unknown")), el("div", {}, el("h3", {}, t(`cal.${row.what}`)), el("p", { class: "soft", lang: row.well ? "en" : null }, row.well ? row.says : t("cal.not-yet"))))));
  }

  function known(row) {
    return row.well ? el("p", { class: "verdict well" }, setupIcon("well"), el("span", {}, t("cal.lens-known"), " ", el("span", { class: "soft", lang: "en" }, row.says))) : null;
  }

  function verdict(lens) {
    const words = lens.trusted ? t(`cal.lens-${grade(lens.rms_px, 0.3, 0.6)}`) : t("cal.lens-bad");
    return el("div", { class: "stack", role: "status" },
      el("p", { class: `verdict ${lens.trusted ? "well" : "bad"}` }, setupIcon(lens.trusted ? "well" : "bad"), el("span", {}, el("b", {}, words), " ", t("cal.lens-error", { px: formatNumber(lens.rms_px, 2), views: lens.views, share: Math.round(100 * lens.cover_share), deg: Math.round(lens.width_deg) }))),
      lens.advice.length ? el("details", { open: !lens.trusted }, el("summary", {}, t("cal.advice", { n: lens.advice.length })), el("ul", { lang: "en" }, ...lens.advice.map((line) => el("li", {}, line)))) : "");
  }

  function needsCamera() {
    return shown.found.camera ? null : el("p", { class: "soft" }, t("cal.needs-camera"), " ", el("a", { href: "#calibrate/camera" }, t("cal.camera")));
  }

  function findTable(event) {
    const payload = { by: shown.by };
    if (shown.by !== "markers") payload.size_mm = shown.size;
    if (shown.by === "corners") payload.corners_px = corners.points;
    return post("/table", payload, event.currentTarget);
  }

  function discard() {
    const box = dialog(t("cal.discard"), el("p", {}, t("cal.discard-sure")), el("div", { class: "row" },
      button("remove", t("cal.discard"), async () => {
        box.close();
        await post("/discard", { fresh: false });
      }, { class: "danger" }), button(null, t("setup.no"), () => box.close())));
  }

  /** Upload a film, with a progress bar. */
  function upload(input) {
    const [file] = input.files;
    if (!file) return;
    const bar = body.querySelector("progress");
    const request = new XMLHttpRequest();
    request.open("POST", `${AT}/film`);
    request.setRequestHeader("Content-Type", file.type || (file.name.endsWith(".mkv") ? "video/x-matroska" : "application/octet-stream"));
    request.upload.onprogress = (event) => {
      bar.hidden = false;
      if (event.lengthComputable) bar.value = event.loaded / event.total;
    };
    request.onloadend = () => {
      bar.hidden = true;
      let answer = null;
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        trouble.textContent = t("wire-lost");
        return;
      }
      if (request.status < 300) take(answer);
      else trouble.textContent = answer.error?.what ?? t("failed");
    };
    request.send(file);
  }
}

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, number) => from + number);
const grade = (value, good, fair) => (value <= good ? "good" : value <= fair ? "fair" : "poor");
