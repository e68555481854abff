import { checkOptions } from "../../ffi/check_options.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { syncDmaBuf } from "../../wsi/buffer/dma_buf.ts";
import {
  COMPOSE_RULES,
  type ComposeOptions,
  type CompositionBackend,
  CompositionError,
  type CompositionReport,
  type CompositionRule,
  type LayerReport,
} from "./backend.ts";
import type { ComposeLayer } from "./compose_layer.ts";
import { type DrawingPlan, planDrawing, stepOf } from "./plan/drawing_plan.ts";
import { areaOfAll } from "../rects.ts";
import type { Painter, Step } from "./plan/step.ts";
import { type Surface, surfaceOf } from "./surface.ts";
import { CPU_TILES } from "./tiles/cpu_tiles.ts";
import { LinearCopies } from "./tiles/linear_copies.ts";
import { isYuv, pictureFor, YuvPicture } from "./yuv_target.ts";

const CLEAR = { r: 0, g: 0, b: 0, a: 0 };
const READ = 1, WRITE = 2;

/**
 * A backend of painters: the first painter that can draw a layer draws it. All
 * painters draw into the same memory, so a frame may use several.
 */
export function backendOf(name: string, painters: readonly Painter[]): CompositionBackend {
  let isOpen = true;
  const rows = new LinearCopies([...painters.flatMap(({ tiles }) => tiles ?? []), CPU_TILES]);
  const forget = (buffer: GraphicBuffer) => {
    rows.forget(buffer);
    painters.forEach((painter) => painter.forget?.(buffer));
  };
  const yuv = new YuvPicture(painters);
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    yuv.close();
    rows.close();
    painters.forEach((painter) => painter.close());
  };
  const composeRgb = (target: GraphicBuffer, layers: readonly ComposeLayer[], options: ComposeOptions) =>
    compose(name, painters, target, layers, options);
  return {
    name,
    can(layer, target, options = {}) {
      checkOptions("can()", options, COMPOSE_RULES);
      const answer = rows.can(layer);
      return answer === true ? canDraw(painters, rows.shape(layer), target, options) : answer;
    },
    compose(target, layers, options = {}) {
      checkOptions("compose()", options, COMPOSE_RULES);
      if (!isOpen) throw new CompositionError("closed", `Cannot compose: the backend "${name}" is closed`);
      const drawn = rows.fill(layers);
      rows.endFrame();
      return isYuv(target) ? yuv.compose(composeRgb, target, drawn, options) : composeRgb(target, drawn, options);
    },
    forget,
    close,
    [Symbol.dispose]: close,
  };
}

function canDraw(
  painters: readonly Painter[],
  layer: ComposeLayer,
  target: GraphicBuffer,
  options: ComposeOptions,
): true | string {
  const found = surfaceOf(target);
  if (typeof found === "string") return found;
  const surface = found.kind === "yuv" ? pictureFor(found) : found;
  try {
    const step = stepOf(layer, 0, surface, options);
    if (typeof step === "string") return true; // nothing to draw
    const answers = painters.map((painter) => draws(painter, step, surface, options.rule ?? "p"));
    return answers.some((answer) => answer === true) || answers.join("; ");
  } catch (error) {
    if (error instanceof CompositionError) return error.message;
    throw error;
  }
}

function compose(
  name: string,
  painters: readonly Painter[],
  target: GraphicBuffer,
  layers: readonly ComposeLayer[],
  options: ComposeOptions,
): CompositionReport {
  const start = performance.now();
  const plan = planDrawing(target, layers, options);
  const chosen = plan.steps.map((step) => choose(painters, step, plan, layers[step.layer]));
  withAccess(target, layers, () => paint(painters, chosen, target, plan, options));
  return report(name, layers, plan, chosen, start);
}

function draws(painter: Painter, step: Step, target: Surface, rule: CompositionRule): true | string {
  const answer = painter.writes(target, rule);
  return answer === true ? painter.can(step, target, rule) : answer;
}

function choose(painters: readonly Painter[], step: Step, plan: DrawingPlan, { name }: ComposeLayer): Painter {
  const reasons: string[] = [];
  for (const painter of painters) {
    const answer = draws(painter, step, plan.target, plan.rule);
    if (answer === true) return painter;
    reasons.push(`${painter.name}: ${answer}`);
  }
  const which = `layer ${step.layer}${name ? ` "${name}"` : ""}`;
  throw new CompositionError("cannot-compose", `Cannot compose ${which}: ${reasons.join("; ")}`);
}

/** Neighbours that one painter draws are one run; the first fills the background, too. */
function paint(
  painters: readonly Painter[],
  chosen: readonly Painter[],
  target: GraphicBuffer,
  plan: DrawingPlan,
  { background: color = CLEAR }: ComposeOptions,
): void {
  const { r, g, b, a } = color, backgroundColor = [r, g, b, a] as const;
  let begin = 0;
  do {
    const painter = chosen[begin] ?? filler(painters, plan);
    let end = begin + 1;
    while (end < chosen.length && chosen[end] === painter) end++;
    const steps = plan.steps.slice(begin, end), isFirst = begin === 0, { area, rule } = plan;
    const background = isFirst ? plan.background : [];
    painter.paint(plan.target, { steps, area, isFirst, background, backgroundColor, rule }, target);
    begin = end;
  } while (begin < chosen.length);
}

/** Returns the backend that fills the background of a frame without layers. */
function filler(painters: readonly Painter[], { target, rule }: DrawingPlan): Painter {
  const painter = painters.find((each) => each.writes(target, rule) === true);
  if (painter) return painter;
  const reasons = painters.map((each) => `${each.name}: ${each.writes(target, rule)}`);
  throw new CompositionError("cannot-compose", `Cannot compose into this target: ${reasons.join("; ")}`);
}

/** Tells the caches of devices that the CPU draws. */
function withAccess(target: GraphicBuffer, layers: readonly ComposeLayer[], draw: () => void): void {
  const sources = layers.flatMap(({ buffer }) => buffer && !buffer.isClosed ? [{ buffer, access: READ }] : []);
  const shared = [{ buffer: target, access: WRITE | READ }, ...sources].filter(({ buffer }) =>
    buffer.memory.kind === "dma-buf"
  );
  for (const { buffer: { memory }, access } of shared) syncDmaBuf(memory.fd, access, false);
  try {
    draw();
  } finally {
    for (const { buffer: { memory }, access } of shared) syncDmaBuf(memory.fd, access, true);
  }
}

function report(
  backend: string,
  layers: readonly ComposeLayer[],
  { steps, culled }: DrawingPlan,
  chosen: readonly Painter[],
  start: number,
): CompositionReport {
  const byLayer = new Map(steps.map((step, index) => [step.layer, { step, painter: chosen[index] }]));
  const reports = layers.map(({ name }, layer): LayerReport => {
    const drawn = byLayer.get(layer), label = name === undefined ? { layer } : { layer, name };
    if (!drawn) return { ...label, backend: undefined, pixels: 0, culled: culled.get(layer)! };
    return { ...label, backend: drawn.painter.name, pixels: areaOfAll(drawn.step.rects) };
  });
  const pixels = reports.reduce((sum, each) => sum + each.pixels, 0);
  return { backend, pixels, culled: culled.size, milliseconds: performance.now() - start, layers: reports };
}
