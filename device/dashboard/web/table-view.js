/* The drawn table: felt, zones, name plates, cards and pieces; changes are animated. */

import { boardDrawing, cardDrawing, cardSize, markDrawings, pictureWidth, pieceDrawing } from "./deck.js";
import { describeCard, zoneTitle } from "./descriptions.js";
import { reducedMotion, setAttr, setText, svg } from "./dom.js";
import { t } from "./i18n.js";
import { readingConfidence, seatName } from "./state.js";

const RIM = 40;
/** Pictures of cards may be shown a quarter larger than they are: nobody sees that, and they load faster. */
const ENLARGED = 0.8;
const EASE = "cubic-bezier(.3,.9,.3,1)";

/** Draws `state.table` into an element; a tap on a card calls `chosen(card)`. */
export class TableView {
  #root;
  #layers = {};
  #cards = new Map();
  #pieces = new Map();
  #chosen;
  #drawn = {};
  #focus = null;
  #size = null;
  #picture_px = 0;
  quarter = 0;

  constructor(parent, chosen = null) {
    this.#chosen = chosen;
    this.#root = svg("svg", { class: "table", role: "group", preserveAspectRatio: "xMidYMid meet" });
    this.#root.append(
      svg("defs", {},
        svg("radialGradient", { id: "felt-light", cx: "50%", cy: "42%", r: "75%" },
          svg("stop", { offset: "0", class: "felt-in" }), svg("stop", { offset: "1", class: "felt-out" })),
        svg("linearGradient", { id: "rim-light", x1: "0", y1: "0", x2: "0", y2: "1" },
          svg("stop", { offset: "0", class: "rim-in" }), svg("stop", { offset: "1", class: "rim-out" }))),
    );
    for (const name of ["wood", "zones", "photo", "plates", "cards", "pieces"]) {
      this.#layers[name] = svg("g", { class: name });
      this.#root.append(this.#layers[name]);
    }
    parent.append(this.#root);
    // Names are measured in the display font, which may come after the first drawing.
    document.fonts.addEventListener("loadingdone", () => this.#fitPlates());
    if (chosen) this.#listen();
  }

  /**
   * Draw what has changed.
   * @param {import("./types.js").PageTableState} table
   * @param {import("./types.js").GameState | null} game
   */
  draw(table, game) {
    setAttr(this.#root, "aria-label", t("table"));
    const fresh = this.#drawn;
    const frame = [table.size_mm.join(), this.quarter].join("|");
    const seats = JSON.stringify([game?.todo.flatMap((one) => one.seats), game?.names, game?.guests]);
    if (fresh.frame !== frame) this.#drawWood(table);
    this.#sharpen();
    const moved = fresh.frame !== undefined && fresh.frame !== frame;
    const renamed = fresh.zones !== table.zones || fresh.seats !== seats || fresh.language !== document.documentElement.lang;
    if (fresh.frame !== frame || renamed) this.#drawZones(table, game);
    if (moved || renamed || fresh.cards !== table.cards) this.#drawCards(table, game, moved);
    if (moved || fresh.pieces !== table.pieces) this.#drawPieces(table.pieces);
    setAttr(this.#root, "data-motion", table.motion);
    this.#drawn = { frame, seats, zones: table.zones, cards: table.cards, pieces: table.pieces, language: document.documentElement.lang };
  }

  /** On a larger screen than before, cards are drawn again from larger pictures. */
  #sharpen() {
    const wanted_px = pictureWidth(ENLARGED * cardSize().width_mm * this.#pxPerMm());
    if (wanted_px <= this.#picture_px) return;
    this.#picture_px = wanted_px;
    for (const known of this.#cards.values()) {
      if (known.card) this.#drawFace(known.group, known.card);
    }
  }

  /** Pixels of the screen per millimetre of the table. */
  #pxPerMm() {
    const { width, height } = this.#root.getBoundingClientRect();
    const { width: width_mm, height: height_mm } = this.#root.viewBox.baseVal;
    return Math.min(width / width_mm, height / height_mm) * devicePixelRatio || devicePixelRatio;
  }

  /** Remove all cards and pieces, as when another deck is on the table. */
  forget() {
    for (const map of [this.#cards, this.#pieces]) {
      for (const { group } of map.values()) group.remove();
      map.clear();
    }
    this.#drawn = {};
  }

  /** Highlight the cards of a ruling. */
  point(codes, tone) {
    for (const { group, card } of this.#cards.values())
      setAttr(group, "data-tone", card.face_up && codes.includes(card.code) ? tone : null);
  }

  /** Show the rectified picture of the camera as the background; null removes it. */
  lay(address) {
    setAttr(this.#root, "data-photo", address ? "laid" : null);
    if (!address) this.#layers.photo.replaceChildren();
    else if (this.#layers.photo.firstChild) this.#layers.photo.firstChild.setAttribute("href", address);
    else this.#layers.photo.append(svg("image", { href: address, preserveAspectRatio: "none" }));
    this.#fitPhoto();
  }

  #fitPhoto() {
    const image = this.#layers.photo.firstChild;
    if (!image || !this.#size) return;
    const [width, height] = this.#size;
    for (const [name, value] of Object.entries({ x: -width / 2, y: -height / 2, width, height, transform: `rotate(${90 * this.quarter})` })) setAttr(image, name, value);
  }

  focus() {
    (this.#focus ?? this.#root.querySelector(".card"))?.focus();
  }

  #turned([x, y]) {
    return [[x, y], [-y, x], [-x, -y], [y, -x]][this.quarter];
  }

  #drawWood(table) {
    const [width, height] = this.quarter % 2 ? [...table.size_mm].reverse() : table.size_mm;
    const [w, h] = [width + 2 * RIM, height + 2 * RIM];
    this.#size = table.size_mm;
    this.#fitPhoto();
    this.#root.setAttribute("viewBox", `${-w / 2} ${-h / 2} ${w} ${h}`);
    this.#root.style.setProperty("--ratio", String(w / h));
    const box = (inset, rx, more) => svg("rect", { x: inset - w / 2, y: inset - h / 2, width: w - 2 * inset, height: h - 2 * inset, rx, ...more });
    this.#layers.wood.replaceChildren(
      box(1, 46, { fill: "url(#rim-light)", class: "rim" }),
      box(5, 42, { class: "rim-line" }),
      box(RIM - 6, 22, { fill: "url(#felt-light)", class: "cloth" }),
      box(RIM + 1, 16, { class: "stitch" }),
    );
  }

  #drawZones(table, game) {
    const busy = new Set(game?.todo.flatMap((one) => one.seats));
    const [width, height] = this.quarter % 2 ? [...table.size_mm].reverse() : table.size_mm;
    const zones = [];
    const plates = [];
    for (const zone of table.zones) {
      const points = zone.polygon_mm.map((point) => this.#turned(point));
      const xs = points.map(([x]) => x);
      const ys = points.map(([, y]) => y);
      /** @type {[number, number]} */
      const middle = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
      const seated = zone.seat !== null && zone.seat !== undefined;
      const active = seated && busy.has(zone.seat);
      zones.push(svg("path", { class: `zone${active ? " active" : ""}${seated ? "" : " shared"}`, d: rounded(points, 14, 5) }));
      const [x, y] = this.#turned([0, 0]);
      const board = boardDrawing(zone.name, this.#pxPerMm());
      if (board) zones.push(svg("g", { class: "printed", transform: `translate(${x + middle[0]} ${y + middle[1]}) rotate(${90 * this.quarter})` }, board));
      if (seated) plates.push(plate(zone, seatName(game, zone.seat), active, middle, points, [width, height], this.quarter));
      else if (!board) plates.push(zoneName(zone.name, xs, ys));
    }
    this.#layers.zones.replaceChildren(...zones);
    this.#layers.plates.replaceChildren(...plates);
    this.#fitPlates();
  }

  #fitPlates() {
    for (const text of this.#layers.plates.querySelectorAll(".plate text.name")) shorten(text, Number(text.dataset.room));
  }

  #drawCards(table, game, jump) {
    const cards = Object.values(table.cards).sort((a, b) => a.layer - b.layer);
    const there = new Set(cards.map((card) => card.track));
    for (const [track, known] of this.#cards) if (!there.has(track)) this.#takeAway(track, known);
    let next = this.#layers.cards.firstChild;
    for (const card of cards) {
      let known = this.#cards.get(card.track);
      const isNew = !known;
      if (isNew) {
        known = { group: this.#newCard(card), card: null, pose: null };
        this.#cards.set(card.track, known);
      }
      while (next && next.dataset.gone !== undefined) next = next.nextSibling;
      if (next !== known.group) this.#layers.cards.insertBefore(known.group, next);
      else next = next.nextSibling;
      if (known.card !== card || jump) this.#place(known, card, isNew, jump);
      const words = describeCard(card, game);
      setAttr(known.group, "aria-label", words);
      setText(known.group.querySelector("title"), words);
    }
    // Hide the names of zones that cards cover.
    const covered = new Set(cards.map((card) => card.zone));
    for (const name of this.#layers.plates.querySelectorAll("[data-zone]")) setAttr(name, "visibility", covered.has(name.dataset.zone) ? "hidden" : null);
    if (this.#chosen && !this.#cards.has(Number(this.#focus?.dataset.track))) this.#rove(this.#layers.cards.querySelector(".card:not([data-gone])"));
  }

  #newCard(card) {
    const { width_mm, height_mm, corner_mm } = cardSize();
    const half = { x: -width_mm / 2, y: -height_mm / 2, width: width_mm, height: height_mm, rx: corner_mm };
    return svg("g", { class: "card", "data-track": card.track, role: this.#chosen ? "button" : "img", tabindex: this.#chosen ? -1 : null },
      svg("title"), svg("rect", { ...half, x: half.x + 1.2, y: half.y + 2, class: "shade" }), svg("g", { class: "face" }),
      svg("rect", { ...half, class: "edge" }), svg("g", { class: "badge" }));
  }

  #place(known, card, isNew, jump) {
    const { group } = known;
    const before = known.card;
    const pose = poseOf(card.corners_mm.map((point) => this.#turned(point)), known.pose);
    const still = jump || reducedMotion() || document.hidden;
    if (!before || before.code !== card.code || before.face_up !== card.face_up || String(before.marks) !== String(card.marks)) {
      const holder = this.#drawFace(group, card);
      if (before && before.face_up !== card.face_up && !still)
        holder.animate([{ transform: "scaleX(0)" }, { transform: "none" }], { duration: 280, easing: "ease-out" });
    }
    const sure = readingConfidence(card);
    setAttr(group, "data-sure", sure);
    setAttr(group, "data-code", card.code);
    setAttr(group, "data-pinned", card.pinned || null);
    const badge = card.pinned ? "pinned" : sure === "doubtful" ? "?" : "";
    if (group.dataset.badge !== badge) group.querySelector(".badge").replaceChildren(...badgeParts(badge));
    group.dataset.badge = badge;
    const to = `translate(${pose.x}px, ${pose.y}px) rotate(${pose.turn}deg)`;
    const from = isNew ? to : group.getAnimations().length ? getComputedStyle(group).transform : group.style.transform;
    group.style.transform = to;
    if (!still && isNew && this.#drawn.cards) group.animate([{ opacity: 0, transform: `${to} scale(1.12)` }, { opacity: 1, transform: to }], { duration: 320, easing: EASE });
    else if (!still && !isNew && from !== to) {
      const far = Math.hypot(pose.x - known.pose.x, pose.y - known.pose.y);
      for (const running of group.getAnimations()) running.cancel();
      group.animate([{ transform: from }, { transform: to }], { duration: Math.min(900, 260 + 1.6 * far), easing: EASE });
    }
    known.card = card;
    known.pose = pose;
  }

  /** Put the picture of a card, and what players drew on it, into its group. */
  #drawFace(group, card) {
    const { width_mm, height_mm } = cardSize();
    const face = cardDrawing(card.code, card.face_up, card.zone, this.#picture_px);
    const marks = card.face_up ? markDrawings(card.marks) : [];
    const holder = group.querySelector(".face");
    holder.replaceChildren(svg("g", { transform: `translate(${-width_mm / 2} ${-height_mm / 2})` }, face, ...marks));
    return holder;
  }

  #takeAway(track, { group }) {
    this.#cards.delete(track);
    group.dataset.gone = "";
    setAttr(group, "tabindex", null);
    if (reducedMotion() || document.hidden) return group.remove();
    group.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 260, fill: "forwards" }).onfinish = () => group.remove();
  }

  #drawPieces(pieces) {
    for (const [key, known] of this.#pieces)
      if (!pieces[key]) {
        known.group.remove();
        this.#pieces.delete(key);
      }
    for (const [key, piece] of Object.entries(pieces)) {
      let known = this.#pieces.get(key);
      const looks = `${piece.kind} ${piece.colour}`;
      if (!known) {
        known = { group: this.#layers.pieces.appendChild(svg("g", { class: "piece" })), looks: "" };
        this.#pieces.set(key, known);
      }
      if (known.looks !== looks) known.group.replaceChildren(svg("title", {}, looks), pieceDrawing(piece, this.#pxPerMm()));
      known.looks = looks;
      const [x, y] = this.#turned([piece.x_mm, piece.y_mm]);
      known.group.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  #rove(group) {
    this.#focus?.setAttribute("tabindex", "-1");
    this.#focus = group;
    group?.setAttribute("tabindex", "0");
  }

  #listen() {
    const cardOf = (event) => event.target.closest?.(".card:not([data-gone])");
    this.#root.addEventListener("click", (event) => {
      const group = cardOf(event);
      if (group) this.#choose(group);
    });
    this.#root.addEventListener("keydown", (event) => {
      const group = cardOf(event);
      if (!group) return;
      if (event.key === "Enter" || event.key === " ") this.#choose(group);
      else if (event.key.startsWith("Arrow")) this.#step(group, event.key.slice(5));
      else return;
      event.preventDefault();
    });
    this.#root.addEventListener("focusin", (event) => {
      if (cardOf(event)) this.#rove(cardOf(event));
    });
  }

  #choose(group) {
    this.#rove(group);
    this.#chosen(this.#cards.get(Number(group.dataset.track)).card);
  }

  /** Focus the nearest card in a direction; sideways distance counts double, so that arrows keep to rows. */
  #step(group, way) {
    const [dx, dy] = { Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] }[way];
    const here = this.#cards.get(Number(group.dataset.track)).pose;
    let best = null;
    for (const { group: other, pose } of this.#cards.values()) {
      const ahead = (pose.x - here.x) * dx + (pose.y - here.y) * dy;
      const aside = Math.abs((pose.x - here.x) * dy) + Math.abs((pose.y - here.y) * dx);
      if (ahead > 2 && (!best || ahead + 2 * aside < best.cost)) best = { other, cost: ahead + 2 * aside };
    }
    best?.other.focus();
  }
}

/** By how many quarters to turn a table so that its long side fits the screen. */
export function bestQuarter([width, height]) {
  if (innerWidth > 1.2 * innerHeight && height > 1.15 * width) return 3;
  return innerWidth < 700 && innerHeight > innerWidth && width > 1.25 * height ? 1 : 0;
}

function poseOf(corners, before) {
  const x = corners.reduce((sum, point) => sum + point[0], 0) / 4;
  const y = corners.reduce((sum, point) => sum + point[1], 0) / 4;
  const [[ax, ay], [bx, by], [cx, cy], [dx, dy]] = corners;
  let turn = (Math.atan2(by - ay + cy - dy, bx - ax + cx - dx) * 180) / Math.PI;
  // Choose the equal angle nearest to the one before, so that no card spins around.
  if (before) turn += 360 * Math.round((before.turn - turn) / 360);
  const short = (value) => Math.round(value * 100) / 100;
  return { x: short(x), y: short(y), turn: short(turn) };
}

function rounded(points, radius, inset) {
  const cx = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const cy = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const inner = points.map(([x, y]) => [x - Math.sign(x - cx) * inset, y - Math.sign(y - cy) * inset]);
  const toward = ([x, y], [tx, ty]) => {
    const length = Math.hypot(tx - x, ty - y) || 1;
    const share = Math.min(radius, length / 2) / length;
    return [x + (tx - x) * share, y + (ty - y) * share];
  };
  return `${inner.map((corner, place) => {
    const start = toward(corner, inner.at(place - 1));
    const end = toward(corner, inner[(place + 1) % inner.length]);
    return `${place ? "L" : "M"}${start}Q${corner} ${end}`;
  }).join("")}Z`;
}

/** A name plate on the rim, on the side where the player sits. */
function plate(zone, name, active, [x, y], points, [width, height], quarter) {
  const turn = ((zone.turn_deg + 90 * quarter) * Math.PI) / 180;
  const [dx, dy] = [-Math.sin(turn), Math.cos(turn)];
  const upright = Math.abs(dy) >= Math.abs(dx);
  const span = (place) => Math.max(...points.map((point) => point[place])) - Math.min(...points.map((point) => point[place]));
  const room = Math.max(90, span(upright ? 0 : 1) - 16);
  const [px, py] = upright ? [x, Math.sign(dy) * (height / 2 + RIM / 2 - 2)] : [Math.sign(dx) * (width / 2 + RIM / 2 - 2), y];
  const tilt = upright ? 0 : -90 * Math.sign(dx);
  return svg("g", { class: `plate${active ? " active" : ""}`, transform: `translate(${px} ${py}) rotate(${tilt})` },
    svg("rect", { class: "brass", y: -15, height: 30, rx: 15 }),
    svg("circle", { class: "seat-disc", "data-seat": zone.seat % 12, r: 11 }),
    svg("text", { class: "seat-number", y: 6 }, String(zone.seat + 1)),
    svg("text", { class: "name", y: 7.5, "data-room": room - 50, "data-name": name }, name));
}

/** The name of a zone without a seat, in its lower corner; smaller and centred in a narrow zone. */
function zoneName(name, xs, ys) {
  const left = Math.min(...xs);
  const width = Math.max(...xs) - left;
  const narrow = width < 110;
  return svg("text", { class: narrow ? "zone-name narrow" : "zone-name", "data-zone": name, x: narrow ? left + width / 2 : left + 13, y: Math.max(...ys) - 12 }, zoneTitle(name));
}

function shorten(text, room) {
  const whole = text.dataset.name;
  let length = whole.length;
  text.textContent = whole;
  while (length > 1 && text.getComputedTextLength() > room) text.textContent = `${whole.slice(0, --length)}…`;
  const width = text.getComputedTextLength();
  const left = -(width + 40) / 2;
  const group = text.parentNode;
  group.querySelector(".brass").setAttribute("x", left);
  group.querySelector(".brass").setAttribute("width", width + 40);
  for (const [selector, name] of [[".seat-disc", "cx"], [".seat-number", "x"]]) group.querySelector(selector).setAttribute(name, left + 15);
  text.setAttribute("x", left + 30);
}

function badgeParts(kind) {
  if (!kind) return [];
  const { width_mm, height_mm } = cardSize();
  const place = { transform: `translate(${width_mm / 2 - 5} ${5 - height_mm / 2})` };
  if (kind === "pinned")
    return [svg("g", place, svg("circle", { r: 9.5 }), svg("path", { d: "M-4.5-1l3.2 3.5 6-7", class: "tick" }))];
  return [svg("g", place, svg("circle", { r: 9.5 }), svg("text", { class: "digit", y: 5.5 }, "?"))];
}
