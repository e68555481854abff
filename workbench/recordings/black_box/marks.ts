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
import type { Poke } from "../../layer_server/server/layer_kind.ts";
import { isAction } from "../state_tracker/effects.ts";
import { barrier, freeHostBuffer, type HostBuffer, hostBuffer, type LiveDevice, structs } from "./live_device.ts";

/** The extensions that write marks inside of passes, too. */
const EXTENSIONS = ["VK_AMD_buffer_marker", "VK_NV_device_diagnostic_checkpoints"] as const;
type Kind = typeof EXTENSIONS[number];

/** Bytes of a buffer of marks: a number of 32 bits for each of so many command buffers. There are as many as it takes. */
const MARKS_SIZE = 1 << 16;
const SLOTS = MARKS_SIZE / 4;
/** The most marks of a command buffer: a mark is its number, above the marks of all recordings before. */
const MOST_MARKS = 0xffff, STEP = MOST_MARKS + 1;
const WRITES = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

/** A submitted command buffer with its marks: the n-th has the lower 32 bits of `base + n`. */
export interface MarkedCommands {
  /** The handle of the command buffer. */
  readonly handle: bigint;
  /** The address of its latest mark in the program; 0 for a command buffer that has none. */
  readonly address: bigint;
  readonly base: number;
  /** For each mark, how many commands the command buffer has up to there. */
  readonly places: readonly number[];
  /** The number of commands that should have marks and have none, and why. */
  readonly unmarked?: { readonly commands: number; readonly why: string };
}

/** The place of a command buffer's latest mark. */
interface Slot {
  readonly host: HostBuffer;
  /** Offset of the mark in bytes. */
  readonly offset: number;
}

/** A command buffer. */
interface Recorded {
  readonly pool: bigint;
  /** Absent where nothing can write marks, or there is no memory for them. */
  readonly slot: Slot | undefined;
  readonly isSecondary: boolean;
  base: number;
  places: number[];
  count: number;
  unmarked: number;
  isInPass: boolean;
  isSuspending: boolean;
  secondaries: bigint[];
}

/**
 * The values that marks have before their command buffers are submitted, for programs that write them by themselves.
 * Nothing is kept until somebody asks.
 */
export class MarkPokes {
  #changes: Map<bigint, Poke | undefined> | undefined;

  /** Notes what is written for a command buffer from now on; `undefined` for one that does not go by itself. */
  set(handle: bigint, poke: Poke | undefined): void {
    this.#changes?.set(handle, poke);
  }

