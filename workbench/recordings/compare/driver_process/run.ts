import type { Fields, RecordedCall, RecordedLine, RecordedWrite } from "../../record/line.ts";
import { VulkanError } from "../../../../loader/error.ts";
import { checkStream, located } from "../../replay/check.ts";
import { heldText } from "../../state_tracker/flow.ts";
import { perform } from "../../replay/perform.ts";
import type { RecordedLines, Recording } from "../../replay/recording_file.ts";
import { Session } from "../../replay/session.ts";
import { withNames } from "../../replay/unfinished.ts";
import { giveHeld } from "../../replay/waits.ts";
import type { Vulkan } from "../../../../loader/api/vulkan.ts";
import { createDebugMessenger } from "../../../../loader/api/debug_messenger.ts";
import type { VkInstance, VkPhysicalDevice } from "../../../../loader/gen/types_core_gen.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
} from "../../../../loader/gen/enums_core_gen.js";
import { VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT } from "../../../../loader/gen/enums_ext_gen.js";
import { aspectsOf } from "../../../../loader/texels/format.ts";
import { Definer } from "../contents/define.ts";
import { type LoosePart, looseParts, PermittedDifferences } from "../tolerances/permitted_differences.ts";
import { type ComparedPiece, type Pieces, piecesOf } from "../contents/piece.ts";
import { isReadable, readPieces } from "../contents/read.ts";
import type { Write } from "../../state_tracker/effects.ts";
import { StateTracker } from "../../state_tracker/state_tracker.ts";
import { cutStream, isSubmission, repeatOf } from "./cut.ts";
import { reasonAgainstGoingOn } from "./going_on.ts";
import { KeptState } from "./kept_state.ts";
import type { Cut, Stop } from "./protocol.ts";

/** A place where a replay rests. */
export interface Rest extends Pieces {
  /** Number of the submission, from 0. */
  readonly submission: number;
  /** Index of the submission's line. */
  readonly index: number;
  /** Returns the contents of all pieces. */
  read(): Uint8Array<ArrayBuffer>[];
  /** Returns where drivers have permitted difference in a piece. */
  looseIn(piece: ComparedPiece): LoosePart[];
}

/** The options of comparing a replay. */
export interface RunOptions {
  /** Milliseconds to wait for a fence or semaphore. */
  readonly timeout: number;
  /** Ends inside a submission. */
  readonly cut?: Cut;
  /** The names of the only buffers and images to read. */
  readonly only?: readonly string[];
  /** Contents to read besides those that were written. */
  readonly also?: readonly Write[];
  /** Whether times and statistics that queries tell stay what they are. */
  readonly isMeasured?: boolean;
  /** Called with the device, before anything is created on it. */
  readonly onDevice?: (gpu: VkPhysicalDevice) => void;
  /** Called with each error of a validation layer. */
  readonly onError?: (message: string) => void;
  /** Called before each line, by its index. */
  readonly onLine?: (index: number) => void;
  /** Whether enough is known after a line, so that the replay ends. */
  readonly isEnough?: () => boolean;
  /** Called for each buffer or image whose contents could not be looked at, with the reason. */
  readonly onUnread?: (name: string, reason: string) => void;
  /** Called when a submission is done. Returns whether to go on. */
  readonly onRest: (rest: Rest) => boolean;
  /**
   * Called when a replay that stands is at a place. `reasonAgainst` tells why the replay cannot go on to another one.
   * Returns the next place, or nothing if the replay shall end.
   */
  readonly onStop?: (rest: Rest, reasonAgainst: (cut: Cut) => string | undefined) => Stop | undefined;
}

