import { invokeAddress, poke64 } from "../../../ffi/machine.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { type ChainElement, forgetDevice } from "../element.ts";
import { createLinked, deviceElements, type Links } from "./links.ts";
import type { DriverTerminators } from "../bottom/terminators.ts";

/**
 * The devices that layers of an instance create for themselves through the
 * layers below them: pfnLayerCreateDevice and pfnLayerDestroyDevice.
 */
export class LayerDevices implements Disposable {
  readonly #elements: readonly ChainElement[];
  readonly #terminators: DriverTerminators;
  readonly #create: Thunk;
  readonly #destroy: Thunk;
  readonly #links = new Map<bigint, Links>();

  /** Makes callbacks for the layers of one instance, top to bottom. */
  constructor(elements: readonly ChainElement[], terminators: DriverTerminators) {
    this.#elements = elements;
    this.#terminators = terminators;
    this.#create = createThunk("s:qqqqqqq", (...args) => this.#createDevice(args as bigint[]));
    this.#destroy = createThunk("v:qqq", (...args) => this.#destroyDevice(args as bigint[]));
  }

  /** The addresses of the callbacks. */
  get callbacks(): { readonly createDevice: bigint; readonly destroyDevice: bigint } {
    return { createDevice: this.#create.address, destroyDevice: this.#destroy.address };
  }

  /** Frees what is left. No layer may call afterwards. */
  close(): void {
    for (const links of this.#links.values()) links.close();
    this.#links.clear();
    this.#create.free();
    this.#destroy.free();
  }

  /** Frees everything at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Goes through the layers below the one whose GetInstanceProcAddr was passed; through all if none was. */
  #createDevice([instance, gpu, info, allocator, out, layer, nextOut]: bigint[]): number {
    const index = this.#elements.findIndex(({ getInstanceProcAddr }) => getInstanceProcAddr === layer);
    const below = this.#elements.slice(index + 1), elements = deviceElements(below);
    const lookup = below[0]?.getInstanceProcAddr ?? this.#terminators.getInstanceProcAddr;
    const create = procOf(lookup, instance, "vkCreateDevice"), call = { physicalDevice: gpu, info, allocator };
    const links = createLinked(create, elements, this.#terminators, call);
    if (typeof links === "number") return links;
    this.#links.set(links.handle, links);
    poke64(out, links.handle);
    poke64(nextOut, elements[0]?.getDeviceProcAddr ?? this.#terminators.getDeviceProcAddr);
    return 0;
  }

  #destroyDevice([device, allocator, destroy]: bigint[]): void {
    if (device === 0n) return;
    const table = this.#terminators.claim(device);
    if (destroy !== 0n) invokeAddress(destroy, "v:qq", [device, allocator]);
    if (table) forgetDevice(this.#elements, table);
    table?.close();
    this.#links.get(device)?.close();
    this.#links.delete(device);
  }
}
