import {
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_SHADER_STAGE_FRAGMENT_BIT,
} from "../../../../loader/gen/enums_core_gen.js";
import { coreName } from "../../record/commands.ts";
import type { Fields, RecordedCall } from "../../record/line.ts";
import { lineNumber } from "../../replay/recording_file.ts";
import { viewsOf } from "../../state_tracker/effects.ts";
import type { Resources } from "../../state_tracker/resources.ts";
import type { Pass } from "../../state_tracker/state.ts";
import type { Executed } from "../../state_tracker/state_tracker.ts";
import { OWN } from "../own_objects.ts";
import { viewsIn } from "../times.ts";
import type { Overdraw, RecordingEvent } from "../types.ts";
import { isLibrary } from "../variants.ts";
import { bindingOf, capturedBytes, type OwnPipeline, setsOf } from "./edited_recording.ts";
import { type Counters, countingShader, emptyFragment, reasonAgainstEarlyTests } from "./fragment_shader.ts";
import type { OutputSource } from "./vertex_outputs.ts";

/** Texels of an attachment at most. */
const MOST_TEXELS = 2 ** 26;

/** A draw of a pass, with what is bound there. */
interface PassDraw {
  readonly index: number;
  readonly call: RecordedCall;
  readonly pipeline: string;
  readonly info: Fields;
  /** The calls that bound the sets that the draw has. */
  readonly bindings: readonly RecordedCall[];
}

/** The draws of a pass, and the area of its attachments. */
interface DrawnPass {
  readonly device: string;
  readonly width: number;
  readonly height: number;
  readonly draws: readonly PassDraw[];
  readonly last: RecordingEvent;
}

/**
 * Returns how many fragments each texel got in a pass, from its beginning up to an event. Each draw is carried out by a
 * pipeline of its own, whose fragment shader counts, too.
 *
 * @throws {TypeError} with the reason if fragments cannot be counted.
 */
export async function overdrawOf(source: OutputSource, event: RecordingEvent, isTested: boolean): Promise<Overdraw> {
  const { device, width, height, draws, last } = passAt(source, event), unknown: string[] = [];
  const none = { width, height, draws: draws.length, counts: new Uint32Array(width * height), unknown };
  if (draws.length === 0) return none;
  const layouts = new Map<string, string>();
  for (const { info: { layout } } of draws) {
    if (!layouts.has(layout)) layouts.set(layout, `VkPipelineLayout#${OWN + layouts.size}`);
  }
  const counters = {
    width,
    height,
    set: Math.max(...[...layouts.keys()].map((layout) => setsOf(layout, source.lines))),
  };
  const pipelines = pipelinesOf(source, draws, layouts, counters, isTested, unknown);
  const bytes = await capturedBytes(source, {
    cut: { submission: event.submission!, actions: last.actions },
    device,
    replaced: new Map(draws.map((draw) => [draw.index, countedDraw(draw, pipelines, layouts, counters.set)])),
    pipelines: [...pipelines.values()],
    layouts,
    set: counters.set,
    size: 4 * (width * height + 1),
    feature: "fragmentStoresAndAtomics",
  });
  return { ...none, counts: new Uint32Array(bytes.slice(0, 4 * width * height).buffer) };
}

/** The pass around an event, or the one that it begins. */
function passAt({ moments, events }: OutputSource, event: RecordingEvent): DrawnPass {
  const all = events.list, begin = beginOf(event, all);
  if (!begin || begin.submission === undefined) throw new TypeError(`Event ${event.id}, ${event.name}, is in no pass`);
  const inside = all.slice(begin.id + 1, begin.id + begin.inside + 1);
  const until = event.id === begin.id || event.kind === "command buffer"
    ? inside.at(-1)?.id ?? begin.id
    : event.id + event.inside;
  const seen = inside.filter(({ id }) => id <= until), draws: PassDraw[] = [];
  let facts: Omit<DrawnPass, "draws" | "last"> | undefined;
  for (const each of seen.filter(({ kind }) => kind === "draw")) {
    const { executed, tracker } = moments.at(each), { resources } = tracker;
    facts ??= factsOf(executed!, resources);
    draws.push(drawOf(executed!, resources, tracker.lists.get(executed!.within.at(-1)!)?.steps ?? []));
  }
  checkOnce(draws, moments, event);
  const last = seen.findLast(({ isAction, kind }) => isAction && kind === "draw") ?? begin;
  return { device: "", width: 1, height: 1, ...facts, draws, last };
}

function beginOf(event: RecordingEvent, all: readonly RecordingEvent[]): RecordingEvent | undefined {
  let at: RecordingEvent | undefined = event;
  while (at && !(at.kind === "pass" && coreName(at.name).startsWith("vkCmdBegin"))) {
    at = at.parent === undefined ? undefined : all[at.parent];
  }
  return at;
}

function factsOf({ call, scene: { state } }: Executed, resources: Resources): Omit<DrawnPass, "draws" | "last"> {
  const pass = state.pass!, { device } = resources.call(call.args.commandBuffer)!.args;
  if (viewsIn(pass.begin, (name) => resources.info(name))) throw new TypeError("The pass has several views");
  const { width, height } = areaOf(pass, resources);
  if (width * height > MOST_TEXELS) throw new TypeError(`The pass has ${width} × ${height} texels: too many to count`);
  return { device, width, height };
}

