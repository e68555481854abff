import { destroyingOf, handlesOf } from "../../../loader/layers/define/object_pairs.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { GatheredRange } from "../../layer_server/server/layer_kind.ts";
import { coreName, GIVES_ADDRESS } from "./commands.ts";
import { Effects } from "./effects.ts";
import { dropUninherited, isIgnored, isNeeded } from "./ignored.ts";
import type { RecordedCall, RecordedLine } from "./line.ts";
import { HandleNames } from "./names.ts";
import { beginInfo, buildRanges, type CallReader, callReader } from "./reader.ts";
import type { Sidecar } from "./sidecar.ts";
import { Templates } from "./template.ts";
import type { PageWatches } from "./written_pages.ts";
import {
  VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT,
  VK_ERROR_OUT_OF_DATE_KHR,
  VK_ERROR_SURFACE_LOST_KHR,
  VK_EVENT_SET,
  VK_NOT_READY,
  VK_QUERY_RESULT_PARTIAL_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_TIMEOUT,
} from "../../../loader/gen/native_gen.ts";
import { arraysCountedBy, formOf } from "../../../loader/codec/layout/form.ts";
import type { Field, Layout } from "../../../loader/codec/layout/layout.ts";
import { nullMeansAbsent } from "../../../loader/codec/closures/put.ts";
import { rawOf } from "../../../loader/codec/closures/union.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { bytesAt } from "../../../ffi/arena.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { hexadecimal, type Style } from "../../../loader/layers/shipped/trace/value.ts";

/** Returns the style in which a recording writes values: see `RecordedCall`. */
function recordStyle(names: HandleNames, sidecar: Pick<Sidecar, "put">): Style {
  return {
    handle: (type, value) => names.of(type, value),
    payload: (content) => sidecar.put(content),
    address(value, size) {
      if (value === 0n) return null;
      return size === undefined ? { foreign: hexadecimal(value) } : sidecar.put(bytesAt(value, size));
    },
    sType: (_value, name) => name,
    keeps: (layout, field, object) =>
      rawOf(object) ? field.name === memberThatSaysAll(layout, object) : isMeant(layout, field, object),
    links: isNeeded,
  };
}

/** Whether a member means something that its absence would not. */
function isMeant(layout: Layout, field: Field, object: StructObject): boolean {
  const value = object[field.name];
  if (value === null || value === 0n && nullMeansAbsent(field)) return false;
  if (isIgnored(layout.name, field.name, object)) return false;
  return !arraysCountedBy(layout, field).some((array) => {
    const given = object[array.name], bytes = formOf(layout, array) === "bytes";
    return given === null ? value === 0 : bytes || (given as { length?: number }).length === value;
  });
}

/** Returns the first member that is as long as the union and has no NaN, of which JavaScript does not keep all bits. */
function memberThatSaysAll({ fields, size }: Layout, object: StructObject): string | undefined {
  return fields.find((field) => field.size === size && !hasNaN(object[field.name]))?.name;
}

/** A union inside a union has a member of its own that holds all bits. */
function hasNaN(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Number.isNaN(value);
  return rawOf(value as StructObject) === undefined && Object.values(value).some(hasNaN);
}

/** The work before and after a command. */
export interface Sides {
  /** Reads the inputs, when the driver is entered. */
  before(args: Arguments): RecordedCall;
  /** Completes the line after the call; `undefined` if a replay needs none, since the call failed or did nothing. */
  after(call: RecordedCall, args: Arguments, result: unknown): RecordedCall | undefined;
  /** Finds the effects of a call whose line is written. */
  effects(line: RecordedCall, args: Arguments): void;
}

/** Errors of vkQueuePresentKHR with which the work is given to the queue all the same: its semaphores are waited on. */
const REJECTIONS: readonly number[] = [
  VK_ERROR_OUT_OF_DATE_KHR,
  VK_ERROR_SURFACE_LOST_KHR,
  VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT,
];
/** Waits without end. */
const FOREVER = `${2n ** 64n - 1n}`;

/** Follows a program from call to call and writes the lines of its recording. */
export class Follower {
  readonly #names = new HandleNames();
  readonly #style;
  readonly #effects: Effects;
  readonly #templates: Templates;
  /** The levels of command buffers. */
  readonly #levels = new Map<string, number>();
  /** Events that the program saw set, and not reset since. */
  readonly #setEvents = new Set<string>();

