/* Settings: every setting with its meaning, its origin, and errors beside its field. */

import { toast } from "../dialogs.js";
import { el } from "../dom.js";
import { t } from "../i18n.js";
import { button, hostOnly, iconButton } from "./widgets.js";

const GROUPS = {
  table: ["lang", "rest_s", "rig", "learn_from_play"],
  camera: ["camera", "size", "fps", "exposure_us", "gain", "red_gain", "blue_gain", "focus_dioptres"],
  recordings: ["record", "recordings_limit_gb", "spare_gb", "recordings", "history", "data"],
  network: ["host", "port", "lan"],
};

export function open(root, { pairing }) {
  if (pairing.me.role !== "host") {
    root.append(hostOnly(pairing));
    root.dataset.ready = "true";
    return { close: () => {} };
  }
  const shown = { found: null, dirty: new Map(), fields: new Map(), open: true };
  const file = el("p", { class: "soft file" });
  const groups = el("div", { class: "settings" });
  const save = button("well", t("set.save"), store, { class: "chief", disabled: true });
  const bar = el("div", { class: "save-bar" }, el("p", { role: "status", class: "soft" }), button(null, t("set.undo"), () => draw(), { class: "plain" }), save);
  root.append(file, groups, bar);
  load();
  return { close: () => { shown.open = false; } };

  async function load() {
    const { answer } = await talk("/api/settings");
    if (!shown.open || !answer) return;
    shown.found = answer;
    draw();
    root.dataset.ready = "true";
  }

  function draw() {
    shown.dirty.clear();
    shown.fields.clear();
    file.textContent = t("set.file", { file: shown.found.file });
    const byName = new Map(shown.found.settings.map((one) => [one.name, one]));
    const grouped = new Set(Object.values(GROUPS).flat());
    const rest = [...byName.keys()].filter((name) => !grouped.has(name));
    groups.replaceChildren(...Object.entries({ ...GROUPS, more: rest }).map(([group, names]) =>
      el("section", { class: "panel stack" }, el("h2", {}, t(`set.group-${group}`)), ...names.filter((name) => byName.has(name)).map((name) => field(byName.get(name))))));
    changed();
  }

  function field(one) {
    const id = `set-${one.name}`;
    const trouble = el("p", { class: "field-trouble", id: `${id}-trouble`, role: "alert" });
    const words = t(`set.${one.name}`);
    const input = control(one, id);
    input.setAttribute("aria-describedby", `${id}-note ${id}-trouble`);
    if (one.fixed) input.disabled = true;
    const read = () => (one.kind === "switch" ? String(input.checked) : input.value);
    input.addEventListener(one.kind === "switch" || input.tagName === "SELECT" ? "change" : "input", () => {
      if (read() === one.value) shown.dirty.delete(one.name);
      else shown.dirty.set(one.name, read());
      fault(one.name, "");
      changed();
    });
    shown.fields.set(one.name, { input, trouble });
    const note = t(`set.${one.name}-note`);
    const origin = one.fixed ? t("set.fixed", { origin: one.origin }) : one.origin ? t("set.set") : t("set.default");
    return el("div", { class: `setting ${one.kind}` },
      el("label", { for: id }, words === `set.${one.name}` ? one.name : words, el("code", { class: "soft" }, one.name)),
      el("div", { class: "control" }, input, one.origin && !one.fixed ? iconButton("remove", t("set.reset", { name: words, value: one.default || "–" }), () => reset(one)) : null),
      el("p", { class: "soft note", id: `${id}-note` }, note === `set.${one.name}-note` ? one.note : note, " ", el("span", { class: "origin" }, origin)),
      trouble);
  }

  /** @returns {any} an input or a select */
  function control(one, id) {
    if (one.kind === "switch") return el("input", { type: "checkbox", id, checked: one.value === "true" });
    if (one.choices.length) return el("select", { id }, ...one.choices.map((value) => el("option", { value, selected: value === one.value }, value || t("set.own"))));
    const numeric = one.kind === "whole" || one.kind === "number";
    return el("input", { id, value: one.value, inputmode: numeric ? "decimal" : null, autocomplete: "off", spellcheck: "false" });
  }

  function fault(name, words) {
    const { input, trouble } = shown.fields.get(name) ?? {};
    if (!input) return;
    trouble.textContent = words;
    if (words) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  function changed() {
    const count = shown.dirty.size;
    save.disabled = !count;
    bar.classList.toggle("on", count > 0);
    bar.querySelector("p").textContent = count ? t("set.changed", { n: count }) : "";
  }

  async function store() {
    for (const name of shown.fields.keys()) fault(name, "");
    await put(Object.fromEntries(shown.dirty));
  }

  function reset(one) {
    return put({ [one.name]: null });
  }

  async function put(changes) {
    save.disabled = true;
    const { answer, error } = await talk("/api/settings", { changes });
    save.disabled = !shown.dirty.size;
    if (answer) {
      shown.found = answer;
      draw();
      toast(t("set.saved"));
      return;
    }
    const name = shown.fields.has(error.found) ? error.found : Object.keys(changes)[0];
    fault(name, error.what);
    shown.fields.get(name)?.input.focus();
  }
}

/** The answer, or the error: it is shown beside its field. */
async function talk(address, body) {
  const about = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
  const response = await fetch(address, about).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (response?.ok) return { answer };
  const error = answer?.error ?? { what: t("wire-lost"), found: null };
  if (!body) toast(error.what, true);
  return { error };
}
