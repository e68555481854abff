// The viewer's page: shows the frames that its server sends, one at a time, and says when each is shown.
import { paint, resize, roundUp, start, tell, write } from "./live.js";

const STRIP_FRAMES = 120;
const PARTS = ["fence", "sent", "shown", "acked"];

const byId = new Map();
/** Names of paused windows: they stay paused when the connection or the server comes back. */
const paused = new Set();
let chosen;

function welcome({ windows }) {
  const before = [...byId.values()];
  byId.clear();
  for (const view of before) {
    const again = windows.find(({ name }) => name === view.name);
    if (again) view.begin(again);
    else view.element.remove();
  }
  windows.forEach(addWindow);
}

function addWindow(info) {
  const known = byId.get(info.id);
  if (known) return known.describe(info);
  const namesake = [...byId.values()].find(({ name }) => name === info.name);
  if (namesake) {
    byId.delete(namesake.id);
    namesake.begin(info);
  } else new View(info);
}

// Windows

/** One window on the page. */
class View {
  constructor(info) {
    this.element = document.getElementById("window").content.cloneNode(true).firstElementChild;
    this.canvas = this.find(".frame");
    this.find(".pause").onclick = () => this.setPaused(!paused.has(this.name));
    this.find(".step").onclick = () => this.step();
    this.find(".fit").onclick = () => this.setFit(this.element.classList.contains("actual"));
    this.find(".save").onclick = () => this.save();
    this.element.onpointerdown = () => choose(this);
    this.element.addEventListener("focusin", () => choose(this));
    document.getElementById("windows").append(this.element);
    this.begin(info);
    chosen ?? choose(this);
  }

  find(selector) {
    return this.element.querySelector(selector);
  }

  write(selector, text) {
    write(this.find(selector), text);
  }

  /** Starts anew: a window of that name of another server, or another one of the same. */
  begin(info) {
    this.id = info.id;
    this.arrivals = [];
    this.times = [];
    byId.set(info.id, this);
    this.describe(info);
    this.write(".dropped", "0");
    this.drawStrip();
    if (paused.has(info.name)) tell({ type: "pause", window: info.id });
  }

  describe({ name, state }) {
    this.name = name;
    this.write(".name", name);
    this.element.setAttribute("aria-label", `Window ${name}`);
    this.state = state;
    this.showState();
  }

  showState() {
    const isPaused = paused.has(this.name), badge = this.find(".badge");
    badge.textContent = this.state === "closed"
      ? "closed"
      : isPaused
      ? "paused"
      : this.state === "waiting"
      ? "waiting"
      : "";
    badge.hidden = badge.textContent === "";
    this.write(".pause", isPaused ? "Resume" : "Pause");
    this.element.classList.toggle("paused", isPaused);
  }

  setPaused(isPaused) {
    if (isPaused) paused.add(this.name);
    else paused.delete(this.name);
    tell({ type: isPaused ? "pause" : "resume", window: this.id });
    this.arrivals = [];
    this.writeRates();
    this.showState();
  }

  step() {
    paused.add(this.name);
    tell({ type: "step", window: this.id });
    this.showState();
  }

  setFit(isFit) {
    this.element.classList.toggle("actual", !isFit);
    this.write(".fit", isFit ? "Actual size" : "Fit");
  }

