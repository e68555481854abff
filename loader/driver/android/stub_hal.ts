import { NativeBlock } from "../../../ffi/block.ts";
import { createLookup } from "../../../ffi/functions/lookup.ts";
import { poke32, poke64 } from "../../../ffi/machine.ts";
import type { NativeFunction } from "../../../ffi/stubs.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { type Driver, driverOf } from "../interface/driver.ts";
import { LOADER_MAGIC } from "../interface/probe.ts";
import { VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY } from "../../gen/native_gen.ts";

/** The `driver` of a loader if Android found no driver. */
export const STUB_HAL = "stub HAL";

/** The most instances that can exist at once, and the bytes of each. */
const MOST_INSTANCES = 32, INSTANCE_SIZE = 16;

/**
 * Android's fallback if there is no driver, as AOSP's stubhal. An application
 * sees an instance without extensions and without physical devices. The 33rd
 * simultaneous instance fails. Six names always have an address; with an
 * instance every other name returns a function that throws when called (AOSP's
 * ends the process).
 */
export function openStubHal(): Driver {
  const slots = new InstanceSlots();
  const create = (_info: bigint, _allocator: bigint, out: bigint) => slots.take(out);
  return scriptedDriver(STUB_HAL, create, nothing, {
    free: (instance) => slots.give(instance),
    close: () => slots.close(),
  });
}

/**
 * The driver from a HAL module whose open method refused, under AOSP's rules:
 * creating an instance fails, and all enumerations return out of memory.
 */
export function openFailedHal(path: string): Driver {
  const exhausted = () => VK_ERROR_OUT_OF_HOST_MEMORY;
  return scriptedDriver(path, () => VK_ERROR_INITIALIZATION_FAILED, exhausted, { version: exhausted });
}

/** The instances of the stub, in native memory. */
class InstanceSlots {
  readonly #memory = new NativeBlock(MOST_INSTANCES * INSTANCE_SIZE);
  readonly #used = new Set<number>();

  take(out: bigint): number {
    const free = Array.from({ length: MOST_INSTANCES }, (_, index) => index).find((index) => !this.#used.has(index));
    if (free === undefined) return VK_ERROR_INITIALIZATION_FAILED;
    this.#used.add(free);
    this.#memory.view.setBigUint64(free * INSTANCE_SIZE, LOADER_MAGIC, true);
    poke64(out, this.#memory.address + BigInt(free * INSTANCE_SIZE));
    return 0;
  }

  give(instance: bigint): void {
    this.#used.delete(Number(instance - this.#memory.address) / INSTANCE_SIZE);
  }

  close(): void {
    this.#memory.close();
  }
}

type Enumerate = (handle: bigint, count: bigint, out: bigint) => number;

function nothing(_handle: bigint, count: bigint): number {
  poke32(count, 0);
  return 0;
}

/** Further functions of some drivers in TypeScript. */
interface Rest {
  /** vkDestroyInstance. */
  free?(instance: bigint): void;
  /** vkEnumerateInstanceVersion. A driver with it is everything that Android's loader shows, without anything above. */
  version?(): number;
  /** Frees the driver's resources. */
  close?(): void;
}

/** Makes a driver of six commands in TypeScript. Each is an address, as in any other driver. */
function scriptedDriver(
  path: string,
  create: (info: bigint, allocator: bigint, out: bigint) => number,
  enumerate: Enumerate,
  { free, close, version }: Rest = {},
): Driver {
  const thunks: Thunk[] = [];
  const make = (signature: string, handler: NativeFunction) => {
    const thunk = createThunk(signature, handler);
    thunks.push(thunk);
    return thunk.address;
  };
  const listing = make("s:qqq", enumerate);
  const known = new Map([
    ["vkCreateInstance", make("s:qqq", create)],
    ["vkDestroyInstance", make("v:qq", (instance: bigint) => free?.(instance))],
    ["vkEnumerateInstanceExtensionProperties", listing],
    ["vkEnumeratePhysicalDevices", listing],
    ["vkEnumeratePhysicalDeviceGroups", listing],
  ]);
  if (version) known.set("vkEnumerateInstanceVersion", make("s:q", version));
  const invalid = make("s:", () => {
    throw new Error(`Cannot call this command: "${path}" has no physical devices; check how many there are first`);
  });
  const miss = make("q:qq", (instance: bigint) => instance === 0n ? 0n : invalid);
  const lookup = createLookup(known, miss);
  lookup.set("vkGetInstanceProcAddr", lookup.address);
  return driverOf(path, {
    kind: "hal",
    interfaceVersion: 0,
    getInstanceProcAddr: lookup.address,
    getPhysicalDeviceProcAddr: 0n,
    given: known,
    filtersItself: version !== undefined,
    close() {
      lookup.free();
      for (const thunk of thunks) thunk.free();
      close?.();
    },
  });
}
