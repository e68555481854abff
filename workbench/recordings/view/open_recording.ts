import { checkOptions, list, number, type OptionRules, yesOrNo } from "../../../ffi/check_options.ts";
import type { RecordedLine } from "../record/line.ts";
import { DEFAULT_TIMEOUT } from "../replay/session.ts";
import { lookingAt, RecordingError } from "../replay/error.ts";
import { RecordingFile } from "../replay/recording_file.ts";
import { recordingInfo } from "../trim/info.ts";
import { compareDrivers } from "../compare/compare_drivers.ts";
import { checkDriver } from "../compare/check_pair.ts";
import { boundStateOf, contentsIn, stagesOf, wordsOf } from "../compare/bound_state.ts";
import { ASPECT_BITS, piecesOf } from "../compare/contents/piece.ts";
import type { ImageAspect } from "../../../loader/texels/format.ts";
import type { Resources } from "../state_tracker/resources.ts";
import type { DriverIdentity } from "../compare/driver_process/protocol.ts";
import type { ComparedDriver } from "../compare/driver_process/side.ts";
import type { Write } from "../state_tracker/effects.ts";
import { numbersOfCall } from "./capture/draw_ranges.ts";
import { overdrawOf } from "./capture/overdraw.ts";
import { drawsOf, vertexOutputsOf } from "./capture/vertex_outputs.ts";
import { DriverReplays } from "./driver_replays.ts";
import { type Events, eventsOf } from "./events.ts";
import { Moments } from "./moments.ts";
import { historyOf, type HistorySource } from "./pixel_history.ts";
import { Shaders } from "./shaders.ts";
import { shaderText } from "./shader_texts.ts";
import { timesOf } from "./times.ts";
import type {
  Contents,
  ContentsRequest,
  DrawNumbers,
  EventState,
  OpenRecording,
  OpenRecordingOptions,
  Overdraw,
  OverdrawRequest,
  PixelHistory,
  RecordingEvent,
  ShaderLanguage,
  SideNumber,
  TexelPlace,
  VertexOutputs,
  VertexOutputsRequest,
} from "./types.ts";

const RULES: OptionRules<OpenRecordingOptions> = {
  drivers: list(
    "drivers",
    (value) => typeof value === "object" && value !== null ? undefined : "a driver with options",
  ),
  unsealed: yesOrNo,
  timeout: number,
};

/** A state in which nothing is bound. */
const NOTHING: EventState = { shaders: [], resources: [], dynamic: {} };

/**
 * Opens a recording to look at: its events, the state and the contents at each, on one driver or two.
 *
 * @throws {RecordingError} if the file is no recording, was cut or changed, or has an invalid line.
 * @throws {TypeError} if an option is wrong, or the file cannot be read.
 *
 * @example The events of a recording, for which no driver is needed
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { openRecording } from "@pumice/gfx/compare";
 * import { type RecordedLine, writeRecording } from "@pumice/gfx/layers";
 *
 * const commandBuffer = "VkCommandBuffer#1", queue = "VkQueue#1";
 * const lines: RecordedLine[] = [
 *   { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: {} } },
 *   { command: "vkCmdFillBuffer", args: { commandBuffer, dstBuffer: "VkBuffer#1", dstOffset: "0", size: "4", data: 7 } },
 *   { command: "vkEndCommandBuffer", args: { commandBuffer } },
 *   { command: "vkQueueSubmit", args: { queue, pSubmits: [{ pCommandBuffers: [commandBuffer] }] } },
 * ];
 * const folder = Deno.makeTempDirSync(), path = `${folder}/fill.jsonl`;
 * writeRecording(path, { lines, data: () => new Uint8Array() });
 *
 * await using recording = openRecording(path);
 * const rows = recording.events.map(({ depth, kind, name }) => `${depth} ${kind} ${name}`);
 * assertEquals(rows, [
 *   "0 frame frame 1",
 *   "1 submission vkQueueSubmit",
 *   "2 command buffer VkCommandBuffer#1",
 *   "3 clear vkCmdFillBuffer",
 * ]);
 * Deno.removeSync(folder, { recursive: true });
 * ```
 *
 * @example What an image has after each draw
 * ```ts ignore
 * import { openRecording } from "@pumice/gfx/compare";
 *
 * await using recording = openRecording("frame.jsonl", { drivers: [{ driver: "libvulkan_lvp.so" }] });
 * for (const { id, name } of recording.events.filter(({ kind }) => kind === "draw")) {
 *   const contents = await recording.contents(id);
 *   console.log(name, contents.map(({ piece, bytes }) => `${piece.name}: ${bytes.length} bytes`));
 * }
 * ```
 */
