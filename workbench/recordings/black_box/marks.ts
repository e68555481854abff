import { inFrame } from "../../../ffi/arena.ts";
import { peek32, peek64, poke32 } from "../../../ffi/machine.ts";
import { structAt, structsAt } from "../../../loader/codec/codec.ts";
import { readExtensionList } from "../../../loader/driver/interface/extension_list.ts";
import {
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
  VK_QUEUE_TRANSFER_BIT,
  VK_RENDERING_SUSPENDING_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { Below } from "../../timeline/vulkan/gpu/below.ts";
import { createWith } from "../../timeline/vulkan/gpu/enable.ts";
import { Batches } from "../../timeline/vulkan/gpu/batches.ts";
import { isAction } from "../state_tracker/effects.ts";
import { barrier, freeHostBuffer, type HostBuffer, hostBuffer, type LiveDevice, structs } from "./live_device.ts";

/** The extensions that write marks inside of passes, too. */
const EXTENSIONS = ["VK_AMD_buffer_marker", "VK_NV_device_diagnostic_checkpoints"] as const;
type Kind = typeof EXTENSIONS[number];

/** Bytes of the marks of a device: a number of 32 bits for each command buffer. */
const MARKS_SIZE = 1 << 16;
const SLOTS = MARKS_SIZE / 4;
/** Marks have a number of the recording in their upper 16 bits, and one of the command in their lower ones. */
const MOST_MARKS = 0xffff;
const WRITES = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

/** A submitted command buffer with its marks: the n-th has the value `base + n`. */
export interface MarkedCommands {
  /** The handle of the command buffer. */
  readonly handle: bigint;
  /** The address of its latest mark in the program. */
  readonly address: bigint;
  readonly base: number;
  /** For each mark, how many commands the command buffer has up to there. */
  readonly places: readonly number[];
}

/** A command buffer that may be marked. */
interface Recorded {
  readonly slot: number;
  readonly isSecondary: boolean;
  base: number;
  places: number[];
  count: number;
  isInPass: boolean;
  isSuspending: boolean;
  secondaries: bigint[];
}

/** Creates a device with the extensions that write marks. Returns the result, and the extensions that the device has. */
export function createMarked(
  gpu: bigint,
  below: Below,
  info: bigint,
  create: (info: bigint) => number,
): { readonly result: number; readonly kinds: readonly Kind[] } {
  const list = readExtensionList((count, out) => below.vkEnumerateDeviceExtensionProperties(gpu, 0n, count, out));
  const names = typeof list === "number" ? [] : list.map(({ extensionName }) => extensionName);
  const kind = EXTENSIONS.find((name) => names.includes(name));
  const { result, isEnabled } = createWith(kind, info, create);
  return { result, kinds: kind && isEnabled ? [kind] : [] };
}

/**
 * The marks of one device: numbers in memory that the host sees, which the device writes when it has finished a
 * command. Outside of passes vkCmdFillBuffer writes them behind a barrier; an extension does so everywhere.
 */
export class Marks {
  readonly #live: LiveDevice;
  readonly #host: HostBuffer;
  readonly #kinds: readonly Kind[];
  readonly #recorded = new Map<bigint, Recorded>();
  /** The command pools whose queues can write marks. */
  readonly #pools = new Set<bigint>();
  #generation = 1;
  /** The marks of the latest checkpoints. */
  readonly #checkpoints: number[] = [];
  #count = 0;
  #slots = 0;

  private constructor(live: LiveDevice, host: HostBuffer, kinds: readonly Kind[]) {
    this.#live = live;
    this.#host = host;
    this.#kinds = kinds;
  }

  /** Makes the memory; `undefined` if the driver refuses. */
  static open(live: LiveDevice, kinds: readonly Kind[]): Marks | undefined {
    const host = hostBuffer(live, MARKS_SIZE);
    return host && new Marks(live, host, kinds);
  }

  get #hasCheckpoints(): boolean {
    return this.#kinds.includes("VK_NV_device_diagnostic_checkpoints");
  }

  /** Whether an address is one of a mark. */
  has(address: bigint): boolean {
    return address >= this.#host.address && address < this.#host.address + BigInt(MARKS_SIZE);
  }

  /** Notes a new command pool, and whether its queue family, by its VkQueueFlags, can write marks. */
  pool(handle: bigint, flags: number): void {
    if ((flags & WRITES) !== 0) this.#pools.add(handle);
    else this.#pools.delete(handle);
  }

  /** Notes new command buffers. */
  allocated(pool: bigint, handles: readonly bigint[], level: number): void {
    for (const handle of handles) {
      const slot = this.#recorded.get(handle)?.slot ?? (this.#slots < SLOTS ? 4 * this.#slots++ : undefined);
      this.#recorded.delete(handle);
      if (slot === undefined || !this.#pools.has(pool)) continue;
      const isSecondary = level === VK_COMMAND_BUFFER_LEVEL_SECONDARY;
      this.#recorded.set(handle, { slot, isSecondary, ...empty(0) });
    }
  }

  /** Notes the beginning of a command buffer, with the address of the VkCommandBufferBeginInfo. */
  begun(handle: bigint, info: bigint): void {
    const recorded = this.#recorded.get(handle);
    if (!recorded) return;
    const flags = peek32(info + 16n), continues = (flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) !== 0;
    Object.assign(recorded, empty(this.#generation++ << 16 >>> 0));
    recorded.isInPass = recorded.isSecondary && continues;
  }

  /** Notes that a command, named without its suffix, is about to be recorded. */
  before(core: string, args: Arguments): void {
    const handle = args[0] as bigint, recorded = this.#recorded.get(handle);
    if (!recorded) return;
    recorded.count++;
    if (/^vkCmdBeginRender/.test(core)) {
      recorded.isInPass = true;
      recorded.isSuspending = core === "vkCmdBeginRendering" && isSuspending(args[1] as bigint);
    }
    if (core === "vkCmdExecuteCommands") {
      const [, count, list] = args as [bigint, number, bigint];
      recorded.secondaries.push(...Array.from({ length: count }, (_, index) => peek64(list + BigInt(8 * index))));
    }
    if (!isMarked(core) || !this.#hasCheckpoints) return;
    const mark = this.#next(recorded);
    if (mark !== undefined) this.#live.below.vkCmdSetCheckpointNV(handle, this.#checkpoint(mark));
  }

  /** Marks a command that was recorded. */
  after(core: string, args: Arguments): void {
    const handle = args[0] as bigint, recorded = this.#recorded.get(handle);
    if (!recorded) return;
    if (/^vkCmdEndRender/.test(core)) recorded.isInPass = recorded.isSuspending;
    if (isMarked(core)) this.#mark(handle, recorded);
  }

  /** A checkpoint has taken the number of a command before; others get one where something can write the number. */
  #mark(handle: bigint, recorded: Recorded): void {
    const { below } = this.#live, { buffer } = this.#host, hasMarker = this.#kinds.includes("VK_AMD_buffer_marker");
    if (!hasMarker && recorded.isInPass) return;
    const at = BigInt(recorded.slot), latest = (recorded.base + recorded.places.length) >>> 0;
    const mark = this.#hasCheckpoints ? latest : this.#next(recorded);
    if (mark === undefined) return;
    if (hasMarker) {
      return below.vkCmdWriteBufferMarkerAMD(handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, buffer, at, mark);
    }
    barrier(below, handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, []);
    below.vkCmdFillBuffer(handle, buffer, at, 4n, mark);
  }

  /** Takes back the marks of command buffers that are submitted, and returns them. */
  submitting(command: string, args: Arguments): MarkedCommands[] {
    const buffers = new Batches(command.replace("KHR", ""), args).buffers;
    const all = buffers.flatMap((each) => [...this.#recorded.get(each)?.secondaries ?? [], each]);
    return all.flatMap((handle) => {
      const { slot, base, places } = this.#recorded.get(handle) ?? empty(0) as Recorded;
      if (places.length === 0) return [];
      const address = this.#host.address + BigInt(slot);
      poke32(address, base);
      return [{ handle, address, base, places }];
    });
  }

  /**
   * Returns the latest mark at an address, for a recording of a command buffer with marks from `base` on. Checkpoints of
   * queues tell of draws inside of passes, too, when the device is lost.
   */
  latest(address: bigint, base: number, queues: Iterable<bigint>): number {
    const written = peek32(address);
    if (!this.#hasCheckpoints) return written;
    const passed = [...queues].flatMap((queue) => checkpointsOf(this.#live.below, queue));
    const marks = passed.map((at) => this.#checkpoints[Number(at - this.#host.address) / 4]);
    const found = marks.find((mark) => mark > base && mark - base <= MOST_MARKS);
    return found === undefined ? written : Math.max(written, found - 1); // a checkpoint stands before its command
  }

  /** Frees the memory, before the device is destroyed. */
  close(): void {
    freeHostBuffer(this.#live, this.#host);
  }

  /** Returns the checkpoint of a mark: an address, as layers below expect. The latest ones are remembered. */
  #checkpoint(mark: number): bigint {
    const place = this.#count++ % SLOTS;
    this.#checkpoints[place] = mark;
    return this.#host.address + BigInt(4 * place);
  }

  /** Returns the value of a command buffer's next mark; `undefined` if it has too many. */
  #next(recorded: Recorded): number | undefined {
    if (recorded.places.length >= MOST_MARKS) return undefined;
    recorded.places.push(recorded.count);
    return (recorded.base + recorded.places.length) >>> 0;
  }
}

function empty(base: number): Omit<Recorded, "slot" | "isSecondary"> {
  return { base, places: [], count: 0, isInPass: false, isSuspending: false, secondaries: [] };
}

/** Whether a command, named without its suffix, makes the device do something that takes its time. */
function isMarked(core: string): boolean {
  return isAction(core) || core === "vkCmdExecuteCommands";
}

function isSuspending(info: bigint): boolean {
  const { flags } = structAt("VkRenderingInfo", info) as { flags: number };
  return (flags & VK_RENDERING_SUSPENDING_BIT) !== 0;
}

/** The checkpoints of a queue behind which no command is finished. */
function checkpointsOf(below: Below, queue: bigint): bigint[] {
  return inFrame((memory) => {
    const count = memory.alloc(8);
    memory.view.setUint32(count, 0, true);
    below.vkGetQueueCheckpointDataNV(queue, memory.address(count), 0n);
    const length = memory.view.getUint32(count, true);
    const list = structs(memory, "VkCheckpointDataNV", Array.from({ length }, () => ({})));
    below.vkGetQueueCheckpointDataNV(queue, memory.address(count), list);
    const found = structsAt("VkCheckpointDataNV", list, Math.min(length, memory.view.getUint32(count, true)));
    const bottom = found.filter(({ stage }) => stage === VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    return bottom.map(({ pCheckpointMarker }) => pCheckpointMarker as bigint);
  });
}
