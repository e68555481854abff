import { type HalFailure, openHalDevice } from "../../../ffi/android/hardware_module.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { type OpenLibrary, procOf } from "../../../ffi/library/library.ts";
import { invokeAddress, peek64 } from "../../../ffi/machine.ts";
import { DriverError } from "../../error.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../../gen/native_gen.ts";
import type { LayerExtension } from "../../layer.ts";
import type { Told } from "../report/log.ts";
import { Refusal } from "../report/finding.ts";

/** The interface of a driver library, by which its entry points are found. */
export type DriverKind = "icd" | "hal";

/** The entry points that a loader needs before there is an instance. */
export interface EntryPoints {
  /** The interface of the library. */
  readonly kind: DriverKind;
  /** The negotiated loader-ICD interface version (0 to 7); 0 for a HAL module. */
  readonly interfaceVersion: number;
  /** Address of the driver's vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
  /**
   * Address of the driver's vk_icdGetPhysicalDeviceProcAddr, for unknown
   * physical-device commands; 0n if there is none.
   */
  readonly getPhysicalDeviceProcAddr: bigint;
  /** Addresses of global commands that the interface itself provides, by name. */
  readonly given: ReadonlyMap<string, bigint>;
  /**
   * Returns the vkGetInstanceProcAddr of an instance, for a driver that answers
   * differently for each. Absent: all instances have the same.
   */
  instanceProcAddr?(instance: bigint): bigint;
  /**
   * Returns the vkGetDeviceProcAddr of a device, for a driver that answers
   * differently for each. Absent: all devices have the same.
   */
  deviceProcAddr?(device: bigint): bigint;
  /**
   * Whether the driver itself decides what applications see, as Android's
   * driver level does. Nothing is hidden above it.
   */
  readonly filtersItself?: boolean;
  /** Whether the driver itself selects its part of a create info's extensions. Those of layers may reach it. */
  readonly sortsExtensions?: boolean;
  /** Returns the path of a device's driver, for a driver that joins several. */
  deviceDriver?(device: bigint): string;
  /** Addresses for the driver's own slots in the dispatch table of a device. */
  deviceSlots?(device: bigint): readonly bigint[];
  /** Sends a message to the listeners of an instance. Absent: only the driver itself has listeners. */
  tell?(instance: bigint, message: Told): void;
  /**
   * Returns the instance extensions for a VkInstanceCreateInfo if the create
   * info brings drivers of its own or leaves some out; otherwise `undefined`.
   */
  extensionsFor?(info: bigint): readonly LayerExtension[] | undefined;
  /**
   * Makes what creating an instance may need, and searches once as callbacks
   * will. A callback may come while Deno itself calls the loader, as WebGPU
   * does, and can then load no code. Not for use inside a callback.
   */
  prepare?(): void;
  /** Called after an instance is gone, possibly long after. Nobody calls with it any more. */
  instanceGone?(instance: bigint): void;
  /** Called after a device is gone, in the same way. */
  deviceGone?(device: bigint): void;
  /** Undoes what opening did besides loading the library. */
  close?(): void;
}

/** The newest loader-ICD interface version of this loader. */
const NEWEST_INTERFACE = 7;
/**
 * The interface version from which a driver may answer unknown physical-device
 * commands, and that from which it may do so without exports.
 */
const PHYSICAL_DEVICE_INTERFACE = 4, EXPORTLESS_INTERFACE = 7;
/** The interface functions and the commands that every driver has. */
const NEGOTIATE = "vk_icdNegotiateLoaderICDInterfaceVersion", PHYSICAL_DEVICE = "vk_icdGetPhysicalDeviceProcAddr";
const GLOBALS = ["vkCreateInstance", "vkEnumerateInstanceExtensionProperties"];
/** The function in which the Khronos loader opens drivers, at the head of its messages. */
const SCANNED = "loader_scanned_icd_add:";

