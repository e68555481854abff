import { createLookup, type Lookup } from "../../ffi/functions/lookup.ts";
import { procOf } from "../../ffi/library/library.ts";
import { invokeAddress, peek32, peek64, poke64 } from "../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import type { ChainElement } from "../chain/element.ts";
import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { chain, nextOf } from "../driver/structs/create_info.ts";
import {
  VK_ERROR_INITIALIZATION_FAILED,
  VK_LAYER_LINK_INFO,
  VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
  VkLayerDeviceCreateInfo,
  VkLayerDeviceLink,
} from "../gen/native_gen.ts";
import { GLOBAL_COMMANDS } from "../install/proc_addr.ts";
import type { Layer } from "../layer.ts";
import type { LayerGroups } from "../layers/hooks/places.ts";
import { compose } from "../layers/hooks/hooks.ts";
import type { Interposer } from "./interposer.ts";
import { InterposerSide, InterposerTable } from "./interposer_code.ts";

const CREATE_INSTANCE = "vkCreateInstance";

/** A interposer as an element of one instance's chain. For the native layer above, it is a layer like any other. */
export class InterposerElement implements ChainElement, Disposable {
  readonly #interposer: Interposer;
  readonly #groups: LayerGroups;
  readonly #lookup: Lookup;
  readonly #create: Thunk;
  /** The tables of the instance and its devices, and of devices whose creation failed in a layer above. */
  readonly #tables = new Set<bigint>();

  /** `groups` has the current layers, whose callbacks were prepared. */
  constructor(interposer: Interposer, groups: LayerGroups) {
    const { trampoline, procAddr } = interposer.code;
    this.#interposer = interposer;
    this.#groups = groups;
    this.#create = createThunk("s:qqq", (...args) => this.#createInstance(args as bigint[]));
    const entries: [string, bigint][] = [
      [CREATE_INSTANCE, this.#create.address],
      ["vkCreateDevice", trampoline("vkCreateDevice")],
      ["vkGetDeviceProcAddr", procAddr.ofDevice],
    ];
    this.#lookup = createLookup(entries, procAddr.ofInstance);
    this.#lookup.set("vkGetInstanceProcAddr", this.#lookup.address);
  }

  /** The names of the layers. */
  get name(): string {
    return this.#layers.map(({ name }) => name).join(", ");
  }

  /** See {@linkcode ChainElement}. */
  get getInstanceProcAddr(): bigint {
    return this.#lookup.address;
  }

  /** See {@linkcode ChainElement}. */
  get getDeviceProcAddr(): bigint {
    return this.#interposer.code.procAddr.ofDevice;
  }

  /** See {@linkcode ChainElement}. */
  forgetDevice(table: bigint): void {
    this.#tables.delete(table);
    this.#interposer.forget(table);
  }

  /** Frees the instance's part. The instance must be gone. */
  close(): void {
    for (const table of this.#tables) this.#interposer.forget(table);
    this.#lookup.free();
    this.#create.free();
  }

  /** Frees the instance's part at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  get #layers(): readonly Layer[] {
    return this.#groups.of(this.#interposer.index + 1);
  }

  #createInstance([info, allocator, out]: bigint[]): number {
    const last = (info: bigint, allocator: bigint, out: bigint) =>
      throughLink(info, INSTANCE, (below) => this.#createBelow(below, info, allocator, out));
    const call = compose(this.#layers, findCommand(CREATE_INSTANCE)!, last);
    return this.#groups.within(call, 3)(info, allocator, out);
  }

  #createBelow({ getInstanceProcAddr }: Below, info: bigint, allocator: bigint, out: bigint): number {
    // Queried with the loader's placeholder for the instance, because old layers return nothing for NULL.
    const create = procOf(getInstanceProcAddr, peek64(out), CREATE_INSTANCE);
    const result = invokeAddress(create, "s:qqq", [info, allocator, out]) as number;
    if (result < 0) return result;
    this.#open("instance", peek64(out), getInstanceProcAddr, (command) => this.#bottom(command));
    for (const name of GLOBAL_COMMANDS) {
      if (name !== CREATE_INSTANCE) this.#lookup.set(name, procOf(getInstanceProcAddr, peek64(out), name));
    }
    return result;
  }

  #bottom(command: Command): NativeCall {
    const bottom = this.#interposer.bottom(command);
    return command.name === "vkCreateDevice" ? this.#deviceMaker(bottom) : bottom;
  }

  #deviceMaker(create: NativeCall): NativeCall {
    return (gpu, info, allocator, out) =>
      throughLink(info, DEVICE, ({ getDeviceProcAddr }) => {
        const result = create(gpu, info, allocator, out);
        if (result >= 0) {
          this.#open("device", peek64(out), getDeviceProcAddr, (command) => this.#interposer.bottom(command));
        }
        return result;
      });
  }

  #open(
    level: "instance" | "device",
    handle: bigint,
    getProcAddr: bigint,
    bottom: (command: Command) => NativeCall,
  ): void {
    const table = new InterposerTable(level, this.#interposer.index, peek64(handle));
    table.fill(getProcAddr, handle, this.#interposer.code);
    this.#interposer.open(new InterposerSide(table, this.#groups, this.#interposer.index + 1, bottom));
    this.#tables.add(table.address);
  }
}

const INSTANCE = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, DEVICE = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
/** VkLayerInstanceCreateInfo and VkLayerInstanceLink have the same places. */
const INFO = VkLayerDeviceCreateInfo, NODE = VkLayerDeviceLink;

/** The functions below a layer, which the loader passes when an instance or device is created. */
interface Below {
  /** Address of the GetInstanceProcAddr below. */
  readonly getInstanceProcAddr: bigint;
  /** For a device, address of the GetDeviceProcAddr below. */
  readonly getDeviceProcAddr: bigint;
}

/**
 * Creates an instance or a device with the functions below a layer. The link in
 * the create info is advanced for the next layer, as every layer must do. If
 * the creation fails, the link is put back, for layers above that try again.
 */
function throughLink(info: bigint, type: typeof INSTANCE | typeof DEVICE, create: (below: Below) => number): number {
  const at = linkIn(info, type), node = at === undefined ? 0n : peek64(at);
  // the call did not come through the loader
  if (at === undefined || node === 0n) return VK_ERROR_INITIALIZATION_FAILED;
  poke64(at, peek64(node + NODE.pNext));
  const result = create({
    getInstanceProcAddr: peek64(node + NODE.pfnNextGetInstanceProcAddr),
    getDeviceProcAddr: peek64(node + NODE.pfnNextGetDeviceProcAddr),
  });
  if (result < 0) poke64(at, node);
  return result;
}

/** The address of the pointer to the node in a create info. */
function linkIn(info: bigint, type: number): bigint | undefined {
  for (const { sType, address } of chain(nextOf(info))) {
    if (sType === type && peek32(address + INFO.function) === VK_LAYER_LINK_INFO) return address + INFO.u;
  }
}