/** Replays a recording, and rests after each submission. Returns how many calls were repeated. */
export function runStream(vulkan: Vulkan, given: Recording, options: RunOptions): number {
  const recording = withNames(given);
  const { timeout, onDevice, onError } = options,
    survey = checkStream(recording, { breaksRules: onError !== undefined });
  const messenger = onError && createDebugMessenger(undefined, ({ message }) => onError(message), {
    severity: VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    interval: 0,
  });
  let isKnown = false;
  const onInstance = (instance: VkInstance, gpu: VkPhysicalDevice) => {
    if (!isKnown) onDevice?.(gpu);
    isKnown = true;
    return messenger?.listen(instance);
  };
  const instanceExtensions = messenger ? ["VK_EXT_debug_utils"] : [];
  using _messenger = messenger;
  const session = new Session(vulkan, recording, survey, { timeout, onInstance, instanceExtensions });
  session.within(() => new Run(session, options).all(recording.lines));
  return session.report.calls;
}

/** Before the first submission. */
const NOTHING_YET = { index: 0, submission: 0, queue: "", line: { missing: "" } };

/** One replay with its state tracker. */
class Run {
  readonly #session: Session;
  readonly #options: RunOptions;
  readonly #tracker = new StateTracker();
  readonly #definer: Definer;
  readonly #permittedDifferences: PermittedDifferences;
  /** Images without the usage that a clear or a copy needs. */
  readonly #unclearable = new Set<string>();
  readonly #uncopyable = new Set<string>();
  /** The writes of submissions that had not ended when they were looked at. */
  #late: Write[] = [];
  #submissions = 0;
  /** The number of command buffers that were made to carry out a submission again. */
  #ownBuffers = 0;
  /** The reason why the latest submission cannot be carried out again; `undefined` if it can. */
  #unrepeatable: string | undefined;
  /** The latest submission. */
  #last: { index: number; submission: number; queue: string; line: RecordedLine } = NOTHING_YET;