  /** `put` gets lines; `gap` gets sentences about calls that must have happened unseen. */
  constructor(
    sidecar: Pick<Sidecar, "put">,
    put: (line: RecordedLine) => void,
    gap: (sentence: string) => void,
    watches: PageWatches,
  ) {
    this.#style = recordStyle(this.#names, sidecar);
    this.#templates = new Templates(this.#style);
    this.#effects = new Effects(
      {
        written: (write, offset, bytes) => put({ write, offset, content: sidecar.put(bytes) }),
        readable: (read, offset, bytes) => put({ read, offset, content: sidecar.put(bytes) }),
      },
      gap,
      watches,
    );
  }

  /** Takes what the program wrote, for the next submission, whose line comes later. */
  capture(isGathered: boolean): void {
    this.#effects.capture(isGathered);
  }

  /** The memory from which that is taken: the same list until another is mapped. */
  get ranges(): readonly GatheredRange[] {
    return this.#effects.ranges;
  }

  /** Whether no work can write to mapped memory, so that lines of submissions and waits can be noted later. */
  get isQuiet(): boolean {
    return this.#effects.isQuiet;
  }

  /** Frees the memory. */
  close(): void {
    this.#effects.close();
  }

  /** Returns the name of a handle in use. */
  nameOf(type: string, handle: bigint): string | null {
    return this.#names.of(type, handle);
  }

  /** Returns the handle of a name; `undefined` for an object that has ended. */
  handleOf(name: string): bigint | undefined {
    return this.#names.handleOf(name);
  }

  /** Returns the work before and after a command. */
  sides(command: string): Sides {
    const reader = callReader(command, this.#style, this.#names), core = coreName(command);
    const destroying = destroyingOf(command);
    return {
      before: (raw) => {
        const call = this.#templates.rewrite(core, reader.given(raw), raw);
        if (core === "vkBeginCommandBuffer") this.#begin(call, raw);
        if (core === "vkCmdBuildAccelerationStructures") {
          call.args.ppBuildRangeInfos = buildRanges(raw[3] as bigint, call.args.pInfos, this.#style);
        }
        for (const ended of this.#effects.before(coreName(call.command), call, raw)) this.#forget(ended);
        for (const handle of destroying ? handlesOf(destroying, raw) : []) this.#names.remove(destroying!.type, handle);
        return call;
      },
      after: (call, raw, result) => {
        const line = this.#finish(core, reader, call, raw, result);
        if (line) this.#effects.returned(core, line, raw);
        else this.#effects.failed(coreName(call.command), call);
        return line;
      },
      effects: (line, raw) => this.#effects.after(coreName(line.command), line, raw),
    };
  }

  /** Command buffers and descriptor sets end with their pools, too. */
  #forget(name: string): void {
    this.#levels.delete(name);
    this.#setEvents.delete(name);
    if (/^Vk(CommandBuffer|DescriptorSet)#/.test(name)) this.#names.end(name);
  }

  #begin({ args }: RecordedCall, raw: Arguments): void {
    args.pBeginInfo = beginInfo(raw[1] as bigint, this.#levels.get(args.commandBuffer) ?? 0, this.#style);
    dropUninherited(args.pBeginInfo);
  }

  #finish(
    core: string,
    reader: CallReader,
    call: RecordedCall,
    raw: Arguments,
    result: unknown,
  ): RecordedCall | undefined {
    if (core === "vkQueuePresent" && REJECTIONS.includes(result as number)) return rejected(call, raw);
    if (typeof result === "number" && result < 0 || result === VK_NOT_READY || result === VK_TIMEOUT) return undefined;
    if (!reader.complete(call, raw) || core === "vkGetEventStatus" && !this.#isNews(call, result as number)) {
      return undefined;
    }
    const { args, out } = call;
    if (GIVES_ADDRESS.test(core)) call.result = `${result}`;
    if (core === "vkAllocateCommandBuffers") {
      for (const name of out!.pCommandBuffers) this.#levels.set(name, args.pAllocateInfo.level);
    }
    this.#templates.note(core, call);
    return waitOf(core, call);
  }

  /** Whether a replay needs an answer about an event: it is set, or it is no longer. */
  #isNews(call: RecordedCall, result: number): boolean {
    const { event } = call.args;
    call.result = result;
    if (result === VK_EVENT_SET) this.#setEvents.add(event);
    else return this.#setEvents.delete(event);
    return true;
  }
}

/** Leaves out the swapchains that took no picture: all, unless the program asked for the result of each. */
function rejected(call: RecordedCall, raw: Arguments): RecordedCall {
  const info = call.args.pPresentInfo, results = resultsOf(raw[1] as bigint);
  const isTaken = (_: unknown, index: number) => (results[index] ?? -1) >= 0, count = info.pSwapchains.length;
  const taken = (struct: StructObject): StructObject =>
    Object.fromEntries(
      Object.entries(struct).map(([name, value]) => {
        const isList = Array.isArray(value) && name !== "pWaitSemaphores" && name !== "pNext";
        return [name, isList && value.length === count ? value.filter(isTaken) : value];
      }),
    );
  const pNext = info.pNext?.map(taken);
  return { ...call, args: { ...call.args, pPresentInfo: { ...taken(info), ...pNext && { pNext } } } };
}

/** The results of a VkPresentInfoKHR, if the program has asked for them. */
function resultsOf(address: bigint): number[] {
  const at = peek64(address + RESULTS), count = peek32(address + SWAPCHAIN_COUNT);
  return at === 0n ? [] : Array.from({ length: count }, (_, index) => peek32(at + BigInt(4 * index)) | 0);
}

/** Offsets in a VkPresentInfoKHR. */
const SWAPCHAIN_COUNT = 32n, RESULTS = 56n;

/** Turns a question that was answered with yes into the wait that ends with the same answer. */
function waitOf(core: string, call: RecordedCall): RecordedCall {
  const { command, args, out } = call, { device, fence, semaphore, flags } = args;
  if (core === "vkGetFenceStatus") {
    return { command: "vkWaitForFences", args: { device, pFences: [fence], waitAll: true, timeout: FOREVER } };
  }
  if (core === "vkGetQueryPoolResults" && (flags & VK_QUERY_RESULT_PARTIAL_BIT) === 0) {
    return { command, args: { ...args, flags: flags | VK_QUERY_RESULT_WAIT_BIT }, out };
  }
  if (core !== "vkGetSemaphoreCounterValue") return call;
  const pWaitInfo = { flags: 0, pSemaphores: [semaphore], pValues: [out!.pValue] };
  return { command: command.replace(core, "vkWaitSemaphores"), args: { device, pWaitInfo, timeout: FOREVER } };
}
