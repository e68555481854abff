import {
  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
  VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
  VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
  VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
  VK_SHADER_STAGE_VERTEX_BIT,
} from "../../../../loader/gen/enums_core_gen.js";
import type { Fields, RecordedCall } from "../../record/line.ts";
import { RecordingError } from "../../replay/error.ts";
import type { Executed } from "../../state_tracker/state_tracker.ts";
import type { ReplaySource } from "../answers.ts";
import type { Moments } from "../moments.ts";
import { OWN } from "../own_objects.ts";
import type { Shaders } from "../shaders.ts";
import { viewsIn } from "../times.ts";
import type { DrawNumbers, RecordingEvent, VertexOutputs } from "../types.ts";
import { isLibrary } from "../variants.ts";
import { indicesOf, indirectPlace, numbersInBuffer, numbersOfCall, vertexRange } from "./draw_ranges.ts";
import { bindingOf, CAPTURED, capturedBytes, type Edit, setsOf } from "./edited_recording.ts";
import { type CaptureWay, capturingShader, type StoredRange, usesDrawParameters } from "./vertex_shader.ts";

/** The recording and the driver. */
export interface OutputSource extends ReplaySource {
  readonly moments: Moments;
  readonly shaders: Shaders;
}

/** Bytes of outputs at most. */
const MOST_BYTES = 2 ** 26;
const PIPELINE = `VkPipeline#${OWN}`, MODULE = `VkShaderModule#${OWN}`, LAYOUT = `VkPipelineLayout#${OWN}`;
/** Dynamic state that the pipeline of its own sets for itself. */
const FIXED: readonly number[] = [
  VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
  VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
];
/** Built-ins of the number of a draw, and of the number that is added to vertices. */
const DRAW_INDEX = 4426, BASE_VERTEX = 4424;

/** A draw whose outputs are wanted. */
interface Wanted {
  readonly event: RecordingEvent;
  readonly executed: Executed;
  readonly device: string;
  readonly info: Fields;
  readonly pipeline: string;
  readonly code: Uint8Array;
  readonly entry: string;
}

/**
 * Returns the outputs of the vertex shader of a draw. The draw is carried out by another pipeline, which has the vertices
 * between the lowest and the highest one that the draw takes, as one line, and no rasterization.
 *
 * @throws {TypeError} with the reason if the outputs cannot be had.
 */
export async function vertexOutputsOf(
  source: OutputSource,
  event: RecordingEvent,
  draw: number,
): Promise<VertexOutputs> {
  const wanted = wantedAt(source, event), draws = await drawsOf(source, event), numbers = draws[draw];
  if (!numbers) throw new TypeError(`Event ${event.id} has ${draws.length} draws: none has the number ${draw}`);
  checkParameters(wanted.code, draw, numbers);
  const { first, count } = await rangeOf(source, wanted, numbers), { instances, firstInstance } = numbers;
  const range = { first, count, firstInstance, instances, set: 0 }, reasons: string[] = [];
  const common = { numbers, first, count };
  if (count * instances === 0) return { ...common, way: "none", outputs: [], stride: 0, bytes: new Uint8Array(0) };
  for (const way of ["feedback", "stores"] as const) {
    try {
      return { ...common, ...await captured(source, wanted, way, range) };
    } catch (error) {
      // A device without the extension or the feature refuses the replay.
      if (!(error instanceof TypeError || error instanceof RecordingError)) throw error;
      reasons.push(`${way === "feedback" ? "by transform feedback" : "by stores of the shader"}: ${error.message}`);
    }
  }
  throw new TypeError(`The outputs of the vertex shader cannot be had ${reasons.join("; ")}`);
}