  constructor(session: Session, options: RunOptions) {
    this.#session = session;
    this.#options = options;
    const canClear = (image: string, commandBuffer: string) => this.#canClear(image, commandBuffer);
    this.#definer = new Definer(this.#tracker, canClear, options.isMeasured);
    this.#permittedDifferences = new PermittedDifferences({
      clears: (commandBuffer, barrier) => this.#definer.clears(commandBuffer, barrier),
      sizeOf: (bytes) => bytesIn(bytes, session),
    });
  }

  all(lines: RecordedLines): void {
    const { cut, onStop } = this.#options;
    if (cut && onStop) return this.#stand(lines, cut, onStop);
    if (!cut) {
      for (const [index, line] of lines.entries()) if (!this.#step(index, line, true)) return;
      return this.#tellHeld();
    }
    const { before, last, index } = cutStream(lines, cut);
    for (const [at, line] of before) this.#step(at, line, false);
    for (const line of last) this.#step(index, line, true);
    if (!this.#session.flow.isHolding) return;
    giveHeld(this.#session, this.#session.deviceOf(this.#last.queue)!);
    this.#rest();
  }

  /** Rests at one place after the other: of the same submission, or of later ones. */
  #stand(lines: RecordedLines, cut: Cut, onStop: NonNullable<RunOptions["onStop"]>): void {
    const { only, also } = this.#options;
    let stop: Stop | undefined = { cut, only, also }, submission = 0;
    for (const [index, line] of lines.entries()) {
      if (isSubmission(line) && submission++ === stop.cut.submission) {
        stop = this.#stay(index, line, stop, onStop);
        if (!stop) return;
      }
      this.#step(index, line, false);
      this.#late = [];
    }
    throw new TypeError(`There is no submission ${stop.cut.submission}: the recording has ${submission}`);
  }

  /** Rests at places of one submission. Returns the first place of a later one. */
  #stay(index: number, call: RecordedCall, first: Stop, onStop: NonNullable<RunOptions["onStop"]>): Stop | undefined {
    const session = this.#session, tracker = this.#tracker, { submission } = first.cut;
    located(index, call, () => session.settle());
    this.#late = [];
    this.#last = { index, submission, queue: call.args.queue, line: call };
    using kept = new KeptState(session, tracker, call);
    const againstGoingOn = reasonAgainstGoingOn(tracker, call);
    let stop: Stop | undefined = first, done = 0;
    const reasonAgainst = (next: Cut) => {
      if (next.submission < submission) return "it has gone on";
      const further = next.submission === submission ? next.actions - done : -1;
      if (further === 0) return undefined;
      return this.#unrepeatable ?? (further > 0 && !againstGoingOn ? undefined : kept.reasonAgainst);
    };
    while (stop?.cut.submission === submission) {
      const { actions } = stop.cut;
      if (actions < done || againstGoingOn && actions > done && done > 0) {
        kept.restore();
        done = 0;
      }
      const frees = actions > done ? this.#carryOut(index, call, [done, actions]) : [];
      done = actions;
      this.#late = [];
      stop = onStop(this.#restAt(stop, submission), reasonAgainst);
      if (stop) { for (const line of frees) this.#step(index, line, false); }
    }
    if (stop) kept.restore();
    return stop;
  }

  /** Carries out a submission from behind some action up to another one. Returns the lines that free what that takes. */
  #carryOut(index: number, call: RecordedCall, actions: readonly [done: number, wanted: number]): RecordedCall[] {
    const session = this.#session, { lines, frees } = repeatOf(this.#tracker, call, actions, this.#ownBuffers);
    this.#ownBuffers += frees.length;
    for (const line of lines) this.#step(index, line, false);
    if (session.flow.isHolding) {
      this.#unrepeatable = "work waits for what a later line gives";
      giveHeld(session, session.deviceOf(this.#last.queue)!);
    }
    return frees;
  }

  /** Work that never went to the device left nothing to look at. */
  #tellHeld(): void {
    if (!this.#session.flow.isHolding) return;
    const reason = heldText(this.#session.flow.held);
    for (const write of this.#late) this.#options.onUnread?.("buffer" in write ? write.buffer : write.image, reason);
  }

  /** Carries out one line. Returns whether to go on. */
  #step(index: number, line: RecordedLine, rests: boolean): boolean {
    const { onLine, isEnough, cut } = this.#options;
    onLine?.(index);
    for (const each of this.#tracker.note(index, line)) this.#forget(each);
    for (const each of this.#definer.rewrite(this.#readable(line))) {
      located(index, line, () => perform(this.#session, each, index));
    }
    if (isEnough?.()) return false;
    if ("write" in line) this.#noteWrite(line);
    if (isSubmission(line)) {
      this.#late.push(
        ...this.#tracker.submit(line, (each) => this.#permittedDifferences.note(each, this.#tracker.queries)),
      );
      this.#last = { index, submission: cut?.submission ?? this.#submissions++, queue: line.args.queue, line };
      return rests ? this.#rest() : true;
    }
    return rests && this.#late.length > 0 && isWait(line) ? this.#rest() : true;
  }

  /**
   * Notes a write of the program, which is the same on every driver. How much that is may stand in a file, and is
   * seldom needed.
   */
  #noteWrite({ write, offset, content }: RecordedWrite): void {
    const { bindings } = this.#tracker;
    if (bindings.in(write).every(({ buffer }) => this.#permittedDifferences.ofBuffer(buffer).length === 0)) return;
    this.#permittedDifferences.written(bindings.within(write, offset, bytesIn(content, this.#session)));
  }

  /** Depth and stencil are cleared by graphics queues alone, and colours not by queues that only copy. */
  #canClear(image: string, commandBuffer: string): boolean {
    const { resources } = this.#tracker, pool = resources.info(resources.info(commandBuffer)?.commandPool);
    const { facts } = this.#session.survey.device(resources.call(commandBuffer)!.args.device).needs;
    const family = facts.families?.[pool?.queueFamilyIndex]?.queueFlags ?? VK_QUEUE_GRAPHICS_BIT;
    const isColor = aspectsOf(resources.image(image)?.format ?? 0).includes("color");
    const needed = isColor ? VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT : VK_QUEUE_GRAPHICS_BIT;
    return !this.#unclearable.has(image) && (family & needed) !== 0;
  }

  #forget(name: string): void {
    this.#unclearable.delete(name);
    this.#uncopyable.delete(name);
    this.#permittedDifferences.forget(name);
  }

  /** Work that depends on later calls is looked at later. */
  #rest(): boolean {
    const session = this.#session, { index, line, submission } = this.#last;
    located(index, line, () => session.settle());
    return session.flow.isHolding || this.#options.onRest(this.#restAt(this.#options, submission));
  }

  /** Returns what can be read when all work is done. */
  #restAt({ only, also = [] }: Pick<RunOptions, "only" | "also">, submission: number): Rest {
    const session = this.#session, tracker = this.#tracker, { queue, index, line } = this.#last;
    located(index, line, () => session.settle());
    const { readable, unread } = piecesOf([...this.#late, ...also], tracker);
    this.#late = [];
    const place = { session, tracker, queue };
    const wanted = readable.filter(({ resource }) =>
      !this.#uncopyable.has(resource) && (only?.includes(resource) ?? true)
    );
    const copyable = wanted.filter((each) => isReadable(each, place)),
      read = () => located(index, line, () => readPieces(copyable, place));
    const refused = [
      ...[...this.#uncopyable].map((each) => [each, "this driver cannot read its format"] as const),
      ...wanted.filter((each) => !copyable.includes(each)).map(({ resource }) =>
        [resource, "its queue cannot run the shader that reads several samples"] as const
      ),
    ];
    return {
      readable: copyable,
      unread: new Map([...unread, ...refused]),
      submission,
      index,
      read,
      looseIn: (piece) => looseParts(piece, this.#permittedDifferences),
    };
  }

  /** Gives buffers and images the usages with which they can be read and cleared. */
  #readable(line: RecordedLine): RecordedLine {
    if (!("command" in line)) return line;
    const { command, args } = line, info: Fields | undefined = args.pCreateInfo;
    if (command === "vkCreateBuffer") return withInfo(line, { usage: info!.usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT });
    if (command === "vkCreateImage") {
      return withInfo(line, { usage: this.#usage(line.out!.pImage, info!, args.device) });
    }
    const both = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (command === "vkCreateSwapchainKHR") return withInfo(line, { imageUsage: info!.imageUsage | both });
    return line;
  }

  #usage(name: string, info: Fields, device: string): number {
    const { usage } = info;
    if (usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) return this.#without(name, usage);
    // Images of several samples cannot be copied to buffers: shaders read them.
    const reading = readingUsage(info), wanted = [reading | VK_IMAGE_USAGE_TRANSFER_DST_BIT, reading];
    const found = wanted.find((more) => isSupported(this.#session.place(device).gpu, info, usage | more)) ?? 0;
    return this.#without(name, usage | found, reading);
  }

  #without(name: string, usage: number, reading = VK_IMAGE_USAGE_TRANSFER_SRC_BIT): number {
    if (!(usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT)) this.#unclearable.add(name);
    if (!(usage & reading)) this.#uncopyable.add(name);
    return usage;
  }
}

function isWait(line: RecordedLine): boolean {
  return "command" in line && /^vk(WaitForFences|WaitSemaphores|QueueWaitIdle|DeviceWaitIdle)/.test(line.command);
}

function withInfo(line: RecordedCall, members: Fields): RecordedCall {
  return { ...line, args: { ...line.args, pCreateInfo: { ...line.args.pCreateInfo, ...members } } };
}

/** The number of recorded bytes. */
function bytesIn(bytes: Fields, session: Session): number {
  return ArrayBuffer.isView(bytes) ? bytes.byteLength : bytes.bytes?.length / 2 || session.data(bytes.data).length;
}

/** The usage with which an image can be read. */
function readingUsage({ samples = 1 }: Fields): number {
  return samples > 1 ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
}

function isSupported(
  gpu: VkPhysicalDevice,
  { format, imageType = VK_IMAGE_TYPE_2D, tiling = 0, flags = 0, samples = 1 }: Fields,
  usage: number,
) {
  try {
    const { sampleCounts } = gpu.vkGetPhysicalDeviceImageFormatProperties(format, imageType, tiling, usage, flags);
    return (sampleCounts & samples) !== 0;
  } catch (error) {
    if (error instanceof VulkanError) return false;
    throw error;
  }
}