  save() {
    if (this.canvas.hidden) return;
    this.canvas.toBlob((blob) => {
      const link = document.createElement("a"), url = URL.createObjectURL(blob);
      link.href = url;
      link.download = `${this.name}-${this.find(".number").textContent}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    });
  }

  draw(frame, pixels) {
    const canShow = frame.stride > 0;
    this.canvas.hidden = !canShow;
    this.find(".note").hidden = canShow;
    if (canShow) paint(this.canvas, frame, pixels);
    else this.write(".note", frame.problem);
    this.arrivals.push([performance.now(), frame.number]);
    if (this.arrivals.length > 60) this.arrivals.shift();
    this.write(".number", String(frame.number));
    this.write(".size", `${frame.width} × ${frame.height}`);
    this.write(".format", frame.format);
    this.write(".dataspace", frame.dataspace);
    this.count(frame);
    this.writeRates();
  }

  count({ dropped }) {
    this.write(".dropped", dropped.toLocaleString("en"));
  }

  writeRates() {
    const now = performance.now(), recent = this.arrivals.filter(([when]) => now - when < 2000);
    if (recent.length < 2) return ["fps", "rate"].forEach((name) => this.write(`.${name}`, "–"));
    const [start, first] = recent[0], [end, last] = recent.at(-1), seconds = (end - start) / 1000;
    this.write(".fps", ((recent.length - 1) / seconds).toFixed(1));
    this.write(".rate", ((last - first) / seconds).toFixed(1));
  }

  time(timing) {
    this.times.push(timing);
    if (this.times.length > STRIP_FRAMES) this.times.shift();
    PARTS.forEach((part, index) => this.write(`.legend .${part} b`, `${spent(timing, index).toFixed(1)} ms`));
    this.canvas.setAttribute("aria-label", `Frame ${timing.number} of ${this.name}`);
    this.stripDue ??= requestAnimationFrame(() => {
      this.stripDue = undefined;
      this.drawStrip();
    });
  }

  /** A bar for each frame, from the bottom: its parts in the order they happened. */
  drawStrip() {
    const strip = this.find(".strip"), scale = devicePixelRatio, context = strip.getContext("2d");
    const width = Math.round(strip.clientWidth * scale), height = Math.round(strip.clientHeight * scale);
    resize(strip, width, height);
    context.clearRect(0, 0, width, height);
    const sorted = this.times.map(({ acked }) => acked).sort((one, other) => one - other);
    const most = roundUp(Math.max(4, sorted[Math.floor(0.95 * sorted.length)] ?? 0)), bar = width / STRIP_FRAMES;
    const colours = this.colours();
    context.font = `${11 * scale}px system-ui, sans-serif`;
    context.textBaseline = "top";
    for (const [index, timing] of this.times.entries()) {
      const x = width - (this.times.length - index) * bar;
      for (const part of [...PARTS].reverse()) {
        context.fillStyle = colours[part];
        const tall = timing[part] / most * height;
        context.fillRect(x, height - tall, Math.max(1, bar - scale), tall);
      }
    }
    const scaleText = `${most} ms`;
    context.fillStyle = getComputedStyle(strip).backgroundColor; // so that bars don't run through it
    context.fillRect(0, 0, context.measureText(scaleText).width + 12 * scale, 20 * scale);
    context.fillStyle = getComputedStyle(this.find(".legend")).color;
    context.fillText(scaleText, 6 * scale, 5 * scale);
    strip.setAttribute("aria-label", this.describeTimes());
  }

  /** Returns the colours of the legend, as the colour scheme has them now. */
  colours() {
    const of = (part) => getComputedStyle(this.find(`.legend .${part}`), "::before").backgroundColor;
    return Object.fromEntries(PARTS.map((part) => [part, of(part)]));
  }

  describeTimes() {
    if (this.times.length === 0) return "Times of the last frames: none yet";
    const mean = this.times.reduce((sum, { acked }) => sum + acked, 0) / this.times.length;
    return `Times of the last ${this.times.length} frames: ${mean.toFixed(1)} ms each from queued to acknowledged`;
  }
}

/** Returns the milliseconds of one part of a frame's time: what is measured is when it ended. */
function spent(timing, index) {
  return timing[PARTS[index]] - (index === 0 ? 0 : timing[PARTS[index - 1]]);
}

// Keys

function choose(view) {
  chosen?.element.classList.remove("chosen");
  chosen = view;
  view.element.classList.add("chosen");
}

const KEYS = {
  " ": (view) => view.setPaused(!paused.has(view.name)),
  s: (view) => view.step(),
  f: (view) => view.setFit(view.element.classList.contains("actual")),
  p: (view) => view.save(),
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target.closest("button")) return; // the button's own key
  const views = [...document.getElementById("windows").children];
  const view = views.includes(chosen?.element) ? chosen : byId.values().next().value;
  const numbered = [...byId.values()].find(({ element }) => element === views[Number(event.key) - 1]);
  const act = KEYS[event.key.toLowerCase()];
  if (numbered) {
    choose(numbered);
    numbered.element.focus();
  } else if (act && view) act(view);
  else return;
  event.preventDefault();
}

addEventListener("keydown", press);
addEventListener("resize", () => byId.forEach((view) => view.drawStrip()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => byId.forEach((view) => view.drawStrip()));
setInterval(() => byId.forEach((view) => view.writeRates()), 1000); // also when frames stop coming
start({
  hello: welcome,
  window: ({ window }) => addWindow(window),
  frame: (frame, pixels) => byId.get(frame.window)?.draw(frame, pixels),
  timing: (message) => byId.get(message.window)?.time(message),
  count: (message) => byId.get(message.window)?.count(message),
});