function wantedAt({ moments, shaders }: OutputSource, event: RecordingEvent): Wanted {
  const { executed, tracker } = moments.at(event);
  if (event.kind !== "draw" || !executed) throw new TypeError(`Event ${event.id} is no draw`);
  const { resources } = tracker, { state } = executed.scene, { pipeline } = state.at(VK_PIPELINE_BIND_POINT_GRAPHICS);
  const info = resources.info(pipeline), against = reasonAgainst(executed, info, resources);
  if (against || !info || pipeline === undefined) throw new TypeError(`The draw ${against ?? "has no pipeline"}`);
  const stage = info.pStages.find((each: Fields) => each.stage === VK_SHADER_STAGE_VERTEX_BIT);
  const code = stage && shaders.wordsOf(stage);
  if (!code) throw new TypeError("The draw has no vertex shader whose code is in the recording");
  const { device } = resources.call(executed.call.args.commandBuffer)!.args;
  return { event, executed, device, info, pipeline, code, entry: stage.pName };
}

function reasonAgainst(
  { scene: { state } }: Executed,
  info: Fields | undefined,
  resources: { info(name: string): Fields | undefined },
) {
  if (!info?.pStages || !info.pRasterizationState || info.pNext?.some(isLibrary)) {
    return "has a pipeline made of libraries, or none";
  }
  if (state.feeding) return "is inside of transform feedback";
  return viewsIn(state.pass?.begin, (name) => resources.info(name)) ? "is in a pass of several views" : undefined;
}

/** Returns the numbers of the draws of a command. */
export async function drawsOf(source: OutputSource, event: RecordingEvent): Promise<readonly DrawNumbers[]> {
  const { call } = event, direct = call && numbersOfCall(call), place = call && indirectPlace(call);
  if (direct) return [direct];
  if (!place) throw new TypeError(`Event ${event.id}, ${event.name}, draws no vertices whose number is known`);
  return await numbersInBuffer(call, place, (buffer) => bytesBefore(source, event, buffer));
}

async function bytesBefore({ replays, path, moments }: OutputSource, event: RecordingEvent, buffer: string) {
  const cut = moments.cutAt(event, true)!,
    [found] = await replays.contents({ recording: path, cut, parts: [{ buffer }] });
  if (!found) throw new TypeError(`${buffer} has no contents before event ${event.id}`);
  return found.bytes;
}

/** A draw in the place of another one has other numbers. */
function checkParameters(code: Uint8Array, draw: number, { isIndexed }: DrawNumbers): void {
  if (draw > 0 && usesDrawParameters(code, [DRAW_INDEX])) {
    throw new TypeError("The shader asks for the number of the draw");
  }
  if (isIndexed && usesDrawParameters(code, [BASE_VERTEX])) throw new TypeError("The shader asks for the base vertex");
}

async function rangeOf(source: OutputSource, { event, executed, info }: Wanted, numbers: DrawNumbers) {
  const { state } = executed.scene, bound = indicesOf(state.indexBuffer);
  const restarts = [...state.dynamic].findLast(([key]) => key.startsWith("vkCmdSetPrimitiveRestartEnable"))?.[1]
    .primitiveRestartEnable ?? info.pInputAssemblyState?.primitiveRestartEnable;
  if (!numbers.isIndexed) return vertexRange(numbers, false);
  if (!bound) throw new TypeError("The draw has no index buffer");
  return vertexRange(numbers, !!restarts, { bytes: await bytesBefore(source, event, bound.buffer), bound });
}

