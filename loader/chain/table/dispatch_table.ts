import { type MemoryReserve, NativeBlock } from "../../../ffi/block.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { enterTable, leaveTable } from "../../../ffi/functions/table_sets.ts";
import { fillTable, type NameBlob, publish64 } from "../../../ffi/machine.ts";
import { returning } from "../../../ffi/thunk/thunk.ts";
import { isEnabled, isKnownOnLinux } from "../../command/registry/extension.ts";
import { canFail, type Command } from "../../command/registry/table.ts";
import { type Absent, type AbsentCommand, createAbsent } from "../../emit/absent.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_SUCCESS } from "../../gen/native_gen.ts";
import { interposerSize, namesOf, type TableLayout, tableLayout } from "./table_layout.ts";

/** Bytes of one function pointer, and of the pages in which memory is mapped. */
const POINTER = 8, PAGE = 4096;
const INSTANCE_COMMANDS = INSTANCE_NAMES.split(" "), DEVICE_COMMANDS = DEVICE_NAMES.split(" ");

/** Some commands of a level, and the runs of slots of which they are, in order. */
export interface TablePart {
  /** The commands. */
  readonly names: NameBlob;
  /** From `slot` on, so many commands, the first of which is number `at` of the names. */
  readonly runs: readonly { readonly slot: number; readonly at: number; readonly count: number }[];
}

/**
 * The table to which word 0 of a dispatchable handle points: one function
 * pointer for each command, in slot order, then hidden slots for the chain's
 * own machine code. Its address is also the key by which layers know the
 * object.
 *
 * Every command has a second slot, the front, through which native code enters.
 * It has either the same pointer or a callback that runs TypeScript hooks.
 * Calls from TypeScript have run their hooks already and use the first slot.
 */
export class DispatchTable implements Disposable {
  /** The level of its commands. */
  readonly level: "instance" | "device";
  /** The offsets of its parts. */
  readonly layout: TableLayout;
  readonly #memory: NativeBlock;
  #isOpen = true;
  /** Hidden commands that the exported functions call, by slot. */
  readonly #exported = new Map<number, bigint>();
  /** Byte offset of the rest of the last page, for the driver's name. */
  readonly #rest: number;
  /** The driver's name if the rest is too small. */
  #longName: NativeBlock | undefined;
  /** The enabled extensions; absent if Linux's rules do not apply. */
  #enabled: ReadonlySet<string> | undefined;

  /** Makes an empty table of all instance-level or all device-level commands, with room for so many interposers. */
  constructor(level: "instance" | "device", interposers = 0, reserve?: MemoryReserve) {
    this.level = level;
    this.layout = tableLayout(level);
    this.#rest = POINTER * (this.layout.size + interposers * interposerSize(level));
    this.#memory = new NativeBlock(PAGE * Math.ceil(this.#rest / PAGE), reserve);
    enterTable(level, this.address);
  }

  /** The address for word 0 of handles. */
  get address(): bigint {
    return this.#memory.address;
  }

