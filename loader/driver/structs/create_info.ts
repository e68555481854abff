/**
 * VkInstanceCreateInfo and VkDeviceCreateInfo in memory: reads requests of
 * applications, and makes changed copies in the arena.
 *
 * @module
 */
import { arena, inFrame } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { peek32, peek64, poke64 } from "../../../ffi/machine.ts";
import { LONGEST, ring } from "../../codec/values/chain.ts";
import {
  offsetsOfVkDeviceCreateInfo,
  offsetsOfVkInstanceCreateInfo,
  sizeOfVkApplicationInfo,
  sizeOfVkDeviceCreateInfo,
  sizeOfVkInstanceCreateInfo,
  VK_API_VERSION_1_0,
  VK_MAX_EXTENSION_NAME_SIZE,
  VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
  VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
  VkApplicationInfo,
  VkDeviceGroupDeviceCreateInfo,
} from "../../gen/native_gen.ts";

/** Bytes of VkInstanceCreateInfo and of VkDeviceCreateInfo. */
export const INSTANCE_CREATE_INFO = sizeOfVkInstanceCreateInfo, DEVICE_CREATE_INFO = sizeOfVkDeviceCreateInfo;

/** Offsets of what both have: the chain, and two lists of names, each a count and an array. */
const AT = offsetsOfVkInstanceCreateInfo;
const LAYERS = { count: AT.enabledLayerCount, array: AT.ppEnabledLayerNames } as const;
const EXTENSIONS = { count: AT.enabledExtensionCount, array: AT.ppEnabledExtensionNames } as const;
/** A list in VkDeviceCreateInfo. */
const QUEUES = {
  count: offsetsOfVkDeviceCreateInfo.queueCreateInfoCount,
  array: offsetsOfVkDeviceCreateInfo.pQueueCreateInfos,
} as const;
/** The extension that allows a device without queues. */
const QUEUELESS = "VK_KHR_maintenance9";

/** The offsets of a list of names. */
type NameList = typeof LAYERS | typeof EXTENSIONS;

/**
 * Returns the names of the extensions that a create info enables; `undefined`
 * if it has a count and no array. A NULL among them reads as `""`.
 */
export function enabledExtensions(info: bigint): string[] | undefined {
  return pointersIn(info, EXTENSIONS)?.map((pointer) => readCString(pointer));
}

/** The same, but empty if there is a count and no array. */
export function requestedExtensions(info: bigint): string[] {
  return enabledExtensions(info) ?? [];
}

/**
 * Returns the layers that a create info names; `undefined` if it has a count
 * and no array, or an impossible name: NULL, too long, or not UTF-8.
 */
export function requestedLayers(info: bigint): string[] | undefined {
  const names = namedLayers(info);
  return names?.every(isPossible) ? names : undefined;
}

/** Returns the layers that a create info names, whatever their names are; `undefined` if it has a count and no array. */
export function namedLayers(info: bigint): string[] | undefined {
  return pointersIn(info, LAYERS)?.map((name) => readCString(name, VK_MAX_EXTENSION_NAME_SIZE));
}

/** Bytes that are not UTF-8 read as replacement characters. */
function isPossible(name: string): boolean {
  return name !== "" && !name.includes("\ufffd") && new TextEncoder().encode(name).length < VK_MAX_EXTENSION_NAME_SIZE;
}

/**
 * Whether a VkDeviceCreateInfo names no queues although it must. Drivers read
 * the first queue without looking at the count.
 */
export function lacksQueues(info: bigint): boolean {
  const isEmpty = peek32(info + BigInt(QUEUES.count)) === 0 || peek64(info + BigInt(QUEUES.array)) === 0n;
  return isEmpty && !requestedExtensions(info).includes(QUEUELESS);
}

/** Returns the apiVersion of a VkInstanceCreateInfo; 0 without an application info. */
export function requestedVersion(info: bigint): number {
  const application = peek64(info + BigInt(AT.pApplicationInfo));
  return application === 0n ? 0 : peek32(application + VkApplicationInfo.apiVersion);
}

/** Whether a VkInstanceCreateInfo has an apiVersion below 1.0, which is no version of Vulkan. */
export function isBelowVulkan(info: bigint): boolean {
  const version = requestedVersion(info);
  return version !== 0 && version < VK_API_VERSION_1_0;
}

/** Yields the structs of a chain and their addresses. Throws a `RangeError` in a ring, which would have no end. */
export function* chain(first: bigint): Generator<{ sType: number; address: bigint }> {
  let count = 0;
  for (let address = first; address !== 0n; address = nextOf(address)) {
    if (++count > LONGEST) throw ring();
    yield { sType: peek32(address), address };
  }
}

/** Returns the struct of a type in a chain; 0n if there is none. */
export function findInChain(first: bigint, sType: number): bigint {
  for (const each of chain(first)) if (each.sType === sType) return each.address;
  return 0n;
}

/** Returns the first struct in the chain of the struct at an address; 0n if there is none. */
export function nextOf(info: bigint): bigint {
  return peek64(info + BigInt(AT.pNext));
}

