import {
  VK_QUERY_CONTROL_PRECISE_BIT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_TYPE_OCCLUSION,
} from "../../../loader/gen/enums_core_gen.js";
import { chance, pick } from "../choices.ts";
import { ACCESS, FEATURE, LAYOUT, STAGE } from "../bits.ts";
import { type Format, isColor, isInteger } from "../formats.ts";
import type { Model } from "../model.ts";
import type { FuzzImage } from "../resources.ts";
import type { Action, FuzzAction } from "./action.ts";
import { beginPass, endPass, inheritanceOf, nextSubpass } from "./passes.ts";
import { type Attachment, paints, type Pass } from "./pass.ts";
import type { DrawKind } from "./calls.ts";
import { drawOnce } from "./draws.ts";

/** Whether an image can be drawn to. */
function isTarget({ shape }: FuzzImage): boolean {
  return shape.type === 1;
}

/** Chooses the attachments, all of one size. A query is in one subpass. */
function passOf(model: Model, counts: boolean): Pass | undefined {
  const { choices } = model, samples = chance(choices, 20) ? 4 : 1, paint = pick(choices, paints());
  const isDynamic = model.has("dynamicRendering") && (model.isSecondary || chance(choices, 50));
  if (model.isSecondary && !isDynamic) return undefined; // only primary command buffers begin render passes
  const colors: Attachment[] = [];
  let size: { width: number; height: number } | undefined;
  const add = (formats: readonly Format[]): Attachment | undefined => {
    const usable = formats.filter(({ value }) => (model.facts.samples[value] & samples) !== 0);
    const isWanted = (image: FuzzImage) => isTarget(image) && colors.every((other) => other.image !== image);
    const image = model.image(usable, isWanted, { type: 1, samples, ...size && { ...size, cube: false } });
    if (!image || colors.some((other) => other.image === image)) return undefined;
    const mip = size ? 0 : choices.integer(0, image.shape.mips - 1), { width, height } = image.extent(mip);
    size ??= { width, height };
    const part = { image, mip, layer: choices.integer(0, image.shape.layers - 1), isCleared: chance(choices, 50) };
    const resolve = resolveOf(model, image, colors);
    return { ...part, ...resolve && { resolve } };
  };
  for (const suits of paint.suits) {
    const added = add(model.formats.filter((format) => suits(format) && model.can(format, FEATURE.color)));
    if (!added) return undefined;
    colors.push(added);
  }
  const wantsDepth = paint.suits.length === 0 || chance(choices, 40);
  const hasPlace = (format: Format) => !isColor(format) && model.can(format, FEATURE.depthStencil);
  const depth = wantsDepth ? add(model.formats.filter(hasPlace)) : undefined;
  if (wantsDepth && !depth) return undefined;
  const subpasses = !isDynamic && !counts && chance(choices, 30) ? 2 : 1;
  return { colors, depth, paint, samples, isDynamic, subpasses, ...size! };
}

/** Chooses where several samples are resolved to; `undefined` if they are not. */
function resolveOf(model: Model, { format, shape }: FuzzImage, colors: readonly Attachment[]): Attachment | undefined {
  const { choices } = model, { width, height } = shape;
  if (shape.samples === 1 || !isColor(format) || isInteger(format) || !chance(choices, 40)) return undefined;
  const isFree = (image: FuzzImage) => colors.every(({ resolve }) => resolve?.image !== image);
  const image = model.image([format], isFree, { type: 1, samples: 1, width, height, cube: false });
  return image && { image, mip: 0, layer: choices.integer(0, image.shape.layers - 1), isCleared: false };
}

/** Brings all attachments into their layouts. */
function prepare(model: Model, { colors, depth }: Pass): void {
  const resolves = colors.flatMap(({ resolve }) => resolve ?? []);
  model.access(
    ...[...colors, ...resolves].map(({ image, mip, layer }) => (
      { image, mip, layer, stage: STAGE.color, access: ACCESS.color, layout: LAYOUT.color }
    )),
    ...depth
      ? [{
        image: depth.image,
        mip: depth.mip,
        layer: depth.layer,
        stage: STAGE.depth,
        access: ACCESS.depth,
        layout: LAYOUT.depth,
      }]
      : [],
  );
}