/** The size of the attachments; that of the render area where there are none. */
function areaOf(pass: Pass, resources: Resources): { readonly width: number; readonly height: number } {
  for (const view of viewsOf(pass, resources)) {
    const part = resources.view(view), image = part && resources.image(part.image);
    if (!image) continue;
    const { width, height } = image.extent, shrunk = (size: number) => Math.max(1, size >> part.baseMipLevel);
    return { width: shrunk(width), height: shrunk(height) };
  }
  const { args } = pass.begin, { offset, extent } = (args.pRenderPassBegin ?? args.pRenderingInfo).renderArea;
  return { width: offset.x + extent.width, height: offset.y + extent.height };
}

function drawOf(
  { index, call, scene: { state } }: Executed,
  resources: Resources,
  steps: readonly { index: number; call: RecordedCall }[],
): PassDraw {
  const { pipeline } = state.at(VK_PIPELINE_BIND_POINT_GRAPHICS), info = resources.info(pipeline);
  const at = `Line ${lineNumber(index)}, ${call.command},`;
  if (!info?.pStages || !info.pRasterizationState || info.pNext?.some(isLibrary)) {
    throw new TypeError(`${at} has a pipeline made of libraries, or none`);
  }
  if (state.feeding) throw new TypeError(`${at} is inside of transform feedback`);
  return { index, call, pipeline: pipeline!, info, bindings: latestBindings(steps, index) };
}

/** The latest call for each number of a set that binds something, in order. */
function latestBindings(steps: readonly { index: number; call: RecordedCall }[], index: number): RecordedCall[] {
  const found = new Map<number, RecordedCall>();
  for (const { index: at, call } of steps) {
    if (at >= index) break;
    const { pipelineBindPoint, firstSet, pDescriptorSets } = call.args;
    if (coreName(call.command) !== "vkCmdBindDescriptorSets" || pipelineBindPoint !== VK_PIPELINE_BIND_POINT_GRAPHICS) {
      continue;
    }
    for (const set of pDescriptorSets.keys()) found.set(firstSet + set, call);
  }
  return [...new Set([...found].sort(([one], [other]) => one - other).map(([, call]) => call))];
}

/** A line that is carried out twice would count twice. */
function checkOnce(draws: readonly PassDraw[], moments: OutputSource["moments"], event: RecordingEvent): void {
  const times = new Map<number, number>();
  for (const { index } of moments.commandsOf(event)) times.set(index, (times.get(index) ?? 0) + 1);
  for (const { index, call } of draws) {
    if (times.get(index) === 1) continue;
    throw new TypeError(`Line ${lineNumber(index)}, ${call.command}, is carried out more than once by the submission`);
  }
}

/** A counting pipeline for each pipeline, by the name of that one. */
function pipelinesOf(
  { shaders }: OutputSource,
  draws: readonly PassDraw[],
  layouts: ReadonlyMap<string, string>,
  counters: Counters,
  isTested: boolean,
  unknown: string[],
): Map<string, OwnPipeline> {
  const made = new Map<string, OwnPipeline>();
  for (const { index, call, pipeline, info } of draws) {
    if (made.has(pipeline)) continue;
    const number = OWN + made.size, module = `VkShaderModule#${number}`;
    const stage = info.pStages.find((each: Fields) => each.stage === VK_SHADER_STAGE_FRAGMENT_BIT);
    const words = stage ? shaders.wordsOf(stage) : emptyFragment();
    if (!words) {
      throw new TypeError(`Line ${lineNumber(index)}, ${call.command}, has a shader without code in the recording`);
    }
    const against = isTested
      ? info.pMultisampleState?.alphaToCoverageEnable ? "its coverage comes from alpha" : reasonAgainstEarlyTests(words)
      : undefined;
    if (against) {
      unknown.push(
        `Line ${
          lineNumber(index)
        }, ${call.command}: ${against}, so that its fragments are counted before the tests of depth and stencil`,
      );
    }
    const bytes = countingShader(words, stage?.pName ?? "main", counters, isTested && !against);
    made.set(pipeline, {
      like: pipeline,
      name: `VkPipeline#${number}`,
      info: { ...info, pStages: stagesWith(info.pStages, stage, module), layout: layouts.get(info.layout) },
      modules: [{ name: module, bytes }],
    });
  }
  return made;
}

function stagesWith(stages: readonly Fields[], fragment: Fields | undefined, module: string): Fields[] {
  const others = stages.filter((each) => each !== fragment),
    { pNext = [], ...stage } = fragment ??
      { flags: 0, stage: VK_SHADER_STAGE_FRAGMENT_BIT, pName: "main" };
  const links = pNext.filter(({ sType }: Fields) => sType !== "VkShaderModuleCreateInfo");
  return [...others, { ...stage, ...links.length > 0 && { pNext: links }, module }];
}

/** A draw with the counting pipeline. Sets that a wider layout has bound are bound anew: the counters disturb them. */
function countedDraw(
  { call, pipeline, info, bindings }: PassDraw,
  pipelines: ReadonlyMap<string, OwnPipeline>,
  layouts: ReadonlyMap<string, string>,
  set: number,
): RecordedCall[] {
  const { commandBuffer } = call.args, { name } = pipelines.get(pipeline)!;
  const bind = { commandBuffer, pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline: name };
  return [
    { command: "vkCmdBindPipeline", args: bind },
    ...layouts.size > 1 ? bindings : [],
    bindingOf(commandBuffer, layouts.get(info.layout)!, set),
    call,
  ];
}