/**
 * Returns the entry points of an ICD; `undefined` if the library is not one.
 * Follows the loader-driver interface, versions 0 to 7: negotiates through the
 * exported function or through vk_icdGetInstanceProcAddr. Without either, the
 * version is 1, or 0 if there is only a vkGetInstanceProcAddr.
 */
export function icdEntryPoints(path: string, library: OpenLibrary): EntryPoints | undefined {
  const exported = library.find("vk_icdGetInstanceProcAddr");
  const negotiate = library.find(NEGOTIATE) || (exported && procOf(exported, 0n, NEGOTIATE));
  if (exported === 0n && negotiate === 0n && library.find("vkGetInstanceProcAddr") === 0n) return undefined;
  const version = negotiate === 0n ? 0 : negotiated(path, negotiate);
  if (exported !== 0n) {
    const lacks = (name: string) =>
      `${SCANNED} Could not get '${name}' via 'vk_icdGetInstanceProcAddr' for ICD ${path}`;
    return throughIcd(path, exported, Math.max(version, 1), { library, lacks });
  }
  if (version === 0) return throughExports(path, library);
  throw refusal(
    path,
    `it speaks interface version ${version} but exports no vk_icdGetInstanceProcAddr, ${MEND}`,
    `${SCANNED} ICD ${path} reports an interface version of ${version} but doesn't export vk_icdGetInstanceProcAddr, skip this ICD.`,
  );
}

const MEND = "the driver is broken; take another build of it";

/**
 * Returns the entry points of a driver in this process with only an address, as
 * in VK_LUNARG_direct_driver_loading. The driver must negotiate version 7.
 * `place` is the struct with the address, which the Khronos loader's messages name.
 */
export function directEntryPoints(name: string, getInstanceProcAddr: bigint, place?: string): EntryPoints {
  if (getInstanceProcAddr === 0n) throw refusal(name, "its getInstanceProcAddr is NULL; give the function's address");
  const add = "loader_add_direct_driver:", words = (text: string) => place && `${add} ${text}, skipping.`;
  const lacks = (command: string) => words(`Could not get '${command}' from ${place}`);
  const negotiate = procOf(getInstanceProcAddr, 0n, NEGOTIATE);
  const version = negotiate === 0n ? 0 : negotiated(name, negotiate);
  if (version >= EXPORTLESS_INTERFACE) return throughIcd(name, getInstanceProcAddr, version, { lacks });
  const found = negotiate === 0n ? `has no ${NEGOTIATE}` : `negotiates interface version ${version}`;
  const what = `a driver given by address must negotiate version ${EXPORTLESS_INTERFACE}, this one ${found}`;
  throw refusal(name, what, negotiate === 0n ? lacks(NEGOTIATE) : words(tooOld(place, version)));
}

function tooOld(place: string | undefined, version: number): string {
  return `${place} supports interface version ${version}, which is incompatible with the Loader Driver Interface ` +
    "version that supports the VK_LUNARG_direct_driver_loading extension";
}

/** The library of a driver, if it has one, and the Khronos loader's message about a command that is missing. */
interface Origin {
  readonly library?: OpenLibrary;
  readonly lacks: (command: string) => string | undefined;
}

function throughIcd(
  path: string,
  getInstanceProcAddr: bigint,
  version: number,
  { library, lacks }: Origin,
): EntryPoints {
  for (const name of GLOBALS) {
    if (procOf(getInstanceProcAddr, 0n, name) !== 0n) continue;
    throw refusal(path, `its vk_icdGetInstanceProcAddr has no ${name}, ${MEND}`, lacks(name));
  }
  const getPhysicalDeviceProcAddr = physicalDeviceLookup(getInstanceProcAddr, version, library);
  return {
    kind: "icd",
    interfaceVersion: version,
    getInstanceProcAddr,
    getPhysicalDeviceProcAddr,
    given: new Map(),
  };
}

function physicalDeviceLookup(getInstanceProcAddr: bigint, version: number, library: OpenLibrary | undefined): bigint {
  if (version < PHYSICAL_DEVICE_INTERFACE) return 0n;
  const answered = version >= EXPORTLESS_INTERFACE ? procOf(getInstanceProcAddr, 0n, PHYSICAL_DEVICE) : 0n;
  return answered || (library?.find(PHYSICAL_DEVICE) ?? 0n);
}