/**
 * Returns the create info at an address, `size` bytes, with only those
 * extensions that `keep` accepts: itself if those are all, otherwise a copy in
 * the arena.
 */
export function withExtensions(info: bigint, size: number, keep: (name: string) => boolean): bigint {
  const pointers = pointersIn(info, EXTENSIONS) ?? [], kept = pointers.filter((pointer) => keep(readCString(pointer)));
  if (kept.length === pointers.length) return info;
  const memory = arena(), copy = memory.copyIn(info, size);
  setPointers(copy, EXTENSIONS, kept);
  return memory.address(copy);
}

/**
 * Copies a create info into the arena for a driver: without layers, which only
 * concern the loader, and with only those extensions that `keep` accepts.
 * Returns the copy's offset.
 */
export function infoForDriver(info: bigint, size: number, keep: (name: string) => boolean = () => true): number {
  const copy = arena().copyIn(withExtensions(info, size, keep), size);
  dropLayers(copy);
  return copy;
}

const LOADER_STRUCTS: readonly number[] = [
  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
  VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
];

/** Returns the first struct of a create info's chain that is not the loader's own; 0n if there is none. */
export function firstOfChain(info: bigint): bigint {
  let next = nextOf(info);
  while (next !== 0n && LOADER_STRUCTS.includes(peek32(next))) next = nextOf(next);
  return next;
}

/**
 * Copies a create info of so many bytes into the arena for the driver: with
 * these extensions, no layers, and none of the loader's structs at the start of
 * the chain. Returns the copy's offset.
 */
export function infoWithExtensions(info: bigint, size: number, extensions: readonly string[]): number {
  const copy = arena().copyIn(info, size);
  setNext(copy, firstOfChain(info));
  dropLayers(copy);
  setExtensions(copy, extensions);
  return copy;
}

/** Removes the layers from a create info in the arena, by its offset. */
export function dropLayers(copy: number): void {
  arena().view.setUint32(copy + LAYERS.count, 0, true);
}

/** Sets the layers of a create info in the arena, by its offset. */
export function setLayers(copy: number, names: readonly string[]): void {
  setPointers(copy, LAYERS, placed(names));
}

/** Sets the extensions of a create info in the arena, by its offset. */
export function setExtensions(copy: number, names: readonly string[]): void {
  setPointers(copy, EXTENSIONS, placed(names));
}

/** Sets the chain of a create info in the arena, by its offset. */
export function setNext(copy: number, next: bigint): void {
  arena().view.setBigUint64(copy + AT.pNext, next, true);
}

/** Sets the apiVersion of a VkInstanceCreateInfo in the arena, by its offset, in a copy of its application info. */
export function setVersion(copy: number, version: number): void {
  const memory = arena(), application = memory.view.getBigUint64(copy + AT.pApplicationInfo, true);
  if (application === 0n) return;
  const changed = memory.copyIn(application, sizeOfVkApplicationInfo);
  memory.view.setUint32(changed + Number(VkApplicationInfo.apiVersion), version, true);
  memory.view.setBigUint64(copy + AT.pApplicationInfo, memory.address(changed), true);
}

/** Returns the addresses of the names in a list; `undefined` if it has a count and no array. */
function pointersIn(info: bigint, { count, array }: NameList): bigint[] | undefined {
  const length = peek32(info + BigInt(count)), names = peek64(info + BigInt(array));
  if (length === 0) return [];
  if (names === 0n) return undefined;
  return Array.from({ length }, (_, index) => peek64(names + BigInt(8 * index)));
}

function setPointers(copy: number, { count, array }: NameList, pointers: readonly bigint[]): void {
  const memory = arena(), { view } = memory, names = memory.alloc(8 * pointers.length + 8);
  pointers.forEach((pointer, index) => view.setBigUint64(names + 8 * index, pointer, true));
  view.setUint32(copy + count, pointers.length, true);
  view.setBigUint64(copy + array, memory.address(names), true);
}

function placed(names: readonly string[]): bigint[] {
  return names.map((name) => arena().place(cstring(name)));
}

/** The struct with the devices of a group. */
const GROUP_INFO = VkDeviceGroupDeviceCreateInfo;

/**
 * Calls `create` with replaced handles in the VkDeviceGroupDeviceCreateInfo of
 * a VkDeviceCreateInfo, if there is one.
 */
export function withGroup<T>(info: bigint, exchange: (gpu: bigint) => bigint, create: () => T): T {
  const group = findInChain(nextOf(info), VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
  const list = group === 0n ? 0n : peek64(group + GROUP_INFO.pPhysicalDevices);
  if (list === 0n) return create();
  return inFrame((memory) => {
    const count = peek32(group + GROUP_INFO.physicalDeviceCount), exchanged = memory.alloc(8 * count + 8);
    for (let index = 0; index < count; index++) {
      memory.view.setBigUint64(exchanged + 8 * index, exchange(peek64(list + BigInt(8 * index))), true);
    }
    poke64(group + GROUP_INFO.pPhysicalDevices, memory.address(exchanged));
    try {
      return create();
    } finally {
      poke64(group + GROUP_INFO.pPhysicalDevices, list);
    }
  });
}