async function captured(source: OutputSource, wanted: Wanted, way: CaptureWay, range: StoredRange) {
  const { code, entry, info, pipeline, device, executed, event } = wanted, isFed = way === "feedback";
  const set = isFed ? 0 : setsOf(info.layout, source.lines),
    shader = capturingShader(code, entry, way, { ...range, set });
  const { outputs, stride } = shader, count = range.count * range.instances;
  if (outputs.length === 0) throw new TypeError("the shader has no outputs");
  if (count * stride > MOST_BYTES) {
    throw new TypeError(`${count} vertices have more than ${MOST_BYTES} bytes of outputs`);
  }
  const ends = isFed && range.count > 1 ? 2 * (range.count - 1) : range.count; // each line has two ends
  const size = (ends * range.instances + 1) * stride; // stores of vertices that are not meant go behind
  const edit: Edit = {
    cut: { submission: event.submission!, actions: event.actions },
    device,
    replaced: new Map([[executed.index, commandsOf(executed.call, range, set, isFed, size)]]),
    pipelines: [{
      like: pipeline,
      name: PIPELINE,
      info: lineOf(info, isFed ? info.layout : LAYOUT, range.count),
      modules: [{ name: MODULE, bytes: shader.bytes }],
    }],
    set,
    layouts: new Map(isFed ? [] : [[info.layout, LAYOUT]]),
    size,
    feature: isFed ? "transformFeedback" : "vertexPipelineStoresAndAtomics",
  };
  const bytes = await capturedBytes(source, edit);
  const told = isFed ? "transform feedback" as const : "stores of the shader" as const;
  return {
    way: told,
    outputs,
    stride,
    bytes: isFed ? vertexEach(bytes, stride, range) : bytes.subarray(0, count * stride),
  };
}

/** Each vertex once: a line of vertices is fed back as lines, of which each begins where the one before ends. */
function vertexEach(bytes: Uint8Array, stride: number, { count, instances }: StoredRange): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(count * instances * stride), ends = Math.max(1, 2 * (count - 1));
  for (let at = 0; at < count * instances; at++) {
    const end = Math.floor(at / count) * ends + Math.max(0, 2 * (at % count) - 1);
    all.set(bytes.subarray(end * stride, (end + 1) * stride), at * stride);
  }
  return all;
}

/** The draw of the vertices, once each, with the pipeline that gives their outputs away. */
function commandsOf(
  { args }: RecordedCall,
  range: StoredRange,
  set: number,
  isFed: boolean,
  size: number,
): RecordedCall[] {
  const { commandBuffer } = args, { first, count, instances, firstInstance } = range;
  const bind = { pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline: PIPELINE };
  const draw = { vertexCount: count, instanceCount: instances, firstVertex: first, firstInstance };
  const call = (command: string, args: Fields): RecordedCall => ({ command, args: { commandBuffer, ...args } });
  if (!isFed) return [call("vkCmdBindPipeline", bind), bindingOf(commandBuffer, LAYOUT, set), call("vkCmdDraw", draw)];
  return [
    call("vkCmdBindPipeline", bind),
    call("vkCmdBindTransformFeedbackBuffersEXT", {
      firstBinding: 0,
      pBuffers: [CAPTURED],
      pOffsets: ["0"],
      pSizes: [`${size}`],
    }),
    call("vkCmdBeginTransformFeedbackEXT", { firstCounterBuffer: 0 }),
    call("vkCmdDraw", draw),
    call("vkCmdEndTransformFeedbackEXT", { firstCounterBuffer: 0 }),
  ];
}

/**
 * A pipeline like another one that makes a line of the vertices and rasterizes nothing. Points would ask for a shader that
 * tells their size.
 */
function lineOf(info: Fields, layout: string, count: number): Fields {
  const topology = count > 1 ? VK_PRIMITIVE_TOPOLOGY_LINE_STRIP : VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const { pTessellationState: _, ...rest } = info,
    { pNext, ...stage } = info.pStages.find((each: Fields) => each.stage === VK_SHADER_STAGE_VERTEX_BIT);
  const inline = (pNext ?? []).filter(({ sType }: Fields) => sType !== "VkShaderModuleCreateInfo");
  const states: number[] = info.pDynamicState?.pDynamicStates ?? [];
  return {
    ...rest,
    pStages: [{ ...stage, ...inline.length > 0 && { pNext: inline }, module: MODULE }],
    pInputAssemblyState: { flags: 0, topology, primitiveRestartEnable: false },
    pRasterizationState: { ...info.pRasterizationState, rasterizerDiscardEnable: true, lineWidth: 1 },
    pDynamicState: { ...info.pDynamicState, pDynamicStates: states.filter((state) => !FIXED.includes(state)) },
    layout,
  };
}
