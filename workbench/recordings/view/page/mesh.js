// The vertices of a draw, before and after the vertex shader: in three dimensions, and as a table in the order of the draw.
import { choice, counted, make, select, sentence, short } from "./dom.js";
import { edgesOf, turned } from "./primitives.js";
import { Rows } from "./rows.js";
import { ask, askBytes, isSealed } from "./source.js";
import { inputsOf, MOST_VERTICES, outputsOf, verticesOf } from "./vertices.js";

/** Bytes of a buffer that are asked for, and edges that are drawn, at most. */
const PART = isSealed ? 2 ** 20 : 2 ** 24, MOST_EDGES = 60_000;
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
  /** The choices of the reader, kept from event to event: the attribute that is drawn for inputs and for outputs. */
  #view = { stage: "in", side: 0, attributes: {} };
  #place = { event: undefined, draw: 0, instance: 0 };
  #facts;
  #numbers;
  #way;

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
    const { signal } = this.#stop = new AbortController(), why = this.#reasonAgainst(facts), { event } = this.#app;
    if (this.#place.event !== event) this.#place = { event, draw: 0, instance: 0 };
    this.#facts = facts;
    this.#hide(true);
    if (why !== undefined) {
      this.#tools.replaceChildren();
      return this.#message.replaceChildren(sentence(why));
    }
    this.#showTools();
    this.#message.replaceChildren(sentence("The drivers replay up to this event …", "wait"));
    try {
      const read = await this.#read(signal);
      if (signal.aborted) return;
      this.#message.replaceChildren(...read ? [sentence(read)] : []);
      this.#showTools();
      this.#draw();
    } catch (error) {
      if (!signal.aborted) this.#message.replaceChildren(sentence(error.message, "error"));
    }
  }

  #hide(isHidden) {
    this.#canvas.hidden = this.#caption.hidden = this.#table.hidden = isHidden;
  }

  #choose(changes, place = {}) {
    Object.assign(this.#view, changes);
    Object.assign(this.#place, place);
    this.show(this.#facts);
  }

  #reasonAgainst(facts) {
    if (this.#app.drivers.length === 0) return this.#app.whyNoDriver;
    return facts.mesh ? undefined : "Choose a draw: only a draw of vertices has a mesh.";
  }

  /** The vertex buffers that are read for each vertex, with their layouts. */
  #bindings({ layouts }) {
    return Object.entries(layouts).flatMap(([resource, ways]) =>
      ways.filter(({ role }) => /^vertex buffer \d+$/.test(role)).map((way) => ({ resource, ...way }))
    );
  }

  async #bytes(piece, signal) {
    const { event } = this.#app, { side } = this.#view;
    const { bytes } = await askBytes("bytes", { event, side, before: 0, piece, offset: 0, size: PART }, signal);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads the vertices in the order of the draw. Returns why there are none. */
  async #read(signal) {
    const { mesh } = this.#facts, { event } = this.#app, { side, stage } = this.#view, { draw, instance } = this.#place;
    this.#numbers = this.#way = undefined;
    const numbers = this.#numbers = await ask("draws", { event, side }, signal);
    if (!numbers[draw]) return "The buffer of the command says: draw nothing.";
    const bindings = this.#bindings(this.#facts);
    if (stage === "in" && bindings.length === 0) {
      return "The draw reads no vertex buffers: its shader makes the vertices. Look at the outputs.";
    }
    const { columns, valuesOf } = stage === "in"
      ? await this.#inputs(bindings, signal)
      : outputsOf(await this.#outputs(signal), instance);
    const indices = mesh.indices && await this.#bytes(mesh.indices.resource, signal);
    const { vertices, ends } = verticesOf(mesh, numbers[draw], indices, valuesOf);
    this.#vertices = vertices;
    this.#columns = columns;
    this.#chosen = undefined;
    this.#edges = edgesOf(mesh.topology, vertices.length, ends, MOST_EDGES);
    const { attributes } = this.#view, usual = stage === "in" ? "location0" : "divided by w";
    if (!columns[attributes[stage]]) {
      attributes[stage] = Math.max(0, columns.findIndex(({ name, count }) => name === usual && count > 1));
    }
    const names = ["", "vertex", ...columns.map(({ name }) => name)];
    this.#head.replaceChildren(...names.map((text) => make("span", { text })));
    this.#table.style.setProperty("--columns", names.length);
    this.#hide(false); // rows are as many as there is room for
    this.#rows.show(vertices.length);
    return undefined;
  }

  async #inputs(bindings, signal) {
    const views = new Map();
    for (const { resource } of bindings) {
      if (!views.has(resource)) views.set(resource, await this.#bytes(resource, signal));
    }
    return inputsOf(bindings, views);
  }

  async #outputs(signal) {
    const { event } = this.#app, { side } = this.#view, { draw } = this.#place;
    const found = await askBytes("outputs", { event, side, draw }, signal);
    this.#way = found.way;
    return found;
  }

  #showTools() {
    const { stage, side, attributes } = this.#view, { draw, instance } = this.#place, numbers = this.#numbers ?? [];
    const { count = 0, instances = 0 } = numbers[draw] ?? {}, isEmpty = this.#canvas.hidden;
    const columns = this.#columns.map(({ name }, at) => [at, name]).filter(([at]) => this.#columns[at].count > 1);
    const lost = count > MOST_VERTICES ? `, the first ${MOST_VERTICES} here` : "";
    const turn = (changes) => () => {
      Object.assign(this.#turn, changes(this.#turn));
      this.#draw();
    };
    const drivers = this.#app.drivers.map((_, at) => [at, "AB"[at]]);
    this.#tools.replaceChildren(
      choice("vertices", [["in", "Inputs"], ["out", "Outputs"]], stage, (stage) => this.#choose({ stage })),
      drivers.length > 1 ? choice("driver", drivers, side, (side) => this.#choose({ side })) : "",
      select(
        "Draw",
        numbers.map((_, at) => [at, `${at}`]),
        draw,
        (at) => this.#choose({}, { draw: Number(at), instance: 0 }),
      ),
      stage === "out" && instances > 1 ? this.#instanceField(instance, instances) : "",
      ...isEmpty ? [] : [
        select("Position", columns, attributes[stage], (at) => {
          attributes[stage] = Number(at);
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
      ],
    );
  }

  #instanceField(instance, instances) {
    const input = make("input", {
      type: "number",
      min: 0,
      max: instances - 1,
      value: instance,
      "aria-label": "instance",
    });
    input.onchange = () =>
      this.#choose({}, { instance: Math.max(0, Math.min(instances - 1, Number(input.value) | 0)) });
    return make("label", { class: "field" }, make("span", { text: "Instance" }), input);
  }

  /** The point of a vertex: the first three numbers of the attribute that was chosen. */
  #point({ values }) {
    const column = this.#view.attributes[this.#view.stage], numbers = values[column]?.slice(0, 3).map(Number) ?? [];
    const [x, y = 0, z = 0] = numbers;
    if (x === undefined) return undefined;
    return this.#columns[column].isFlipped ? [x, -y, z] : [x, y, z]; // in a viewport, y points down
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
        ...this.#way ? [`caught by ${this.#way}`] : [],
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
