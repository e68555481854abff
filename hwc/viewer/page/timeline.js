// The times at which frames were presented, ready and shown.
import { resize, roundUp } from "../../../wsi/web/page/live.js";

/** Vsyncs that the timeline goes back, and lanes that frames share in turn. */
const VSYNCS = 12, LANES = 4;
const STRIP_FRAMES = 120;

/** A bar for each frame between the vsyncs: what producers still drew of it, its wait, its time on the panel. */
export function drawTimeline(canvas, legend, { frames, refreshRate, name }) {
  const { context, width, height, scale } = open(canvas), colours = coloursOf(canvas, legend);
  const period = 1000 / refreshRate, end = (frames.at(-1)?.shown ?? 0) + period, begin = end - VSYNCS * period;
  const at = (time) => (time - begin) / (end - begin) * width;
  const axis = 18 * scale, lane = (height - axis) / LANES, bar = lane * 0.74;
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.fillStyle = colours.vsync;
  for (let vsync = 0; vsync <= VSYNCS; vsync++) context.fillRect(at(end - vsync * period), 0, scale, height - axis);
  const recent = frames.filter(({ shown }) => shown > begin - LANES * period);
  recent.forEach(({ number, acquired, presented, ready, shown }, index) => {
    const top = (number % LANES) * lane + (lane - bar) / 2, gone = Math.min(recent[index + 1]?.shown ?? end, end);
    const part = (colour, from, to, tall = bar) => {
      if (to <= from) return;
      context.fillStyle = colours[colour];
      context.fillRect(at(from), top + bar - tall, Math.max(scale, at(to) - at(from) - scale), tall);
    };
    part("waits", presented, shown);
    part("panel", shown, gone);
    part("fence", presented, ready);
    // Thin: what takes longer than a few vsyncs runs along below older frames.
    for (const { queued, drawn } of acquired) part("fence", queued, Math.min(drawn, shown), bar / 4);
    context.fillStyle = colours.text;
    context.fillRect(at(presented), top, 2 * scale, bar);
    label(context, `${number}`, at(shown) + 4 * scale, top + bar / 2, at(gone) - 2 * scale);
  });
  context.fillStyle = colours.soft;
  context.textBaseline = "alphabetic";
  for (let back = 0; back < 0.96 * (end - begin); back += roundUp(2 * period)) {
    context.textAlign = back === 0 ? "right" : "center";
    context.fillText(back === 0 ? "now" : `−${back} ms`, at(end - back), height - 4 * scale);
  }
  const last = frames.at(-1), wait = last ? (last.shown - last.presented).toFixed(1) : "";
  const says = last ? `frame ${last.number} was shown ${wait} ms after it was presented` : "no frame yet";
  canvas.setAttribute("aria-label", `Vsyncs and fences of ${name}: ${says}`);
}

/** A bar for each frame: the time from the one before it to it, beside the panel's period. */
export function drawStrip(canvas, legend, { frames, refreshRate, name }) {
  const { context, width, height, scale } = open(canvas), colours = coloursOf(canvas, legend);
  const period = 1000 / refreshRate;
  const times = frames.slice(1).map(({ shown }, index) => shown - frames[index].shown);
  const sorted = times.toSorted((one, other) => one - other); // a few that are very long don't flatten all others
  const most = roundUp(Math.max(2 * period, sorted[Math.floor(0.95 * sorted.length)] ?? 0));
  const bar = width / STRIP_FRAMES;
  times.forEach((time, index) => {
    const tall = Math.min(1, time / most) * height, late = time > 1.5 * period;
    context.fillStyle = late ? colours.fence : colours.panel;
    context.fillRect(width - (times.length - index) * bar, height - tall, Math.max(1, bar - scale), tall);
  });
  context.fillStyle = colours.vsync;
  context.fillRect(0, height - period / most * height, width, scale);
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.textBaseline = "top";
  const text = `${most} ms`;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, context.measureText(text).width + 12 * scale, 20 * scale);
  context.fillStyle = colours.soft;
  context.fillText(text, 6 * scale, 5 * scale);
  const mean = times.length === 0 ? 0 : times.reduce((sum, time) => sum + time, 0) / times.length;
  canvas.setAttribute("aria-label", `Frame times of ${name}: ${mean.toFixed(1)} ms each`);
}

function label(context, text, left, middle, right) {
  if (context.measureText(text).width > right - left) return;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(text, left, middle);
}

function open(canvas) {
  const scale = devicePixelRatio, context = canvas.getContext("2d");
  const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
  resize(canvas, width, height);
  context.clearRect(0, 0, width, height);
  return { context, width, height, scale };
}

/** Returns the colours of the legend and of the canvas, as the colour scheme has them now. */
function coloursOf(canvas, legend) {
  const of = (part) => getComputedStyle(legend.querySelector(`.${part}`), "::before").backgroundColor;
  const { color: text, backgroundColor: ground } = getComputedStyle(canvas);
  const parts = ["fence", "waits", "panel", "vsync"].map((part) => [part, of(part)]);
  return { ...Object.fromEntries(parts), soft: getComputedStyle(legend).color, text, ground };
}
