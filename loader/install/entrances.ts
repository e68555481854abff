import { NativeBlock } from "../../ffi/block.ts";
import { executableCode } from "../../ffi/executable.ts";
import { poke32, publish64 } from "../../ffi/machine.ts";
import { byLayer, DEVICE_EXTENSIONS } from "../chain/bottom/driver_instance.ts";
import { exportedAddress, shareDrivers } from "../chain/installed.ts";
import { orphanCall } from "../chain/orphan.ts";
import { refusingInCode } from "../chain/failed_creation.ts";
import type { DispatchTable } from "../chain/table/dispatch_table.ts";
import { UNCOUNTED } from "../chain/table/table_layout.ts";
import { codec } from "../codec/codec.ts";
import { directRaw, type NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { LIST } from "../emit/layout.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { AbsentCalls } from "../emit/absent.ts";
import { type ForeignCalls, isCalledWhileCollecting } from "../layers/hooks/foreign_calls.ts";
import { VirtualDevices } from "./virtual_devices.ts";
import { GET_DEVICE_PROC_ADDR, procAddr } from "./proc_addr.ts";
import type { ForeignThreadPolicy, Layer } from "../layer.ts";
import { type LayerProperties, writeLayerList } from "../layers/choice/tell.ts";
import { type HookThunkParts, HookThunks } from "../layers/hooks/hook_thunks.ts";
import { hiddenBy, hookedBy, isBrought, jointPolicy } from "../layers/hooks/hooks.ts";

/** One instance or device as its callers see it. */
export interface Side {
  /** The dispatch table of its handles. */
  readonly table: DispatchTable;
  /** The instance or device. */
  readonly handle: bigint;
  /** The commands with all hooks in front. */
  readonly raw: RawCommands;
  /** The current TypeScript layers, top to bottom. */
  layers(): readonly Layer[];
  /** Reports to the log and to the instance's listeners that a command which is not there was called. */
  tell(text: string): void;
  /** Whether no command below native code's entrances waits for TypeScript. */
  readonly isNative: boolean;
  /** For an instance, the answer of vkEnumerateDeviceLayerProperties. */
  listed?(): readonly LayerProperties[];
}

/** An instance or device that native code may enter. */
export interface Entry {
  /** Sets the callbacks again after a change of layers. */
  refresh(): void;
  /** Forgets the instance or device before its destruction. */
  close(): void;
}

/** Commands that only TypeScript can carry out. A foreign thread waits until the event loop runs them. */
const OURS = ["vkCreateDevice"];
/** The list that TypeScript makes, and machine code copies for other threads. */
const LISTED = "vkEnumerateDeviceLayerProperties";
/** Commands that TypeScript carries out, too, although other threads can do without it: see {@linkcode procAddr}. */
const FAREWELLS = ["vkDestroyInstance", "vkDestroyDevice"];
const ALWAYS = [...OURS, LISTED, ...FAREWELLS];
/** Before these, who listens hears what there was to hear. Other threads wait with them for TypeScript anyway. */
const LAST_HEARD = ["vkDestroyDebugUtilsMessengerEXT", "vkDestroyDebugReportCallbackEXT"];

/**
 * The entrances of native code into TypeScript: one callback for each hooked
 * command, shared by all instances and devices of a loader. The callback is in
 * the front slots of those objects whose layers hook the command. All other
 * slots lead directly to the driver or native layer, as if there were no
 * TypeScript.
 */
export class Entrances {
  readonly #sides = new Map<bigint, Side>();
  /** Guests of the instances, by the addresses of their tables. */
  readonly #virtualDevices = new Map<bigint, VirtualDevices>();
  readonly #thunks: HookThunks;
  readonly #absent = new AbsentCalls((table) => {
    const side = this.#sides.get(table);
    return side && ((text) => side.tell(text));
  }, UNCOUNTED);

  /** Makes the callbacks of the commands that TypeScript carries out. Not for use inside a callback. */
  constructor(foreign: ForeignCalls) {
    this.#thunks = new HookThunks(foreign, (command) => this.#partsOf(command));
    this.#thunks.make(findCommand(DEVICE_EXTENSIONS)!, "block");
    for (const name of [...ALWAYS, ...LAST_HEARD]) this.#thunks.make(findCommand(name)!, policyFor(name, []));
  }

  /** Makes the callbacks that these layers need. Not for use inside a callback. */
  prepare(layers: readonly Layer[]): void {
    // compiled now, because later may be inside a callback
    for (const command of layers.flatMap(hookedBy)) directRaw(command);
    this.#thunks.prepare(layers);
  }

  /** Lets native code enter an instance or device. Safe inside a callback if its layers were prepared. */
  open(side: Side): Entry {
    const { table, handle } = side, { ofInstance, ofDevice, beside } = procAddr()!;
    this.#sides.set(table.address, side);
    table.set(table.layout.heard, this.#absent.address);
    if (table.followsLinux && side.isNative) table.set(table.layout.alone, shareDrivers(beside));
    if (table.level === "instance") this.#virtualDevices.set(table.address, this.#virtualDevicesOf(side));
    const lists = side.listed && new LayerLists(table), publish = () => lists?.publish(side.listed!());
    publish();
    if (table.level === "instance") askOfLayers(table, this.#thunks.address(findCommand(DEVICE_EXTENSIONS)!, "block"));
    table.openFront(handle);
    if (table.level === "device") {
      table.divert(findCommand(GET_DEVICE_PROC_ADDR)!.slot, ofDevice);
      const exported = table.followsLinux ? exportedAddress(GET_DEVICE_PROC_ADDR) : 0n;
      table.set(table.layout.itself, exported || ofDevice);
    } else table.divert(findCommand("vkGetInstanceProcAddr")!.slot, ofInstance);
    for (const command of this.#thunks.commands) if (isOurs(side, command)) this.#divert(side, command);
    for (const command of side.layers().flatMap(hookedBy)) if (has(side, command)) this.#divert(side, command);
    for (const name of hiddenBy(side.layers())) table.hide(findCommand(name)!);
    return {
      refresh: () => {
        publish();
        this.#refresh(side);
      },
      close: () => {
        this.#forget(side);
        lists?.close();
      },
    };
  }

  /** Tells of the commands that other threads called and that are not there. */
  drain(): void {
    this.#absent.drain();
  }

  /** Frees the callbacks. All instances and devices must be gone. */
  close(): void {
    this.#absent.close();
    this.#thunks.close();
  }

  /**
   * Physical devices that TypeScript layers add get a table as if they belonged
   * to another instance, as soon as there are any.
   */
  #virtualDevicesOf(side: Side): VirtualDevices {
    const virtualDevices: VirtualDevices = new VirtualDevices(side, (table, raw) => {
      this.#sides.set(table.address, { ...side, table, raw });
      this.#divertVirtualDevices(virtualDevices, side);
    });
    return virtualDevices;
  }

  #divertVirtualDevices(virtualDevices: VirtualDevices, side: Side): void {
    for (const command of this.#thunks.commands) virtualDevices.divert(command);
    for (const command of side.layers().flatMap(hookedBy)) {
      virtualDevices.divert(command, this.#thunks.address(command, policyFor(command.name, side.layers())));
    }
  }

  #refresh(side: Side): void {
    const hooked = new Set(side.layers().flatMap(hookedBy).map(({ name }) => name));
    this.#thunks.refresh();
    const virtualDevices = this.#virtualDevices.get(side.table.address);
    if (virtualDevices?.table) this.#divertVirtualDevices(virtualDevices, side);
    for (const command of this.#thunks.commands) {
      const { name, level, slot } = command;
      if (level !== side.table.level) continue;
      if (isOurs(side, command)) {
        this.#divert(side, command);
        continue;
      }
      side.table.give(slot, false);
      if (hooked.has(name) && has(side, command)) this.#divert(side, command);
      else side.table.divert(slot);
    }
  }

  #forget({ table }: Side): void {
    this.drain();
    table.set(table.layout.heard, 0n);
    const virtualDevices = this.#virtualDevices.get(table.address);
    if (virtualDevices?.table) this.#sides.delete(virtualDevices.table.address);
    virtualDevices?.close();
    this.#virtualDevices.delete(table.address);
    this.#sides.delete(table.address);
    this.#thunks.refresh(); // another table may get the address
  }

  #divert(side: Side, command: Command): void {
    const policy = policyFor(command.name, side.layers());
    if (command.level === side.table.level) side.table.divert(command.slot, this.#thunks.address(command, policy));
  }

  #partsOf({ name, slot }: Command): HookThunkParts {
    const rawOf = (table: bigint) => {
      const call = this.#sides.get(table)!.raw[name as keyof RawCommands] as NativeCall;
      return this.#virtualDevices.get(table)?.call(name, call) ?? call;
    };
    const heard = (table: bigint): NativeCall => (...args) => {
      this.drain();
      return rawOf(table)(...args);
    };
    const ofOurs = LAST_HEARD.includes(name) ? heard : rawOf;
    return {
      handlerOf: name === "vkCreateDevice" ? (table) => refusingInCode(rawOf(table)) as NativeCall : ofOurs,
      next: withoutThread(name),
      nextInTable: 8 * slot,
      shunned: isCalledWhileCollecting(name) ? executableCode() : undefined,
    };
  }
}

