import { NativeBlock } from "../../ffi/block.ts";
import { fillTable, NameBlob, publish64 } from "../../ffi/machine.ts";
import { enterTable, leaveTable } from "../../ffi/table_sets.ts";
import { returning } from "../../ffi/thunk.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import type { Command } from "../command/table.ts";
import { seatSize } from "./seat_layout.ts";
import { type TableLayout, tableLayout } from "./table_layout.ts";

/** Bytes of one function pointer. */
const POINTER = 8;
const VK_ERROR_EXTENSION_NOT_PRESENT = -7;

/**
 * The table word 0 of a dispatchable handle points at: one function pointer
 * per command, in slot order, then hidden slots only the chain's own machine
 * code reads. Its address is also the key by which layers know the object.
 *
 * Every command has a second slot, the front: there native code enters, and
 * finds either the same pointer or a callback that runs TypeScript hooks. Calls
 * from TypeScript have their hooks behind them already and use the first slot.
 */
export class DispatchTable implements Disposable {
  /** Which commands it holds. */
  readonly level: "instance" | "device";
  /** Where its parts are. */
  readonly layout: TableLayout;
  readonly #memory: NativeBlock;
  #isOpen = true;
  #refusesCreation = false;

  /** A table of all instance-level or all device-level commands, still empty, with room for so many seats. */
  constructor(level: "instance" | "device", seats = 0) {
    this.level = level;
    this.layout = tableLayout(level);
    this.#memory = new NativeBlock(POINTER * (this.layout.size + seats * seatSize(level)));
    enterTable(level, this.address);
  }

  /** The address to store in word 0 of handles. */
  get address(): bigint {
    return this.#memory.address;
  }

  /** Asks `getProcAddr(handle, name)` for every command, in one native loop; later, other names are passed on to it. */
  fill(getProcAddr: bigint, handle: bigint): void {
    fillTable({ getProcAddr, handle, names: namesOf(this.level), table: this.#memory.address });
    this.set(this.layout.below, getProcAddr);
  }

  /** The pointer in a slot; 0n when there is none. */
  get(slot: number): bigint {
    return this.#memory.view.getBigUint64(POINTER * slot, true);
  }

  /** Whether the chain has a command. */
  has(slot: number): boolean {
    return this.below(slot) !== 0n;
  }

  /** The chain's pointer for a command; 0n where there is none, also when TypeScript answers it. */
  below(slot: number): bigint {
    const address = this.get(slot);
    return address === absent ? 0n : address;
  }

  /** Has native code find something at a command that the chain lacks, because TypeScript answers it, or nothing again. */
  give(slot: number, isGiven: boolean): void {
    if (!this.has(slot)) this.set(slot, isGiven ? absentCommand() : 0n);
  }

  /** Stores a pointer in a slot. */
  set(slot: number, address: bigint): void {
    this.#memory.view.setBigUint64(POINTER * slot, address, true);
  }

  /** Empties the slots from `first` to `last`. */
  clear(first: number, last: number): void {
    this.#memory.bytes.fill(0, POINTER * first, POINTER * (last + 1));
  }

  /** Stores what the lowest element of a device chain goes by: the driver's vkGetDeviceProcAddr, and its own slots. */
  setBottom(getDeviceProcAddr: bigint, own: readonly bigint[] = []): void {
    this.set(this.layout.bottom, getDeviceProcAddr);
    own.forEach((address, index) => this.set(this.layout.own + index, address));
  }

  /** Whether native code has destroyed the object behind TypeScript's back; only the table is left then. */
  get isOrphan(): boolean {
    return this.get(this.layout.gone) !== 0n;
  }

  /** Where the GetProcAddr stands that names it lacks are passed on to. */
  get belowSlot(): bigint {
    return this.address + BigInt(POINTER * this.layout.below);
  }

  /** The slot number of a hidden slot. */
  hidden(index: number): number {
    return this.layout.hidden + index;
  }

  /** Has vkGetInstanceProcAddr answer for the instance with the commands that need none, as Linux's loader did before 1.3. */
  allowGlobals(): void {
    this.set(this.layout.globals, 1n);
  }

  /** Has what would make something, and is not here, say so: Linux's loader does; Android's says that it was made. */
  refuseCreation(): void {
    this.#refusesCreation = true;
  }

  /** Lets native code in: every front slot leads where its command's slot leads. `handle` is the instance's or device's. */
  openFront(handle: bigint): void {
    const { count, front, below, available } = this.layout, { bytes, address } = this.#memory;
    bytes.copyWithin(POINTER * front, 0, POINTER * count);
    const creating = this.#refusesCreation ? creatingSlots(this.level) : NONE;
    for (let slot = 0; slot < count; slot++) {
      if (this.get(slot) === 0n) this.set(front + slot, creating.has(slot) ? absentCreation() : absentCommand());
    }
    if (this.level === "device") return;
    const table = address + BigInt(POINTER * available);
    fillTable({ getProcAddr: this.get(below), handle, names: namesOf("device"), table });
  }

  /** Leads native code elsewhere at one command; by default, again to the command itself. Safe while it is calling. */
  divert(slot: number, address: bigint = this.get(slot) || absentCommand()): void {
    publish64(this.#memory.address + BigInt(POINTER * (this.layout.front + slot)), address);
  }

  /** Has GetProcAddr not tell native code of a command that is here, once it is let in. */
  hide({ level, slot }: Command): void {
    const { front, available } = this.layout;
    if (level === this.level) publish64(this.address + BigInt(POINTER * (front + slot)), 0n);
    else if (this.level === "instance" && level === "device") this.set(available + slot, 0n);
  }

  /** Frees the table. No handle may point at it any more. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    leaveTable(this.level, this.address);
    this.#memory.close();
  }

  /** Frees the table at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

const blobs = new Map<string, NameBlob>();

let absent: bigint | undefined;

/** What native code gets to where a command is not there: it does nothing and returns 0, whatever its arguments. */
export function absentCommand(): bigint {
  return absent ??= returning("q:", 0n);
}

let absentToCreate: bigint | undefined;

/** The same for a command that makes something: it returns VK_ERROR_EXTENSION_NOT_PRESENT, since nothing is made. */
export function absentCreation(): bigint {
  return absentToCreate ??= returning("s:", VK_ERROR_EXTENSION_NOT_PRESENT);
}

const NONE: ReadonlySet<number> = new Set();
const creating = new Map<string, ReadonlySet<number>>();

/** The slots of the commands of a level that make something. All of them return a VkResult. */
function creatingSlots(level: "instance" | "device"): ReadonlySet<number> {
  let slots = creating.get(level);
  if (!slots) {
    const names = (level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES).split(" ");
    const indices = [...names.keys()].filter((slot) => names[slot].startsWith("vkCreate"));
    creating.set(level, slots = new Set(indices));
  }
  return slots;
}

/** The command names of a level as native memory, made at the first use and kept for the life of the process. */
export function namesOf(level: "instance" | "device"): NameBlob {
  let blob = blobs.get(level);
  if (!blob) blobs.set(level, blob = new NameBlob(level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES));
  return blob;
}
