import { inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { invokeAddress, peek32, peek64, poke64 } from "../../ffi/machine.ts";
import { GROUP } from "../emit/layout.ts";
import { withGroup } from "../driver/structs/create_info.ts";
import { absentCommand, DispatchTable } from "../chain/table/dispatch_table.ts";
import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand, firstParameter } from "../command/registry/table.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";

const LIST = "vkEnumeratePhysicalDevices", LIST_GROUPS = /^vkEnumeratePhysicalDeviceGroups/;
/** Bytes of a virtual device. Only the first word is not zero. */
const VIRTUAL_SIZE = 4096;

/** The instance that has the virtual devices. */
export interface VirtualDeviceHost {
  /** The dispatch table of its handles. */
  readonly table: DispatchTable;
  /** The instance. */
  readonly handle: bigint;
  /** The commands with all hooks in front. */
  readonly raw: RawCommands;
}

/**
 * Virtual devices: physical devices that the TypeScript layers at the top list and
 * nobody below has. Their handles may be any numbers. Native callers therefore
 * get objects of ours for them, with a dispatch table of their own. A command
 * in that table leads to the hooks, which get the layer's handle. A command
 * without a hook fails, because no driver knows a virtual device.
 */
export class VirtualDevices implements Disposable {
  readonly #host: VirtualDeviceHost;
  readonly #opened: (table: DispatchTable, raw: RawCommands) => void;
  /** The physical devices that the chain has listed. */
  readonly #own = new Set<bigint>();
  /** Objects by the layers' handles. */
  readonly #objects = new Map<bigint, NativeBlock>();
  /** The layers' handles by ours. */
  readonly #handles = new Map<bigint, bigint>();
  #table: DispatchTable | undefined;

  /** Starts without virtual devices. `opened` is called with the virtual devices' table and commands as soon as there are virtual devices. */
  constructor(host: VirtualDeviceHost, opened: (table: DispatchTable, raw: RawCommands) => void) {
    this.#host = host;
    this.#opened = opened;
  }

  /** The table of the virtual devices; `undefined` while there are none. */
  get table(): DispatchTable | undefined {
    return this.#table;
  }

  /** Returns a command of the instance in the form for native callers. */
  call(name: string, call: NativeCall): NativeCall {
    if (name === LIST) return this.#lister(call, 8, (out) => [out, 1]);
    if (LIST_GROUPS.test(name)) return this.#lister(call, GROUP.size, groupAt);
    return name === "vkCreateDevice" ? this.#withVirtualDevices(call) : call;
  }

  /** Sets the function of a command of the virtual devices; by default, a function that fails. */
  divert({ name, slot, level }: Command, address?: bigint): void {
    if (level === "instance" && firstParameter(level, name) === "physicalDevice") this.#table?.divert(slot, address);
  }

  /** Frees the virtual devices before the instance is destroyed. */
  close(): void {
    this.#table?.close();
    for (const object of this.#objects.values()) object.close();
  }

  /** Frees the virtual devices at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** `handlesAt` returns the address of an element's handles and their number. */
  #lister(call: NativeCall, stride: number, handlesAt: (element: bigint) => [at: bigint, count: number]): NativeCall {
    return (instance, count, out) => {
      const room = count === 0n || out === 0n ? 0 : peek32(count), result = call(instance, count, out) as number;
      const listed = result < 0 || room === 0 ? 0 : Math.min(room, peek32(count));
      for (let index = 0; index < listed; index++) this.#exchange(...handlesAt(out + BigInt(stride * index)));
      return result;
    };
  }

  #exchange(at: bigint, count: number): void {
    for (let place = at; place < at + BigInt(8 * count); place += 8n) {
      const handle = peek64(place);
      if (handle !== 0n && !this.#isOwn(handle)) poke64(place, this.#objectOf(handle));
    }
  }

  #isOwn(handle: bigint): boolean {
    if (!this.#own.has(handle) && !this.#objects.has(handle)) this.#learn();
    return this.#own.has(handle);
  }

  /** Lists the chain's own physical devices, without hooks. */
  #learn(): void {
    const { table, handle } = this.#host, list = table.get(findCommand(LIST)!.slot);
    inFrame((memory) => {
      const count = memory.alloc(8),
        ask = (out: number) => invokeAddress(list, "s:qoo", [handle, count, out]) as number;
      const room = ask(0) < 0 ? 0 : memory.view.getUint32(count, true), out = memory.alloc(8 * room + 8);
      if (room === 0 || ask(out) < 0) return;
      for (let index = 0; index < Math.min(room, memory.view.getUint32(count, true)); index++) {
        this.#own.add(memory.view.getBigUint64(out + 8 * index, true));
      }
    });
  }

  #objectOf(handle: bigint): bigint {
    let object = this.#objects.get(handle);
    if (!object) {
      this.#objects.set(handle, object = new NativeBlock(VIRTUAL_SIZE));
      this.#handles.set(object.address, handle);
      object.view.setBigUint64(0, (this.#table ??= this.#open()).address, true);
    }
    return object.address;
  }

  #open(): DispatchTable {
    const table = this.#table = new DispatchTable("instance");
    table.setDriver("the layer whose physical device it is");
    for (let slot = 0; slot < table.layout.count; slot++) {
      table.set(slot, absentCommand("instance", slot, true)); // where calls of other threads go on to
      table.divert(slot);
    }
    this.#opened(table, this.#raw());
    return table;
  }

  /** The commands of virtual devices. Hooks get the layers' handles. */
  #raw(): RawCommands {
    const { raw } = this.#host, own = (gpu: bigint) => this.#handles.get(gpu) ?? gpu;
    return new Proxy(raw, {
      get: (_, name) => {
        const call = this.call(name as string, raw[name as keyof RawCommands] as NativeCall);
        return (gpu: bigint, ...rest: bigint[]) => call(own(gpu), ...rest);
      },
    });
  }

  #withVirtualDevices(create: NativeCall): NativeCall {
    return (gpu, info, allocator, out) =>
      withGroup(info, (each) => this.#handles.get(each) ?? each, () => create(gpu, info, allocator, out));
  }
}

/** VkPhysicalDeviceGroupProperties */
function groupAt(group: bigint): [at: bigint, count: number] {
  return [group + BigInt(GROUP.handles), Math.min(peek32(group + BigInt(GROUP.count)), GROUP.most)];
}
