// One display on the page.
import { paint, write } from "../../../wsi/web/page/live.js";
import { drawOutlines } from "./outlines.js";
import { drawStrip, drawTimeline } from "./timeline.js";

/** So many colours there are for planes. */
const COLOURS = 8;

/** A display: its picture, its layers and planes, its times. */
export class DisplayView {
  constructor(ask) {
    this.ask = ask;
    this.element = document.getElementById("display").content.cloneNode(true).firstElementChild;
    this.canvas = this.find(".frame");
    this.rows = new Map();
    this.find(".unplug").onclick = () => ask({ do: "unplug", display: this.news.number });
    this.onChoice(".strategy", "strategy");
    this.onChoice(".model", "planes");
  }

  find(selector) {
    return this.element.querySelector(selector);
  }

  write(selector, text) {
    write(this.find(selector), text);
  }

  onChoice(selector, what) {
    const select = this.find(selector);
    select.onchange = () => this.ask({ do: what, display: this.news.number, name: select.value });
  }

  draw(frame, pixels) {
    if (frame.stride > 0) paint(this.canvas, frame, pixels);
  }

  take(display, { strategies, models }) {
    this.news = display;
    this.showHead(display);
    this.showChoices(".strategy", strategies, display.strategy);
    this.showChoices(".model", models, display.model);
    this.showVerdict(display);
    this.showLayers(display.layers);
    this.showPlanes(display.planes);
    this.showCounts(display);
    this.due ??= requestAnimationFrame(() => {
      this.due = undefined;
      this.drawAll();
    });
  }

  /** Hides or shows a layer by its place in the list. */
  toggle(index) {
    const layer = this.news.layers[index];
    if (layer) this.ask({ do: layer.isHidden ? "show" : "hide", layer: layer.id });
  }

  showHead({ number, name, width, height, refreshRate, isPrimary, isOn }) {
    this.write(".name", name);
    this.write(".size", `${width} × ${height}, ${Math.round(refreshRate)} Hz`);
    this.write(".badge", isOn ? isPrimary ? "internal" : "external" : "off");
    this.find(".unplug").hidden = isPrimary;
    this.find(".unplug").setAttribute("aria-label", `Unplug ${name}`);
    this.element.dataset.display = number;
    this.element.setAttribute("aria-label", `Display ${name}`);
    this.element.classList.toggle("tall", height > width);
    this.find(".screen").style.aspectRatio = `${width} / ${height}`;
    this.find(".screen").style.setProperty("--shape", width / height);
  }

  showChoices(selector, names, chosen) {
    const select = this.find(selector), all = names.includes(chosen) || chosen === "" ? names : [chosen, ...names];
    if (select.dataset.names !== all.join()) {
      select.dataset.names = all.join();
      select.replaceChildren(...all.map((name) => new Option(name)));
    }
    if (select.value !== chosen && document.activeElement !== select) select.value = chosen;
  }

  showVerdict({ layers, gpuWork, totalWork }) {
    const seen = layers.filter(({ composition }) => composition !== null);
    const planes = seen.filter(({ plane }) => plane !== null).length;
    const client = seen.filter(({ composition }) => composition === "CLIENT").length;
    const saved = totalWork === 0 ? 100 : Math.round(100 * (1 - gpuWork / totalWork));
    this.write(
      ".verdict",
      seen.length === 0
        ? "Nothing is seen."
        : `${planes} of ${seen.length} layers on planes, ${client} by the client: ${saved} % of the GPU's work saved.`,
    );
  }

  /** The rows stay the same elements, so that a switch under a finger or with the focus is not lost. */
  showLayers(layers) {
    const list = this.find(".layers"), before = this.rows;
    this.rows = new Map(layers.map(({ id }) => [id, before.get(id) ?? this.makeRow(id)]));
    for (const [id, row] of before) if (!this.rows.has(id)) row.remove();
    layers.forEach((layer, index) => {
      const row = this.rows.get(layer.id);
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
      this.fillRow(row, layer);
    });
  }

  makeRow(id) {
    const row = document.getElementById("layer").content.cloneNode(true).firstElementChild;
    const input = row.querySelector("input");
    input.onchange = () => this.ask({ do: input.checked ? "show" : "hide", layer: id });
    return row;
  }

  fillRow(row, layer) {
    const { name, isHidden, composition, plane, reason, refusals } = layer, part = (name) => row.querySelector(name);
    row.querySelector("input").checked = !isHidden;
    row.dataset.layer = name;
    row.classList.toggle("unseen", composition === null);
    write(part(".title"), name);
    const by = plane ?? (composition === "CLIENT" ? "client" : composition === null ? "–" : "no plane");
    write(part(".plane"), by);
    part(".plane").dataset.colour = this.colourOf(layer);
    write(part(".reason"), sentence(reason));
    part("details").classList.toggle("plain", refusals.length === 0);
    const said = refusals.map(({ plane, why }) => `${plane}: ${why ?? "could show it"}`), list = part(".refusals");
    if (list.dataset.said === said.join()) return;
    list.dataset.said = said.join();
    list.replaceChildren(...said.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  }

  /** A plane's colour is that of its place; the client's is none of them. */
  colourOf({ plane, composition }) {
    if (plane === null) return composition === "CLIENT" ? "client" : "none";
    return `${this.news.planes.findIndex(({ name }) => name === plane) % COLOURS}`;
  }

  showPlanes(planes) {
    const list = this.find(".planes"), shown = planes.map(({ name, shows }) => `${name}: ${shows ?? "free"}`);
    if (list.dataset.shown === shown.join()) return;
    list.dataset.shown = shown.join();
    list.replaceChildren(
      ...planes.map(({ name, shows }, index) => {
        const item = document.createElement("li"), label = document.createElement("span");
        label.className = "plane";
        label.textContent = name;
        label.dataset.colour = shows === null ? "none" : shows === "client target" ? "client" : `${index % COLOURS}`;
        item.append(label, ` ${shows ?? "free"}`);
        return item;
      }).reverse(),
    );
  }

  showCounts({ frames, counts: { presented, shown, overtaken, flattened, clientFrames } }) {
    this.write(".number", shown === 0 ? "–" : `${shown}`);
    this.write(".client", `${clientFrames} of ${presented}`);
    this.write(".overtaken", `${overtaken}`);
    this.write(".flattened", `${flattened}`);
    const recent = frames.slice(-60), last = recent.at(-1);
    const span = recent.length > 1 ? last.shown - recent[0].shown : 0;
    this.write(".fps", span > 0 ? (1000 * (recent.length - 1) / span).toFixed(1) : "–");
    const waited = recent.reduce((sum, { presented, shown }) => sum + shown - presented, 0);
    this.write(".latency", last ? (waited / recent.length).toFixed(1) : "–");
    this.canvas.setAttribute("aria-label", `Frame ${shown} of ${this.news.name}`);
  }

  drawAll() {
    drawOutlines(this.find(".outlines"), this.news, (layer) => this.colourOf(layer));
    this.drawTimes();
  }

  drawTimes() {
    if (!this.news) return;
    drawTimeline(this.find(".timeline"), this.find(".legend"), this.news);
    drawStrip(this.find(".rates"), this.find(".legend"), this.news);
  }
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
