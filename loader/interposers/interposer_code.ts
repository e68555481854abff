import { NativeBlock } from "../../ffi/block.ts";
import { type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import { ALWAYS, createProcAddr, type Proc, type ProcAddr } from "../../ffi/functions/proc_addr.ts";
import { copyMemory, fillTable, peek64, poke64, publish64 } from "../../ffi/machine.ts";
import { absentCommand, isAbsent } from "../chain/table/dispatch_table.ts";
import { type InterposerLayout, interposerLayout, namesOf, tableLayout } from "../chain/table/table_layout.ts";
import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { Layer } from "../layer.ts";
import { belowIn } from "../layers/hooks/below.ts";
import type { LayerGroups } from "../layers/hooks/places.ts";
import { compose } from "../layers/hooks/hooks.ts";

/** Bytes of one function pointer. */
const POINTER = 8;
/** Commands that may be called with NULL for the object whose table is read. */
const NULLABLE: readonly string[] = ["vkDestroyInstance", "vkDestroyDevice"];

/** The machine code of a interposer, the same for all instances and devices. */
export interface InterposerCode {
  /** Address of a function that enters a command through the interposer's part of its first argument's table. */
  trampoline(name: string): bigint;
  /** The trampolines of all device commands, in slot order, for a device's `shown` slots. */
  readonly shown: NativeBlock;
  /** The interposer's two lookups. They return trampolines for commands of the registry that the chain below has. */
  readonly procAddr: ProcAddr;
}

const made = new Map<number, InterposerCode>();

/**
 * Returns the code of the interposer with this index, emitted at the first call and
 * kept; `undefined` where emitted code cannot be used.
 */
export function interposerCode(index: number): InterposerCode | undefined {
  let code = made.get(index);
  if (!code && (code = emit(index))) made.set(index, code);
  return code;
}

function emit(index: number): InterposerCode | undefined {
  const library = exportLibrary(trampolines(index));
  const trampoline = (name: string) => library!.address(name);
  const procAddr = library && createProcAddr(misses(index), procs(index, trampoline));
  if (!procAddr) return undefined;
  return { trampoline, shown: shownSlots(library, procAddr), procAddr };
}

function trampolines(index: number) {
  const slots: [string, number][] = [];
  for (const level of ["instance", "device"] as const) {
    const { enter } = interposerLayout(level, index);
    commandNames(level).forEach((name, slot) => slots.push([name, POINTER * (enter + slot)]));
  }
  return {
    trampolines: slots.filter(([name]) => !NULLABLE.includes(name)),
    nullableTrampolines: slots.filter(([name]) => NULLABLE.includes(name)),
  };
}

function misses(index: number) {
  const instance = interposerLayout("instance", index), device = interposerLayout("device", index);
  return {
    instanceMiss: POINTER * instance.below,
    deviceMiss: POINTER * device.below,
    deviceCheck: POINTER * (device.shown - device.enter),
  };
}

function procs(index: number, trampoline: (name: string) => bigint): Proc[] {
  const instance = interposerLayout("instance", index), device = interposerLayout("device", index);
  const ofInstance = commandNames("instance").map((name, slot): Proc => ({
    name,
    answer: trampoline(name),
    instance: POINTER * (instance.enter + slot),
    device: 0,
  }));
  const ofDevice = commandNames("device").map((name, slot): Proc => ({
    name,
    answer: trampoline(name),
    instance: POINTER * (instance.shown + slot),
    device: POINTER * (device.shown + slot),
  }));
  return [...ofInstance, ...ofDevice];
}

function shownSlots(library: ExportedLibrary, procAddr: ProcAddr): NativeBlock {
  const names = commandNames("device"), block = new NativeBlock(POINTER * names.length);
  names.forEach((name, slot) => block.view.setBigUint64(POINTER * slot, library.address(name), true));
  const own = findCommand("vkGetDeviceProcAddr")!.slot;
  block.view.setBigUint64(POINTER * own, procAddr.ofDevice, true);
  procAddr.set("vkGetDeviceProcAddr", procAddr.ofDevice, ALWAYS);
  return block;
}

function commandNames(level: "instance" | "device"): string[] {
  return (level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES).split(" ");
}

/** A interposer's part of the dispatch table of one instance or device. Somebody else owns the table. */
export class InterposerTable {
  /** The level of its commands. */
  readonly level: "instance" | "device";
  /** The table's address, which is word 0 of the object and of all its objects. */
  readonly address: bigint;
  readonly #layout: InterposerLayout;
  readonly #count: number;

  /** Selects the part of the interposer with this index. */
  constructor(level: "instance" | "device", index: number, address: bigint) {
    this.level = level;
    this.address = address;
    this.#layout = interposerLayout(level, index);
    this.#count = tableLayout(level).count;
  }

  /**
   * Fills the table from the GetInstanceProcAddr or GetDeviceProcAddr below the
   * interposer, which all commands enter at first.
   */
  fill(getProcAddr: bigint, handle: bigint, { shown }: InterposerCode): void {
    const { next, enter, shown: told, below } = this.#layout, bytes = POINTER * this.#count;
    fillTable({ getProcAddr, handle, names: namesOf(this.level), table: this.#at(next) });
    copyMemory(this.#at(enter), this.#at(next), bytes);
    poke64(this.#at(below), getProcAddr);
    if (this.level === "device") copyMemory(this.#at(told), shown.address, bytes);
    else fillTable({ getProcAddr, handle, names: namesOf("device"), table: this.#at(told) });
  }

  /** Slot of the GetProcAddr that gets the names which the table lacks. */
  get belowSlot(): bigint {
    return this.#at(this.#layout.below);
  }

  /** The function below the interposer for a command; 0n for none. */
  next({ slot }: Command): bigint {
    return peek64(this.#at(this.#layout.next + slot));
  }

  /** Puts a function below a missing command that a hook answers. The function reports the absence and fails. */
  bring({ slot }: Command): void {
    poke64(this.#at(this.#layout.next + slot), absentCommand(this.level, slot, true));
  }

  /** Sets where the layer above enters one command; by default, the function below. Safe while it is calling. */
  divert(command: Command, address: bigint = this.next(command)): void {
    publish64(this.#at(this.#layout.enter + command.slot), address);
  }

  #at(slot: number): bigint {
    return this.address + BigInt(POINTER * slot);
  }
}

/** One instance or device as the layers of a interposer see it. */
export class InterposerSide {
  /** The interposer's part of the dispatch table. */
  readonly table: InterposerTable;
  readonly #groups: LayerGroups;
  readonly #group: number;
  /** Returns the function below the hooks of a command. */
  readonly bottom: (command: Command) => NativeCall;
  readonly #composed = new Map<string, NativeCall>();

  /** Takes a filled table. */
  constructor(table: InterposerTable, groups: LayerGroups, group: number, bottom: (command: Command) => NativeCall) {
    this.table = table;
    this.#groups = groups;
    this.#group = group;
    this.bottom = bottom;
  }

  /** The interposer's layers, top to bottom. */
  layers(): readonly Layer[] {
    return this.#groups.of(this.#group);
  }

  /** The address of the function below the hooks of a command; 0n for none. */
  address(command: Command): bigint {
    const address = this.table.next(command);
    return isAbsent(address) ? 0n : address;
  }

  /** The commands below one of the layers. */
  below(layer: Layer): RawCommands {
    return belowIn(this, layer);
  }

  /** Returns a command with the hooks of all layers. */
  call(command: Command): NativeCall {
    let call = this.#composed.get(command.name);
    if (!call) {
      const composed = compose(this.layers(), command, this.bottom(command));
      call = this.#groups.within(composed, command.params.length);
      this.#composed.set(command.name, call);
    }
    return call;
  }

  /** Forgets composed commands after a change of layers. */
  refresh(): void {
    this.#composed.clear();
  }
}
