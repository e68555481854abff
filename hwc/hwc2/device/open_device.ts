import { openHalDevice } from "../../../ffi/android/hardware_module.ts";
import { PROPERTIES_RULE, type PropertySource, systemProperties } from "../../../ffi/android/properties.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { type OptionRules, typed } from "../../../ffi/check_options.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { NativeError } from "../../../ffi/error.ts";
import { Library, RTLD_NODELETE, RTLD_NOW } from "../../../ffi/library/library.ts";
import { invokeAddress, peek32, peek64 } from "../../../ffi/machine.ts";
import { CAPABILITY } from "../../device_types.ts";
import { missingFunctions } from "../../function_names.ts";
import { DEVICE, DEVICE_ID, DEVICE_TAG, MODULE, MODULE_ID, MODULE_NAME } from "../layout.ts";

/** The place of the search for a module. */
export interface Hwc2Search {
  /** A folder in front of `/odm`, `/vendor` and `/system`. Default `""`. */
  readonly root?: string;
  /** Android's system properties. Default: the device's on Android, none elsewhere. */
  readonly systemProperties?: PropertySource;
}

/** The options of the search, with the values that fit. */
export const SEARCH_RULES: OptionRules<Hwc2Search> = {
  root: typed("the path of a folder", "string"),
  systemProperties: PROPERTIES_RULE,
};

/** The properties that name a variant, and the folders, in hw_get_module's order. */
const VARIANTS = ["ro.hardware", "ro.product.board", "ro.board.platform", "ro.arch"];
const FOLDERS = ["/odm/lib64/hw", "/vendor/lib64/hw", "/system/lib64/hw"];

/**
 * The path of a module by its name, such as `hwcomposer`: the first file that
 * exists. Throws a {@linkcode NativeError} `not-found`.
 */
export function findHwModule(name: string, search: Hwc2Search = {}): string {
  const { root = "" } = search, get = propertiesOf(search);
  const variants = [`ro.hardware.${name}`, ...VARIANTS].map(get).filter((value) => value !== "");
  const paths = [...variants, "default"].flatMap((variant) => {
    return FOLDERS.map((folder) => `${root}${folder}/${name}.${variant}.so`);
  });
  const found = paths.find(isFile);
  if (found) return found;
  throw new NativeError(
    "not-found",
    `Cannot find the module "${name}": none of ${
      paths.join(", ")
    } is there; give a path, or set ro.hardware.${MODULE_ID}`,
  );
}

function propertiesOf({ systemProperties: wanted }: Hwc2Search): (name: string) => string {
  if (wanted === undefined && Deno.build.os !== "android") return () => "";
  const source = systemProperties(wanted ?? "device");
  return (name) => source.get(name);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return false;
  }
}

/** A hwc2_device_t that is fit to be used. */
export interface Hwc2Device {
  /** The address of the device. */
  readonly address: bigint;
  /** The device's global capabilities. */
  readonly capabilities: readonly number[];
  /** The address of a function; 0n if it has none. */
  getFunction(descriptor: number): bigint;
  /** Whether the device is a composer of this library, which takes fences of every kind. */
  readonly isOurs: boolean;
  /** The library it is from; none for a module that was there. */
  readonly library: Library | undefined;
}

/** Opens a module's device: by the library's path, or by the module's address. Throws a {@linkcode NativeError}. */
export function openHwc2Device(target: string | bigint): Hwc2Device {
  // As on a device, a module stays: its threads may call back, or be on their way out, when it is closed.
  const library = typeof target === "string" ? Library.open(target, RTLD_NOW | RTLD_NODELETE) : undefined;
  try {
    const module = library ? library.require("HMI") : target as bigint;
    return openModule(module, library);
  } catch (error) {
    library?.close();
    throw error;
  }
}

function openModule(module: bigint, library: Library | undefined): Hwc2Device {
  if (module === 0n) unfit("its address is NULL; give a hw_module_t's");
  const opened = openHalDevice(module, MODULE_ID, DEVICE_ID, library?.handle ?? 0n);
  if ("failure" in opened) unfit(opened.failure);
  const { address } = opened, getFunction = asker(address);
  checkTag(address);
  try {
    checkVersion(address);
    const capabilities = capabilitiesOf(address);
    checkFit(capabilities, getFunction);
    return { address, capabilities, getFunction, isOurs: isOurs(module), library };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** As the module says itself. */
function isOurs(module: bigint): boolean {
  const name = peek64(module + BigInt(MODULE.name));
  return name !== 0n && readCString(name) === MODULE_NAME;
}

function unfit(reason: string): never {
  throw new NativeError("unsupported", `Cannot use the hardware composer: ${reason}`);
}

/** Refuses bytes that are no device. Nothing of them is called, not even where a device has its close. */
function checkTag(device: bigint): void {
  const tag = peek32(device + BigInt(DEVICE.tag));
  if (tag !== DEVICE_TAG) unfit(`its device begins with 0x${tag.toString(16)}, no hw_device_t; look at its open`);
}

function checkVersion(device: bigint): void {
  const version = peek32(device + BigInt(DEVICE.version));
  const major = version >>> 24 & 0xf;
  if (major !== 2) unfit(`its device has version ${major} of the interface; only version 2 can be used`);
}

function checkFit(capabilities: readonly number[], getFunction: (descriptor: number) => bigint): void {
  if (capabilities.includes(CAPABILITY.PRESENT_FENCE_IS_NOT_RELIABLE)) {
    unfit("it says that its present fences are not reliable, which no HWC2 device may; mend the device");
  }
  const missing = missingFunctions((descriptor) => getFunction(descriptor) !== 0n);
  if (missing.length > 0) unfit(`it lacks ${missing.join(", ")}; every HWC2 device must have them`);
}

/** Capabilities that a device may announce; hwcomposer2.h has five. */
const MOST_CAPABILITIES = 1024;

/** void getCapabilities(hwc2_device_t *device, uint32_t *outCount, int32_t *outCapabilities) */
function capabilitiesOf(device: bigint): number[] {
  const getCapabilities = peek64(device + BigInt(DEVICE.getCapabilities));
  return inFrame((memory) => {
    const count = memory.alloc(4);
    memory.view.setUint32(count, 0, true);
    invokeAddress(getCapabilities, "v:qoo", [device, count, 0]);
    const room = memory.view.getUint32(count, true);
    if (room > MOST_CAPABILITIES) unfit(`it announces ${room} capabilities`);
    const list = memory.alloc(4 * Math.max(1, room));
    if (room > 0) invokeAddress(getCapabilities, "v:qoo", [device, count, list]);
    const found = Math.min(room, memory.view.getUint32(count, true));
    return Array.from({ length: found }, (_, index) => memory.view.getInt32(list + 4 * index, true));
  });
}

/** hwc2_function_pointer_t getFunction(hwc2_device_t *device, int32_t descriptor) */
function asker(device: bigint): (descriptor: number) => bigint {
  const getFunction = peek64(device + BigInt(DEVICE.getFunction));
  return (descriptor) => invokeAddress(getFunction, "q:qs", [device, descriptor]) as bigint;
}