/** The function for calls that cannot reach this thread, or will no more; 0n for that of the table. */
function withoutThread(name: string): bigint {
  if (OURS.includes(name)) return orphanCall(name); // a device that the loader did not make would be unknown to it
  if (FAREWELLS.includes(name)) return procAddr()!.beside(name);
  return name === LISTED ? byLayer()!.alone : 0n;
}

/** Other threads wait for commands that only TypeScript can carry out. The layers decide for all others. */
function policyFor(name: string, layers: readonly Layer[]): ForeignThreadPolicy {
  return OURS.includes(name) || LAST_HEARD.includes(name) ? "block" : jointPolicy(layers, name);
}

/** Whether TypeScript stands before a command whatever the layers hook. */
function isOurs({ table }: Side, { name, level, slot }: Command): boolean {
  return ALWAYS.includes(name) ||
    LAST_HEARD.includes(name) && level === table.level && table.followsLinux && table.has(slot);
}

/** Whether the chain or one of its layers has a command, so that native code finds an address. */
function has(side: Side, command: Command): boolean {
  const { table } = side, { level, slot } = command;
  if (level !== table.level) return false;
  if (table.has(slot)) return true;
  const brought = isBrought(side.layers(), command);
  table.give(slot, brought);
  return brought;
}

/** Bytes of one function pointer. */
const POINTER = 8;