function draws(kind: DrawKind): Action {
  return (model) => {
    const { choices } = model, counts = kind === "query", pass = passOf(model, counts);
    if (!pass) return undefined;
    const count = choices.integer(1, 3);
    const results = counts ? model.buffer(16) : undefined;
    const subpassOf = (draw: number) => Math.floor(draw * pass.subpasses / count);
    const ready = Array.from({ length: count }, (_, draw) => drawOnce(model, pass, kind, subpassOf(draw)));
    prepare(model, pass);
    const pool = results ? newQueryPool(model) : undefined;
    const inSecondary = !model.isSecondary && !counts && chance(choices, 25);
    beginPass(model, pass, inSecondary);
    if (pool) model.writer.command("vkCmdBeginQuery", { queryPool: pool, query: 0, flags: isPrecise(model) });
    for (let subpass = 0; subpass < pass.subpasses; subpass++) {
      if (subpass > 0) nextSubpass(model, inSecondary);
      const write = () => ready.forEach((each, draw) => subpassOf(draw) === subpass && each());
      if (inSecondary) model.submissions!.inSecondary(inheritanceOf(model, pass, subpass), 1 | 2, write);
      else write();
    }
    if (pool) model.writer.command("vkCmdEndQuery", { queryPool: pool, query: 0 });
    endPass(model, pass);
    if (results) copyResults(model, pool!, results);
    for (const { image } of [...pass.colors, ...pass.depth ? [pass.depth] : []]) {
      model.wrote(image, image.steps + stepsOf(image.format));
    }
    for (const { image, resolve } of pass.colors) {
      if (resolve) model.wrote(resolve.image, Math.max(resolve.image.steps, image.steps + 2));
    }
    return doneOf(kind, pass);
  };
}

/** Returns the steps of a format by which one pass may bring two drivers apart. */
function stepsOf({ numbers }: Format): number {
  return numbers === "uint" || numbers === "sint" || numbers === "stencil" ? 0 : 3;
}

function doneOf(kind: DrawKind, { colors, depth }: Pass): FuzzAction {
  const images = [...colors, ...depth ? [depth] : []].map(({ image }) => image.format.name);
  return { kind, format: images.join(" ") };
}

function newQueryPool({ writer }: Model): string {
  const queryPool = writer.create("VkQueryPool", { queryType: VK_QUERY_TYPE_OCCLUSION, queryCount: 1 });
  writer.command("vkCmdResetQueryPool", { queryPool, firstQuery: 0, queryCount: 1 });
  return queryPool;
}

/** VkQueryControlFlags. */
function isPrecise(model: Model): number {
  return model.has("occlusionQueryPrecise") ? VK_QUERY_CONTROL_PRECISE_BIT : 0;
}

function copyResults(model: Model, queryPool: string, buffer: ReturnType<Model["buffer"]>): void {
  model.access({ buffer, stage: STAGE.transfer, access: ACCESS.transferWrite });
  model.writer.command("vkCmdCopyQueryPoolResults", {
    queryPool,
    firstQuery: 0,
    queryCount: 1,
    dstBuffer: buffer.name,
    dstOffset: 8,
    stride: 8,
    flags: VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT,
  });
  Object.assign(buffer, { writer: model.action });
}

/** Draws, as often as the vertices are counted, listed or read from a buffer. */
export const draw: Action = draws("draw");
/** Draws with an index buffer. */
export const drawIndexed: Action = draws("drawIndexed");
/** Draws with parameters from a buffer. */
export const drawIndirect: Action = draws("drawIndirect");
/** Both. */
export const drawIndexedIndirect: Action = draws("drawIndexedIndirect");
/** Counts the samples that draws let pass. */
export const query: Action = draws("query");
