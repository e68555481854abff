// The vertices that a draw reads: in three dimensions, and as a table in the order of the draw.
import { counted, make, select, sentence, short } from "./dom.js";
import { parseLayout, rowCount, rowOf } from "./layout.js";
import { edgesOf, turned } from "./primitives.js";
import { Rows } from "./rows.js";
import { askBytes, isSealed } from "./source.js";

/** Bytes of a buffer that are asked for; edges that are drawn, and vertices that are in the table, at most. */
const PART = isSealed ? 2 ** 20 : 2 ** 24, MOST_EDGES = 60_000, MOST_VERTICES = 100_000;
/** Radians of a key and of a pixel. */
const STEP = 0.1, PULL = 0.01;

/** The panel with the mesh. */
export class Mesh {
  #app;
  #stop = new AbortController();
  #tools = make("div", { class: "toolbar" });
  #message = make("div", { role: "status" });
  #canvas = make("canvas", { class: "mesh", tabindex: 0, role: "img", "aria-label": "vertices in three dimensions" });
  #caption = make("p", { class: "caption" });
  #table = make("div", { class: "table", tabindex: 0, "aria-label": "vertices in the order of the draw" });
  #head = make("div", { class: "cells head" });
  #rows;
  #vertices = [];
  #edges = [];
  #columns = [];
  #chosen;
  #turn = { yaw: 0.5, pitch: -0.4, zoom: 0.9 };
  #attribute;

