import { NativeBlock } from "../../../ffi/block.ts";
import { fillTable, publish64 } from "../../../ffi/machine.ts";
import { enterTable, leaveTable } from "../../../ffi/functions/table_sets.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import { isEnabled, isKnownOnLinux } from "../../command/registry/extension.ts";
import type { Command } from "../../command/registry/table.ts";
import { absentCommand, type DriverName, driverName, isAbsent } from "./absent.ts";
import { namesOf, seatSize, type TableLayout, tableLayout } from "./table_layout.ts";

/** Bytes of one function pointer. */
const POINTER = 8;
const INSTANCE_COMMANDS = INSTANCE_NAMES.split(" "), DEVICE_COMMANDS = DEVICE_NAMES.split(" ");

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
  /** The level of its commands. */
  readonly level: "instance" | "device";
  /** Where its parts are. */
  readonly layout: TableLayout;
  readonly #memory: NativeBlock;
  #isOpen = true;
  #driver: DriverName | undefined;
  /** The extensions that were enabled; absent where Linux's rules do not hold. */
  #enabled: ReadonlySet<string> | undefined;

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
    this.set(this.layout.top, getProcAddr);
  }

  /** The pointer in a slot; 0n when there is none. */
  get(slot: number): bigint {
    return this.#memory.view.getBigUint64(POINTER * slot, true);
  }

  /** The first slots, as bytes: the commands of the chain. */
  get commands(): Uint8Array {
    return this.#memory.bytes.subarray(0, POINTER * this.layout.count);
  }

  /** Whether the chain has a command. */
  has(slot: number): boolean {
    return this.below(slot) !== 0n;
  }

  /** The chain's pointer for a command; 0n where there is none, also when TypeScript answers it. */
  below(slot: number): bigint {
    const address = this.get(slot);
    return isAbsent(address) ? 0n : address;
  }

  /** Has native code find something at a command that the chain lacks, because TypeScript answers it, or nothing again. */
  give(slot: number, isGiven: boolean): void {
    if (!this.has(slot)) this.set(slot, isGiven || this.#isKnown(slot) ? this.#absent(slot) : 0n);
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

  /** Slot of the GetProcAddr that gets the names which the table lacks. */
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

  /** Notes the driver, for messages. */
  setDriver(path: string): void {
    this.#driver?.close();
    this.#driver = driverName(path);
    this.set(this.layout.driver, this.#driver.address);
  }

  /**
   * Has Linux's rules hold for what native code is told: commands that are not there fail, and
   * vkGetInstanceProcAddr answers for all that the extensions which were enabled may bring.
   */
  followLinux(enabled: readonly string[]): void {
    this.#enabled = new Set(enabled);
  }

  /** Whether they hold. */
  get followsLinux(): boolean {
    return this.#enabled !== undefined;
  }

  /** Lets native code in: every front slot leads where its command's slot leads. `handle` is the instance's or device's. */
  openFront(handle: bigint): void {
    const { count, front } = this.layout, { bytes } = this.#memory;
    for (let slot = 0; slot < count; slot++) if (this.#isKnown(slot)) this.give(slot, true);
    bytes.copyWithin(POINTER * front, 0, POINTER * count);
    for (let slot = 0; slot < count; slot++) if (this.get(slot) === 0n) this.set(front + slot, this.#absent(slot));
    if (this.level === "instance") this.#fillAvailable(handle);
  }

  /** Leads native code elsewhere at one command; by default, again to the command itself. Safe while it is calling. */
  divert(slot: number, address: bigint = this.get(slot) || this.#absent(slot)): void {
    publish64(this.#memory.address + BigInt(POINTER * (this.layout.front + slot)), address);
  }

  /** Has GetProcAddr not tell native code of a command that is here, once it is let in. */
  hide({ level, slot }: Command): void {
    const { front, available } = this.layout;
    if (level === this.level) publish64(this.address + BigInt(POINTER * (front + slot)), 0n);
    else if (this.level === "instance" && level === "device") this.set(available + slot, 0n);
  }

  /** What native code is told of commands of devices: what the chain has, and what it could have. */
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

  /** Whether vkGetInstanceProcAddr answers for an instance's command, be it there or not. */
  #isKnown(slot: number): boolean {
    if (!this.#enabled || this.level === "device") return false;
    return isEnabled(INSTANCE_COMMANDS[slot], this.#enabled) && isKnownOnLinux(INSTANCE_COMMANDS[slot]);
  }

  #absent(slot: number): bigint {
    return absentCommand(this.level, slot, this.followsLinux);
  }

  /** Frees the table. No handle may point at it any more. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    leaveTable(this.level, this.address);
    this.#memory.close();
    this.#driver?.close();
  }

  /** Frees the table at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