/** A version 0 driver need not return global commands through vkGetInstanceProcAddr. Its exports count. */
function throughExports(path: string, library: OpenLibrary): EntryPoints {
  const getInstanceProcAddr = library.find("vkGetInstanceProcAddr");
  const given = new Map(GLOBALS.map((name) => [name, library.find(name)]));
  for (const [name, address] of [["vkGetInstanceProcAddr", getInstanceProcAddr] as const, ...given]) {
    if (address === 0n) throw refusal(path, `it exports no ${name}, as interface version 0 asks; ${MEND}`);
  }
  return { kind: "icd", interfaceVersion: 0, getInstanceProcAddr, getPhysicalDeviceProcAddr: 0n, given };
}

/** Only VK_ERROR_INCOMPATIBLE_DRIVER refuses. Other results are ignored, as in the Khronos loader. */
function negotiated(path: string, negotiate: bigint): number {
  return inFrame((memory) => {
    const version = memory.alloc(4);
    memory.view.setUint32(version, NEWEST_INTERFACE, true);
    // VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *pVersion)
    const result = invokeAddress(negotiate, "s:q", [memory.address(version)]);
    if (result === VK_ERROR_INCOMPATIBLE_DRIVER) {
      throw refusal(
        path,
        `it refuses loader interface version ${NEWEST_INTERFACE}; take a newer driver`,
        `${SCANNED} ICD ${path} doesn't support interface version compatible with loader, skip this ICD.`,
      );
    }
    return Math.min(memory.view.getUint32(version, true), NEWEST_INTERFACE);
  });
}

/** `message` is the Khronos loader's. */
function refusal(path: string, what: string, message?: string): Refusal {
  const said = message === undefined ? undefined : { message, level: "error", category: "none" } as const;
  return new Refusal("unusable", path, `Cannot use "${path}" as a Vulkan driver: ${what}`, said);
}

/** HWVULKAN_DEVICE_0, the device every Vulkan HAL module opens. */
const HWVULKAN_DEVICE_0 = "vk0";
/** HWVULKAN_HARDWARE_MODULE_ID. */
const HWVULKAN_MODULE = "vulkan";
/** hwvulkan_device_t after its hw_device_t: three function pointers. */
const ENUMERATE_INSTANCE_EXTENSION_PROPERTIES = 120n, CREATE_INSTANCE = 128n, GET_INSTANCE_PROC_ADDR = 136n;

/**
 * Returns the entry points of an Android HAL module; `undefined` if the library
 * exports no `HMI`. Throws a {@linkcode DriverError}.
 */
export function halEntryPoints(path: string, library: OpenLibrary): EntryPoints | undefined {
  const found = openHal(library);
  if (!found || !("failure" in found)) return found;
  throw new DriverError("unusable", path, `Cannot use "${path}" as a Vulkan driver: ${found.failure}`);
}

/**
 * Returns the entry points of an Android HAL module, the reason why it has
 * none, or `undefined` if the library exports no `HMI`.
 */
export function openHal(library: OpenLibrary): EntryPoints | HalFailure | undefined {
  const module = library.find("HMI");
  if (module === 0n) return undefined;
  const device = openHalDevice(module, HWVULKAN_MODULE, HWVULKAN_DEVICE_0, library.handle);
  if ("failure" in device) return device;
  return {
    kind: "hal",
    interfaceVersion: 0,
    getInstanceProcAddr: peek64(device.address + GET_INSTANCE_PROC_ADDR),
    getPhysicalDeviceProcAddr: 0n,
    given: new Map([
      ["vkCreateInstance", peek64(device.address + CREATE_INSTANCE)],
      ["vkEnumerateInstanceExtensionProperties", peek64(device.address + ENUMERATE_INSTANCE_EXTENSION_PROPERTIES)],
    ]),
    close: device.close,
  };
}