  constructor(panel, app) {
    this.#app = app;
    panel.append(this.#tools, this.#message, this.#canvas, this.#caption, this.#table);
    this.#table.append(this.#head);
    this.#rows = new Rows(this.#table, {
      make: () => make("div", { class: "cells" }),
      fill: (row, at) => this.#fill(row, at),
    });
    this.#table.addEventListener("click", ({ target }) => this.#mark(target.closest(".cells")?.dataset.at));
    this.#listen();
    new ResizeObserver(() => requestAnimationFrame(() => this.#draw())).observe(this.#canvas); // the caption has another height then
  }

  /** Shows the vertices of an event. */
  async show(facts) {
    this.#stop.abort();
    const { signal } = this.#stop = new AbortController(), { mesh } = facts, why = this.#reasonAgainst(facts);
    const isEmpty = why !== undefined;
    this.#canvas.hidden = this.#caption.hidden = this.#table.hidden = isEmpty;
    this.#tools.replaceChildren();
    if (isEmpty) return this.#message.replaceChildren(sentence(why));
    this.#message.replaceChildren(sentence("The drivers replay up to this event …", "wait"));
    try {
      const bindings = this.#bindings(facts), views = new Map();
      for (
        const name of new Set([
          ...bindings.map(({ resource }) => resource),
          ...mesh.indices ? [mesh.indices.resource] : [],
        ])
      ) {
        views.set(name, await this.#bytes(name, signal));
      }
      this.#read(mesh, bindings, views);
      this.#message.replaceChildren();
      this.#showTools();
      this.#draw();
    } catch (error) {
      if (!signal.aborted) this.#message.replaceChildren(sentence(error.message, "error"));
    }
  }

  #reasonAgainst(facts) {
    if (this.#app.drivers.length === 0) return this.#app.whyNoDriver;
    if (!facts.mesh) return "Choose a draw whose counts are in the call: only such a draw has its vertices here.";
    return this.#bindings(facts).length === 0
      ? "The draw reads no vertex buffers: its shader makes the vertices."
      : undefined;
  }

  /** The vertex buffers that are read for each vertex, with their layouts. */
  #bindings({ layouts }) {
    return Object.entries(layouts).flatMap(([resource, ways]) =>
      ways.filter(({ role }) => /^vertex buffer \d+$/.test(role)).map((way) => ({ resource, ...way }))
    );
  }

  async #bytes(piece, signal) {
    const { bytes } = await askBytes("bytes", {
      event: this.#app.event,
      side: 0,
      before: 0,
      piece,
      offset: 0,
      size: PART,
    }, signal);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads the vertices in the order of the draw. */
  #read(mesh, bindings, views) {
    const { first, count, vertexOffset, indices, restarts } = mesh,
      shown = Math.min(count, MOST_VERTICES),
      ends = new Set();
    const layouts = bindings.map((each) => ({
      ...each,
      layout: parseLayout(each.layout),
      view: views.get(each.resource),
    }));
    const most = indices && 2 ** (8 * indices.size) - 1, view = indices && views.get(indices.resource);
    this.#vertices = Array.from({ length: shown }, (_, at) => {
      const index = indices ? indexAt(view, indices, first + at) : first + at;
      if (restarts && index === most) ends.add(at);
      const vertex = index === undefined || ends.has(at) ? undefined : index + (indices ? vertexOffset : 0);
      return { index, vertex, values: layouts.flatMap((each) => valuesAt(each, vertex)) };
    });
    this.#columns = layouts.flatMap(({ layout }) => layout.members.map(({ name, count }) => ({ name, count })));
    if (!this.#columns[this.#attribute]) this.#attribute = undefined;
    this.#attribute ??= Math.max(0, this.#columns.findIndex(({ name, count }) => name === "location0" && count > 1));
    this.#edges = edgesOf(mesh.topology, shown, ends, MOST_EDGES);
    this.#chosen = undefined;
    this.mesh = mesh;
    this.#head.replaceChildren(
      ...["", "vertex", ...this.#columns.map(({ name }) => name)].map((text) => make("span", { text })),
    );
    this.#table.style.setProperty("--columns", this.#columns.length + 2);
    this.#rows.show(shown);
  }

  #showTools() {
    const columns = this.#columns.map(({ name }, at) => [at, name]).filter(([at]) => this.#columns[at].count > 1);
    const { count, instances } = this.mesh, lost = count > MOST_VERTICES ? `, the first ${MOST_VERTICES} here` : "";
    const turn = (changes) => () => {
      Object.assign(this.#turn, changes(this.#turn));
      this.#draw();
    };
    this.#tools.replaceChildren(
      select("Position", columns, this.#attribute, (at) => {
        this.#attribute = Number(at);
        this.#draw();
      }),
      make("button", {
        type: "button",
        text: "−",
        "aria-label": "smaller",
        onclick: turn(({ zoom }) => ({ zoom: zoom / 1.25 })),
      }),
      make("button", {
        type: "button",
        text: "+",
        "aria-label": "larger",
        onclick: turn(({ zoom }) => ({ zoom: zoom * 1.25 })),
      }),
      make("button", {
        type: "button",
        text: "From the front",
        onclick: turn(() => ({ yaw: 0, pitch: 0, zoom: 0.9 })),
      }),
      make("small", { text: `${counted(count, "vertex", "vertices")}, ${counted(instances, "instance")}${lost}` }),
    );
  }

  /** The point of a vertex: the first three numbers of the attribute that was chosen. */
  #point({ values }) {
    const numbers = values[this.#attribute]?.slice(0, 3).map(Number) ?? [];
    return numbers.length > 0 ? [...numbers, 0, 0].slice(0, 3) : undefined;
  }

  #draw() {
    const canvas = this.#canvas, { clientWidth, clientHeight } = canvas;
    if (canvas.hidden || clientWidth === 0 || this.#vertices.length === 0) return;
    const scale = devicePixelRatio || 1, { yaw, pitch, zoom } = this.#turn, style = getComputedStyle(canvas);
    canvas.width = clientWidth * scale;
    canvas.height = clientHeight * scale;
    const points = turned(this.#vertices.map((each) => this.#point(each)), yaw, pitch),
      context = canvas.getContext("2d");
    const size = Math.min(canvas.width, canvas.height) / 2 * zoom;
    const place = ([x, y]) => [canvas.width / 2 + x * size, canvas.height / 2 - y * size];
    context.strokeStyle = context.fillStyle = style.color;
    context.lineWidth = scale * (this.#edges.length > 5000 ? 0.5 : 1);
    context.globalAlpha = this.#edges.length > 5000 ? 0.5 : 0.9;
    context.beginPath();
    for (const [from, to] of this.#edges) {
      if (!points[from] || !points[to]) continue;
      context.moveTo(...place(points[from]));
      context.lineTo(...place(points[to]));
    }
    context.stroke();
    if (this.#edges.length === 0) {
      for (const each of points) {
        each && context.fillRect(...place(each).map((value) => value - scale), 2 * scale, 2 * scale);
      }
    }
    const marked = points[this.#chosen];
    if (marked) {
      context.globalAlpha = 1;
      context.fillStyle = style.outlineColor;
      context.beginPath();
      context.arc(...place(marked), 5 * scale, 0, 2 * Math.PI);
      context.fill();
    }
    const lost = points.filter((each) => !each).length;
    this.#caption.replaceChildren(make("span", {
      text: [
        `${counted(this.#edges.length, "edge")}${
          this.#edges.length >= MOST_EDGES ? ", and more that are not drawn" : ""
        }`,
        ...lost > 0 ? [`${counted(lost, "vertex", "vertices")} without a place`] : [],
        "Drag to turn; click a row to mark its vertex.",
      ].join(" · "),
    }));
  }

  #fill(row, at) {
    const { vertex, index, values } = this.#vertices[at];
    row.dataset.at = at;
    row.classList.toggle("differs", at === this.#chosen);
    const cells = values.map((numbers) =>
      numbers.map((each) => typeof each === "bigint" ? `${each}` : short(each)).join("  ")
    );
    row.replaceChildren(...[`${at}`, vertex ?? (index === undefined ? "beyond the buffer" : "ends the strip"), ...cells]
      .map((text) => make("span", { text: `${text}`, title: `${text}` })));
  }

  #mark(at) {
    if (at === undefined) return;
    this.#chosen = Number(at);
    this.#rows.draw();
    this.#draw();
  }

  #listen() {
    const canvas = this.#canvas,
      turn = (yaw, pitch) => {
        this.#turn.yaw += yaw;
        this.#turn.pitch = Math.max(-1.6, Math.min(1.6, this.#turn.pitch + pitch));
        this.#draw();
      };
    canvas.onpointerdown = ({ pointerId }) => canvas.setPointerCapture(pointerId);
    canvas.onpointermove = ({ buttons, movementX, movementY }) =>
      buttons & 1 && turn(movementX * PULL, -movementY * PULL);
    canvas.addEventListener("keydown", (event) => {
      const step =
        { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      turn(...step);
    });
  }
}

/** An index of a buffer; `undefined` beyond its end. */
function indexAt(view, { offset, size }, at) {
  const place = offset + at * size;
  if (place + size > view.byteLength) return undefined;
  return size === 4 ? view.getUint32(place, true) : size === 2 ? view.getUint16(place, true) : view.getUint8(place);
}

/** The attributes of a vertex; empty ones beyond the end of the buffer. */
function valuesAt({ layout, view, offset }, vertex) {
  if (vertex === undefined || vertex < 0 || vertex >= rowCount(layout, view.byteLength, offset)) {
    return layout.members.map(() => []);
  }
  return rowOf(layout, view, offset, vertex);
}