/**
 * The layers of an instance in the form that machine code copies for other
 * threads. An old list stays, because a thread may still be reading it.
 */
export class LayerLists {
  readonly #table: DispatchTable;
  readonly #lists = new Map<string, NativeBlock>();

  /** Starts without a list. `table` is the instance's dispatch table. */
  constructor(table: DispatchTable) {
    this.#table = table;
  }

  /** Publishes a list for other threads. */
  publish(layers: readonly LayerProperties[]): void {
    const key = JSON.stringify(layers), list = this.#lists.get(key) ?? listOf(layers);
    this.#lists.set(key, list);
    publish64(this.#table.address + BigInt(POINTER * this.#table.layout.layers), list.address);
  }

  /** Frees the lists. No other thread may be reading. */
  close(): void {
    for (const list of this.#lists.values()) list.close();
  }
}

function listOf(layers: readonly LayerProperties[]): NativeBlock {
  const { size } = codec("VkLayerProperties"), list = new NativeBlock(LIST.elements + size * layers.length);
  const count = list.address + BigInt(LIST.count);
  poke32(count, layers.length);
  writeLayerList(layers, count, list.address + BigInt(LIST.elements));
  return list;
}

/**
 * Makes an instance's table send queries for a layer's device extensions to
 * `layered`, on every thread. The chain still answers all other queries. A
 * driver therefore need not know any layer.
 */
export function askOfLayers(table: DispatchTable, layered: bigint): void {
  const { slot } = findCommand(DEVICE_EXTENSIONS)!, plain = table.get(slot), { ofObject } = byLayer()!;
  if (plain === ofObject || plain === 0n) return;
  table.set(table.layout.plain, plain);
  table.set(table.layout.layered, layered);
  table.set(slot, ofObject);
}