  /** Calls `getProcAddr(handle, name)` for every command, in one native loop. Other names are passed to it later. */
  fill(getProcAddr: bigint, handle: bigint): void {
    fillTable({ getProcAddr, handle, names: namesOf(this.level), table: this.#memory.address });
    this.#setTop(getProcAddr);
  }

  /** The same for a part of the commands: nobody is asked for those that are to be hidden. */
  fillParts(getProcAddr: bigint, handle: bigint, parts: readonly TablePart[]): void {
    const { bytes, address } = this.#memory, { front } = this.layout;
    for (const { names, runs } of parts) {
      fillTable({ getProcAddr, handle, names, table: address + BigInt(POINTER * front) }); // the front is still empty
      for (const { slot, at, count } of runs) {
        bytes.copyWithin(POINTER * slot, POINTER * (front + at), POINTER * (front + at + count));
      }
      bytes.fill(0, POINTER * front, POINTER * (front + names.count));
    }
    this.#setTop(getProcAddr);
  }

  #setTop(getProcAddr: bigint): void {
    this.set(this.layout.below, getProcAddr);
    this.set(this.layout.top, getProcAddr);
  }

  /** Returns the pointer in a slot; 0n if there is none. */
  get(slot: number): bigint {
    return this.#memory.view.getBigUint64(POINTER * slot, true);
  }

  /** The first slots as bytes: the commands of the chain. */
  get commands(): Uint8Array {
    return this.#memory.bytes.subarray(0, POINTER * this.layout.count);
  }

  /** Whether the chain has a command. */
  has(slot: number): boolean {
    return this.below(slot) !== 0n;
  }

  /** Returns the chain's pointer for a command; 0n if there is none, even if TypeScript answers the command. */
  below(slot: number): bigint {
    const address = this.get(slot);
    return isAbsent(address) ? 0n : address;
  }

  /** Lets the exported function, and nobody else, call the command that is in a slot now. */
  keepExported(slot: number): void {
    this.#exported.set(slot, this.get(slot));
  }

  /** Lets native code find a command that the chain lacks and TypeScript answers, or hides it again. */
  give(slot: number, isGiven: boolean): void {
    if (!this.has(slot)) this.set(slot, isGiven || this.#isKnown(slot) ? this.#absent(slot) : 0n);
  }

  /** Stores the functions for the lowest native layer's queries: those with a layer's name, and those without. */
  setBelow(named: bigint, unnamed: bigint): void {
    this.set(this.layout.layeredBelow, named);
    this.set(this.layout.plainBelow, unnamed);
  }

  /** Stores a pointer in a slot. */
  set(slot: number, address: bigint): void {
    this.#memory.view.setBigUint64(POINTER * slot, address, true);
  }

  /** Empties the slots from `first` to `last`. */
  clear(first: number, last: number): void {
    this.#memory.bytes.fill(0, POINTER * first, POINTER * (last + 1));
  }

  /** Stores the data of the lowest element of a device chain: the driver's vkGetDeviceProcAddr, and its own slots. */
  setBottom(getDeviceProcAddr: bigint, own: readonly bigint[] = []): void {
    this.set(this.layout.bottom, getDeviceProcAddr);
    own.forEach((address, index) => this.set(this.layout.own + index, address));
  }

  /** Whether native code has destroyed the object without TypeScript. Only the table is left then. */
  get isOrphan(): boolean {
    return this.get(this.layout.gone) !== 0n;
  }

  /** Slot of the GetProcAddr that gets the names which the table lacks. */
  get belowSlot(): bigint {
    return this.address + BigInt(POINTER * this.layout.below);
  }

  /** Returns the slot number of a hidden slot. */
  hidden(index: number): number {
    return this.layout.hidden + index;
  }

  /**
   * Makes vkGetInstanceProcAddr answer, for the instance, for commands that
   * need none, as Linux's loader did before 1.3.
   */
  allowGlobals(): void {
    this.set(this.layout.globals, 1n);
  }

  /** Stores the driver's name, for messages; `""` stands for any driver. */
  setDriver(path: string): void {
    const bytes = cstring(path || "any driver"), memory = this.#memory, before = this.#longName;
    const fits = this.#rest + bytes.length <= memory.size, at = fits ? this.#rest : 0;
    this.#longName = fits ? undefined : new NativeBlock(bytes.length);
    (this.#longName ?? memory).bytes.set(bytes, at);
    this.set(this.layout.driver, (this.#longName ?? memory).address + BigInt(at));
    before?.close();
  }

  /**
   * Applies Linux's rules for native code: missing commands fail, and
   * vkGetInstanceProcAddr answers for all commands of the enabled extensions.
   */
  followLinux(enabled: readonly string[]): void {
    this.#enabled = new Set(enabled);
  }

  /** Whether Linux's rules apply. */
  get followsLinux(): boolean {
    return this.#enabled !== undefined;
  }

  /**
   * Lets native code enter: every front slot gets the pointer of its command's
   * slot. `handle` is the instance or device.
   */
  openFront(handle: bigint): void {
    const { count, front } = this.layout, { bytes } = this.#memory;
    for (let slot = 0; slot < count; slot++) if (this.#isKnown(slot)) this.give(slot, true);
    bytes.copyWithin(POINTER * front, 0, POINTER * count);
    for (let slot = 0; slot < count; slot++) if (this.get(slot) === 0n) this.set(front + slot, this.#absent(slot));
    for (const [slot, address] of this.#exported) this.set(front + slot, address);
    if (this.level === "instance") this.#fillAvailable(handle);
  }

  /** Sets where native code enters one command; by default, the command itself. Safe while it is calling. */
  divert(slot: number, address: bigint = this.get(slot) || this.#absent(slot)): void {
    publish64(this.#memory.address + BigInt(POINTER * (this.layout.front + slot)), address);
  }

  /** Hides an existing command from GetProcAddr's native callers, after they were let in. */
  hide({ level, slot }: Command): void {
    const { front, available } = this.layout;
    if (level === this.level) publish64(this.address + BigInt(POINTER * (front + slot)), 0n);
    else if (this.level === "instance" && level === "device") this.set(available + slot, 0n);
  }

  /** Fills in the answers for device commands: those that the chain has, and those that it could have. */
  #fillAvailable(handle: bigint): void {
    const { available, top } = this.layout, names = namesOf("device"), enabled = this.#enabled;
    const table = this.address + BigInt(POINTER * available);
    fillTable({ getProcAddr: this.get(top), handle, names, table });
    if (!enabled) return;
    DEVICE_COMMANDS.forEach((name, slot) => {
      if (!isEnabled(name, enabled)) this.set(available + slot, 0n);
      else if (isKnownOnLinux(name)) this.set(available + slot, 1n);
    });
  }

  /** Whether vkGetInstanceProcAddr answers for an instance command, even if it is missing. */
  #isKnown(slot: number): boolean {
    if (!this.#enabled || this.level === "device") return false;
    return isEnabled(INSTANCE_COMMANDS[slot], this.#enabled) && isKnownOnLinux(INSTANCE_COMMANDS[slot]);
  }

  #absent(slot: number): bigint {
    return absentCommand(this.level, slot, this.followsLinux);
  }

  /** Frees the table. No handle may point to it any more. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    leaveTable(this.level, this.address);
    this.#memory.close();
    this.#longName?.close();
  }

  /** Frees the table at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** The message for `dprintf`: the command, and the driver. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s: nothing is done: it is no command of %s, ` +
  "or the extension that brings it was not enabled\n";

type Level = "instance" | "device";

/** The functions, by whether they fail: Android's loader makes them return VK_SUCCESS. */
const made = new Map<boolean, Absent | null>();
/** The function for all of them where emitted code cannot be used. */
let nothing: bigint | undefined;

/**
 * Returns the function that native code gets for a missing command. With any
 * arguments, it only reports the call on standard error. If `fails`, it returns
 * VK_ERROR_EXTENSION_NOT_PRESENT for commands that can fail; otherwise 0.
 */
export function absentCommand(level: Level, slot: number, fails: boolean): bigint {
  return absentOf(fails)?.at(level === "instance" ? slot : tableLayout("instance").count + slot) ??
    (nothing ??= returning("q:", 0n));
}

/** Whether an address is one that {@linkcode absentCommand} returns. */
export function isAbsent(address: bigint): boolean {
  if (address === 0n || address === nothing) return address !== 0n;
  for (const each of made.values()) if (each?.has(address)) return true;
  return false;
}

/** Makes all functions. Not for use inside a callback. */
export function prepareAbsent(fails: boolean): void {
  absentOf(fails);
}

function absentOf(fails: boolean): Absent | null {
  let absent = made.get(fails);
  if (absent === undefined) made.set(fails, absent = createAbsent(commandsThat(fails), { format: FORMAT }) ?? null);
  return absent;
}

/** The commands of instances, then those of devices. */
function commandsThat(fails: boolean): AbsentCommand[] {
  const failure = fails ? VK_ERROR_EXTENSION_NOT_PRESENT : VK_SUCCESS;
  return (["instance", "device"] as const).flatMap((level) => {
    const { driver, heard } = tableLayout(level), offsets = { tableOffset: 8 * driver, heardOffset: 8 * heard };
    const names = level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES;
    return names.split(" ").map((name) => ({ name, result: canFail(name) ? failure : VK_SUCCESS, ...offsets }));
  });
}