  /** Returns the changes since the last call. A command buffer from before the first call does not go by itself. */
  take(): ReadonlyMap<bigint, Poke | undefined> {
    const changes = this.#changes;
    if (!changes || changes.size > 0) this.#changes = new Map();
    return changes ?? NO_POKES;
  }
}
const NO_POKES: ReadonlyMap<bigint, Poke | undefined> = new Map();

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
  readonly #kinds: readonly Kind[];
  readonly #hosts: HostBuffer[] = [];
  /** Slots that no command buffer has, the next one at the end. */
  readonly #free: Slot[] = [];
  /** The living command buffers. */
  readonly #recorded = new Map<bigint, Recorded>();
  /** The command pools, whether their queues can write marks, and their command buffers. */
  readonly #pools = new Map<bigint, { readonly canWrite: boolean; readonly buffers: Set<bigint> }>();
  #base = STEP;
  #isRefused = false;

  readonly #pokes: Pick<MarkPokes, "set">;

  /** Memory is made for the first command buffer. */
  constructor(live: LiveDevice, kinds: readonly Kind[], pokes: Pick<MarkPokes, "set">) {
    this.#live = live;
    this.#kinds = kinds;
    this.#pokes = pokes;
  }

  /** The number of living command buffers. */
  get size(): number {
    return this.#recorded.size;
  }

  /** Whether a command buffer is one of this device. */
  knows(handle: bigint): boolean {
    return this.#recorded.has(handle);
  }

  get #hasCheckpoints(): boolean {
    return this.#kinds.includes("VK_NV_device_diagnostic_checkpoints");
  }

  /** Whether an address is one of a mark. */
  has(address: bigint): boolean {
    return this.#hosts.some((host) => address >= host.address && address < host.address + BigInt(MARKS_SIZE));
  }

  /** Notes a new command pool, and whether its queue family, by its VkQueueFlags, can write marks. */
  pool(handle: bigint, flags: number): void {
    this.#pools.set(handle, { canWrite: (flags & WRITES) !== 0, buffers: new Set() });
  }

  /** Notes new command buffers. */
  allocated(pool: bigint, handles: readonly bigint[], level: number): void {
    const { canWrite = false, buffers } = this.#pools.get(pool) ?? {};
    this.freed(handles); // whose end nobody saw
    for (const handle of handles) {
      const slot = canWrite ? this.#slot() : undefined, isSecondary = level === VK_COMMAND_BUFFER_LEVEL_SECONDARY;
      this.#recorded.set(handle, { pool, slot, isSecondary, ...empty(0) });
      buffers?.add(handle);
    }
  }

  /** Notes that command buffers end. Their slots are for others. */
  freed(handles: readonly bigint[]): void {
    for (const handle of handles) {
      const { slot, pool } = this.#recorded.get(handle) ?? {};
      if (slot) this.#free.push(slot);
      this.#recorded.delete(handle);
      this.#pokes.set(handle, undefined);
      this.#pools.get(pool!)?.buffers.delete(handle);
    }
  }

  /** Notes that a command pool ends, with its command buffers. */
  poolEnds(handle: bigint): void {
    this.freed([...this.#pools.get(handle)?.buffers ?? []]);
    this.#pools.delete(handle);
  }

  #slot(): Slot | undefined {
    if (this.#free.length === 0 && !this.#isRefused) {
      const host = hostBuffer(this.#live, MARKS_SIZE);
      this.#isRefused = host === undefined;
      for (let index = SLOTS - 1; host && index >= 0; index--) this.#free.push({ host, offset: 4 * index });
      if (host) this.#hosts.push(host);
    }
    return this.#free.pop();
  }

  /** Notes the beginning of a command buffer, with the address of the VkCommandBufferBeginInfo. */
  begun(handle: bigint, info: bigint): void {
    const recorded = this.#recorded.get(handle);
    if (!recorded) return;
    const flags = peek32(info + 16n), continues = (flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) !== 0;
    Object.assign(recorded, empty(this.#base));
    this.#base += STEP;
    recorded.isInPass = recorded.isSecondary && continues;
    this.#pokes.set(handle, undefined);
  }

  /** Notes that a command buffer is recorded. One with secondaries has several marks. */
  ended(handle: bigint): void {
    const { slot, base, places, secondaries } = this.#recorded.get(handle) ?? NONE;
    if (secondaries.length > 0) return;
    const address = slot && places.length > 0 ? addressOf(slot) : 0n;
    this.#pokes.set(handle, { address, value: base >>> 0 });
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
    if (!isMarked(core)) return;
    if (!recorded.slot || recorded.places.length >= MOST_MARKS) recorded.unmarked++;
    else if (this.#hasCheckpoints) this.#live.below.vkCmdSetCheckpointNV(handle, BigInt(this.#next(recorded)));
  }

  /** Marks a command that was recorded. */
  after(core: string, args: Arguments): void {
    const handle = args[0] as bigint, recorded = this.#recorded.get(handle);
    if (!recorded) return;
    if (/^vkCmdEndRender/.test(core)) recorded.isInPass = recorded.isSuspending;
    if (isMarked(core) && recorded.unmarked === 0) this.#mark(handle, recorded, recorded.slot!);
  }

  /** A checkpoint has taken the number of a command before; others get one where something can write the number. */
  #mark(handle: bigint, recorded: Recorded, { host: { buffer }, offset }: Slot): void {
    const { below } = this.#live, hasMarker = this.#kinds.includes("VK_AMD_buffer_marker");
    if (!hasMarker && recorded.isInPass) return;
    const latest = recorded.base + recorded.places.length, at = BigInt(offset);
    const mark = (this.#hasCheckpoints ? latest : this.#next(recorded)) >>> 0;
    if (hasMarker) {
      return below.vkCmdWriteBufferMarkerAMD(handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, buffer, at, mark);
    }
    barrier(below, handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, []);
    below.vkCmdFillBuffer(handle, buffer, at, 4n, mark);
  }

  /** Takes back the marks of command buffers that are submitted, unless the program has, and returns them. */
  submitting(command: string, args: Arguments, isDone = false): MarkedCommands[] {
    const buffers = new Batches(command.replace("KHR", ""), args).buffers;
    const all = buffers.flatMap((each) => [...this.#recorded.get(each)?.secondaries ?? [], each]);
    return all.flatMap((handle) => {
      const { slot, base, places, unmarked } = this.#recorded.get(handle) ?? NONE;
      const lost = unmarked > 0 && { unmarked: { commands: unmarked, why: this.#whyNot(slot) } };
      if (!slot) return lost ? [{ handle, address: 0n, base, places, ...lost }] : [];
      if (places.length === 0) return [];
      const address = addressOf(slot);
      if (!isDone) poke32(address, base >>> 0);
      return [{ handle, address, base, places, ...lost }];
    });
  }

  #whyNot(slot: Slot | undefined): string {
    if (slot) return `a command buffer has ${MOST_MARKS} marks at most`;
    return this.#isRefused ? "the driver refuses memory for them" : "queues of its family cannot write them";
  }

  /**
   * Returns the latest mark at an address, for a recording of a command buffer with marks from `base` on. Checkpoints of
   * queues tell of draws inside of passes, too, when the device is lost.
   */
  latest(address: bigint, base: number, queues: Iterable<bigint>): number {
    const written = peek32(address);
    if (!this.#hasCheckpoints) return written;
    const passed = [...queues].flatMap((queue) => checkpointsOf(this.#live.below, queue));
    const found = passed.map(Number).find((mark) => mark > base && mark - base <= MOST_MARKS);
    // A checkpoint stands before its command.
    return found === undefined || (written - base) >>> 0 >= found - 1 - base ? written : (found - 1) >>> 0;
  }

  /** Frees the memory, before the device is destroyed. */
  close(): void {
    for (const handle of this.#recorded.keys()) this.#pokes.set(handle, undefined);
    for (const host of this.#hosts.splice(0)) freeHostBuffer(this.#live, host);
  }

  /** Returns the value of a command buffer's next mark. */
  #next(recorded: Recorded): number {
    recorded.places.push(recorded.count);
    return recorded.base + recorded.places.length;
  }
}

function empty(base: number): Omit<Recorded, "slot" | "isSecondary" | "pool"> {
  return { base, places: [], count: 0, unmarked: 0, isInPass: false, isSuspending: false, secondaries: [] };
}

function addressOf({ host, offset }: Slot): bigint {
  return host.address + BigInt(offset);
}

/** A command buffer whose beginning nobody saw. */
const NONE: Recorded = { pool: 0n, slot: undefined, isSecondary: false, ...empty(0) };

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
