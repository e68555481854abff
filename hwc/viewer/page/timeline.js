// When frames were presented, ready and shown.
import { resize, roundUp } from "../../../wsi/web/page/live.js";

/** How many vsyncs the timeline goes back, and lanes that frames share in turn. */
const VSYNCS = 12, LANES = 3;
const STRIP_FRAMES = 120;

/** A bar for each frame between the vsyncs: its fences, its wait, its time on the panel. */
export function drawTimeline(canvas, legend, { frames, refreshRate, name }) {
  const { context, width, height, scale } = open(canvas), colours = coloursOf(legend);
  const period = 1000 / refreshRate, end = (frames.at(-1)?.shown ?? 0) + period, begin = end - VSYNCS * period;
  const at = (time) => (time - begin) / (end - begin) * width;
  const axis = 16 * scale, lane = (height - axis) / LANES, bar = lane * 0.72;
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.fillStyle = colours.vsync;
  for (let vsync = 0; vsync <= VSYNCS; vsync++) context.fillRect(at(end - vsync * period), 0, scale, height - axis);
  const recent = frames.filter(({ shown }) => shown > begin - period);
  recent.forEach((frame, index) => {
    const top = (frame.number % LANES) * lane + (lane - bar) / 2;
    const gone = recent[index + 1]?.shown ?? end;
    const part = (colour, from, to) => {
      if (to <= from) return;
      context.fillStyle = colours[colour];
      context.fillRect(at(from), top, Math.max(scale, at(to) - at(from) - scale), bar);
    };
    part("fence", frame.presented, frame.ready);
    part("waits", frame.ready, frame.shown);
    part("panel", frame.shown, Math.min(gone, end));
    label(
      context,
      `${frame.number}`,
      at(frame.shown) + 5 * scale,
      top + bar / 2,
      at(Math.min(gone, end)),
      colours.text,
    );
  });
  context.fillStyle = colours.soft;
  context.textBaseline = "alphabetic";
  const tick = roundUp(period * 2);
  for (let back = 0; back < end - begin; back += tick) {
    context.textAlign = back === 0 ? "right" : "center";
    context.fillText(back === 0 ? "now" : `−${back} ms`, at(end - back), height - 3 * scale);
  }
  const last = frames.at(-1), wait = last ? (last.shown - last.presented).toFixed(1) : "";
  const says = last ? `frame ${last.number} was shown ${wait} ms after it was presented` : "no frame yet";
  canvas.setAttribute("aria-label", `Vsyncs and fences of ${name}: ${says}`);
}

/** A bar for each frame: the time from the one before it to it, beside the panel's period. */
export function drawStrip(canvas, legend, { frames, refreshRate, name }) {
  const { context, width, height, scale } = open(canvas), colours = coloursOf(legend), period = 1000 / refreshRate;
  const times = frames.slice(1).map(({ shown }, index) => shown - frames[index].shown);
  const most = roundUp(Math.max(2 * period, ...times.map((time) => Math.min(time, 10 * period))));
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

function label(context, text, left, middle, right, colour) {
  if (context.measureText(text).width > right - left) return;
  context.fillStyle = colour;
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

/** Those of the legend, as the colour scheme has them now. */
function coloursOf(legend) {
  const of = (part) => getComputedStyle(legend.querySelector(`.${part}`), "::before").backgroundColor;
  const style = getComputedStyle(legend), root = getComputedStyle(document.querySelector(".timeline"));
  return {
    ...Object.fromEntries(["fence", "waits", "panel", "vsync"].map((part) => [part, of(part)])),
    soft: style.color,
    text: style.getPropertyValue("--on-panel") || style.color,
    ground: root.backgroundColor,
  };
}