export function openRecording(path: string, options: OpenRecordingOptions = {}): OpenRecording {
  checkOptions("openRecording()", options, RULES);
  const { drivers = [] } = options;
  if (drivers.length > 2) throw new TypeError(`Cannot look at ${drivers.length} drivers; give two at most`);
  for (const each of drivers) checkDriver("openRecording()", each);
  try {
    return new Opened(path, options);
  } catch (error) {
    if (error instanceof RecordingError || error instanceof TypeError) throw error;
    throw new TypeError(`Cannot open "${path}": ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Returns the events of a recording that could write a texel, in order, with its value before and after each, and why
 * draws left it as it was.
 *
 * @throws {RecordingError} if the recording cannot be read or replayed.
 * @throws {TypeError} if there is no such texel, or the driver cannot be loaded.
 *
 * @example
 * ```ts ignore
 * import { pixelHistory } from "@pumice/gfx/compare";
 *
 * const driver = "libvulkan_lvp.so";
 * const { steps } = await pixelHistory("frame.jsonl", { image: "VkImage#3", x: 30, y: 20, driver });
 * for (const { event, after, reason } of steps) console.log(event.line, event.name, reason ?? after);
 * ```
 */
export async function pixelHistory(
  path: string,
  { driver, ...place }: TexelPlace & { readonly driver: ComparedDriver["driver"] },
): Promise<PixelHistory> {
  await using recording = openRecording(path, { drivers: [{ driver }] });
  return await recording.pixelHistory(place);
}

class Opened implements OpenRecording {
  readonly info: OpenRecording["info"];
  readonly #path: string;
  readonly #file: RecordingFile;
  readonly #options: OpenRecordingOptions;
  readonly #lines: readonly RecordedLine[];
  readonly #events: Events;
  readonly #moments: Moments;
  readonly #shaders: Shaders;
  readonly #replays: readonly DriverReplays[];
  #isClosed = false;

  constructor(path: string, options: OpenRecordingOptions) {
    const { drivers = [], unsealed = false, timeout = DEFAULT_TIMEOUT } = options;
    this.#path = path;
    this.#options = options;
    this.#file = new RecordingFile(path, unsealed);
    this.info = recordingInfo(path);
    this.#lines = Array.from(this.#file.entries(), ([, line]) => line);
    this.#events = lookingAt(0, () => eventsOf(this.#lines, this.info.framesEndAt));
    this.#moments = new Moments(this.#lines, this.#events);
    this.#shaders = lookingAt(0, () => new Shaders(this.#lines, this.#file.data));
    this.#replays = drivers.map((driver) => new DriverReplays(driver, timeout));
  }

  get events(): readonly RecordingEvent[] {
    return this.#events.list;
  }

  get gaps(): OpenRecording["gaps"] {
    return this.info.gaps;
  }

  async drivers(): Promise<readonly DriverIdentity[]> {
    return await Promise.all(this.#replays.map(async (each, side) => {
      if (!each.identity) {
        await this.#replay(side as SideNumber).contents({ recording: this.#path, cut: START, parts: [] });
      }
      return each.identity!;
    }));
  }

  state(id: number): EventState {
    const event = this.#event(id);
    return lookingAt(0, () => this.#stateAt(event));
  }

  #stateAt(event: RecordingEvent): EventState {
    const { executed, tracker } = this.#moments.at(event);
    if (!executed) return NOTHING;
    const state = boundStateOf(executed, tracker, unseen), stages = stagesOf(state.state);
    return { ...state, shaders: stages.map((stage) => this.#shaders.of(stage)) };
  }

  async shaderText(id: number, stage: number, language: ShaderLanguage): Promise<string> {
    const shader = this.state(id).shaders.find((each) => each.stage === stage);
    if (!shader) throw new TypeError(`Event ${id} has no shader of stage ${stage}`);
    const words = wordsOf(shader.code, this.#file.data);
    if (!words) throw new TypeError("The recording has no code of the shader");
    return await shaderText({ words, stage, entry: shader.entry }, language);
  }

  pieces(id: number): ReturnType<OpenRecording["pieces"]> {
    return this.#pieces(this.#event(id));
  }

  async contents(id: number, { side = 0, only, before = false }: ContentsRequest = {}): Promise<readonly Contents[]> {
    const event = this.#event(id), replay = this.#replay(side), cut = this.#moments.cutAt(event, before);
    if (!cut) return [];
    return await replay.contents({ recording: this.#path, cut, parts: this.#parts(event, only) });
  }

  async times(side: SideNumber = 0): Promise<ReadonlyMap<number, number>> {
    return await timesOf(this.#source(side));
  }

  async pixelHistory(place: TexelPlace, side: SideNumber = 0): Promise<PixelHistory> {
    return await historyOf(this.#source(side), place);
  }

  async draws(id: number, side: SideNumber = 0): Promise<readonly DrawNumbers[]> {
    const event = this.#event(id), direct = event.call && numbersOfCall(event.call);
    return direct ? [direct] : await drawsOf(this.#source(side), event);
  }

  async vertexOutputs(id: number, { side = 0, draw = 0 }: VertexOutputsRequest = {}): Promise<VertexOutputs> {
    return await vertexOutputsOf(this.#source(side), this.#event(id), draw);
  }

  async overdraw(id: number, { side = 0, tested = false }: OverdrawRequest = {}): Promise<Overdraw> {
    return await overdrawOf(this.#source(side), this.#event(id), tested);
  }

  async firstDifference(): Promise<RecordingEvent | undefined> {
    const { drivers = [], unsealed, timeout } = this.#options;
    if (drivers.length !== 2) throw new TypeError(`Cannot compare ${drivers.length} drivers; open with two`);
    const { finding } = await compareDrivers(this.#path, drivers as [ComparedDriver, ComparedDriver], {
      ...unsealed !== undefined && { unsealed },
      ...timeout !== undefined && { timeout },
    });
    if (finding?.submission === undefined) return undefined;
    const first = this.#events.submissions[finding.submission], { inside } = this.events[first];
    const { action } = finding;
    return this.events.slice(first, first + inside + 1).find(({ isAction, actions }) =>
      action && isAction && actions === action.index + 1
    ) ?? this.events[first];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#replays.map((each) => each.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #pieces(event: RecordingEvent, only?: readonly string[]) {
    const { tracker: { resources }, layouts } = this.#moments.at(event);
    return piecesOf(this.#parts(event, only), { resources, layouts });
  }

  /** The parts whose contents are wanted: those that an event writes and has bound, or all of some buffers and images. */
  #parts(event: RecordingEvent, only?: readonly string[]): Write[] {
    const { executed, tracker, writes } = this.#moments.at(event);
    if (only) {
      return only.map((name) => name.startsWith("VkBuffer#") ? { buffer: name } : partNamed(name, tracker.resources));
    }
    const parts = [...writes, ...executed ? contentsIn(boundStateOf(executed, tracker, unseen)) : []];
    return [...new Map(parts.map((each) => [JSON.stringify(each), each])).values()];
  }

  #event(id: number): RecordingEvent {
    if (this.#isClosed) throw new TypeError("The recording was closed; open it again");
    const event = this.events[id];
    if (!event) throw new TypeError(`There is no event ${id}: the recording has ${this.events.length}`);
    return event;
  }

  #source(side: SideNumber): HistorySource {
    return {
      path: this.#path,
      lines: this.#lines,
      events: this.#events,
      moments: this.#moments,
      shaders: this.#shaders,
      replays: this.#replay(side),
    };
  }

  #replay(side: SideNumber): DriverReplays {
    if (this.#isClosed) throw new TypeError("The recording was closed; open it again");
    const found = this.#replays[side];
    if (!found) {
      throw new TypeError(`There is no driver ${side}: the recording was opened with ${this.#replays.length}`);
    }
    return found;
  }
}

/** Stands for a shader at which nobody looks. */
const unseen = () => ({ stage: 0, entry: "", module: "", code: undefined, assembly: [] });
/** The place before everything that is submitted. */
const START = { submission: 0, actions: 0 };
/** Returns the part of an image that is named: all of the image, or a level of an aspect. */
function partNamed(name: string, resources: Resources): Write {
  const [, image = name, level, aspect] = /^(\S+) level (\d+) (color|depth|stencil)$/.exec(name) ?? [];
  if (level === undefined) return { ...resources.part(image, WHOLE) };
  const range = {
    ...WHOLE,
    aspectMask: ASPECT_BITS[aspect as ImageAspect],
    baseMipLevel: Number(level),
    levelCount: 1,
  };
  return { ...resources.part(image, range) };
}

/** Every part of an image. */
const WHOLE = { aspectMask: ~0, baseMipLevel: 0, levelCount: 0xffffffff, baseArrayLayer: 0, layerCount: 0xffffffff };
