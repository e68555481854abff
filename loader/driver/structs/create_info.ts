/**
 * VkInstanceCreateInfo and VkDeviceCreateInfo where they lie in memory: what an
 * application asks for, and copies in the arena that ask for something else.
 *
 * @module
 */
import { arena } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";

/** Bytes of VkInstanceCreateInfo and of VkDeviceCreateInfo. */
export const INSTANCE_CREATE_INFO = 64, DEVICE_CREATE_INFO = 72;

/** Where both have the same, as every struct has its chain; and where an instance's has its VkApplicationInfo. */
const AT = { next: 8, application: 24 } as const;
/** Two lists of names, each a count and an array. */
const LAYERS = { count: 32, array: 40 } as const, EXTENSIONS = { count: 48, array: 56 } as const;
/** VkApplicationInfo. */
const APPLICATION = { size: 48, apiVersion: 44 } as const;
/** VK_MAX_EXTENSION_NAME_SIZE, the NUL included. */
const MOST_BYTES = 256;

/** Where a list of names is. */
type NameList = typeof LAYERS | typeof EXTENSIONS;

/**
 * The names of the extensions that a create info at an address enables;
 * `undefined` when it has a count and no array. A NULL among them reads as `""`.
 */
export function enabledExtensions(info: bigint): string[] | undefined {
  return pointersIn(info, EXTENSIONS)?.map((pointer) => readCString(pointer));
}

/** The same; none when there is a count and no array. */
export function requestedExtensions(info: bigint): string[] {
  return enabledExtensions(info) ?? [];
}

/**
 * The layers a create info names; `undefined` when it has a count and no array,
 * or a name that no layer can have: NULL, too long, or no UTF-8.
 */
export function requestedLayers(info: bigint): string[] | undefined {
  const names = pointersIn(info, LAYERS)?.map((name) => readCString(name, MOST_BYTES));
  return names?.every(isPossible) ? names : undefined;
}

/** What is no UTF-8 reads with replacement characters. */
function isPossible(name: string): boolean {
  return name !== "" && !name.includes("\ufffd") && new TextEncoder().encode(name).length < MOST_BYTES;
}

/** The apiVersion in a VkInstanceCreateInfo; 0 without an application info. */
export function requestedVersion(info: bigint): number {
  const application = peek64(info + BigInt(AT.application));
  return application === 0n ? 0 : peek32(application + BigInt(APPLICATION.apiVersion));
}

/** The structs of a chain, by address. */
export function* chain(first: bigint): Generator<{ sType: number; address: bigint }> {
  for (let address = first; address !== 0n; address = nextOf(address)) yield { sType: peek32(address), address };
}

/** The struct of a type in a chain; 0n when there is none. */
export function findInChain(first: bigint, sType: number): bigint {
  for (const each of chain(first)) if (each.sType === sType) return each.address;
  return 0n;
}

/** The first struct of the chain of the struct at an address; 0n when it has none. */
export function nextOf(info: bigint): bigint {
  return peek64(info + BigInt(AT.next));
}

/**
 * The create info at an address, `size` bytes, with only those extensions that
 * `keep` wants: itself when that is all of them, else a copy in the arena.
 */
export function withExtensions(info: bigint, size: number, keep: (name: string) => boolean): bigint {
  const pointers = pointersIn(info, EXTENSIONS) ?? [], kept = pointers.filter((pointer) => keep(readCString(pointer)));
  if (kept.length === pointers.length) return info;
  const memory = arena(), copy = memory.copyIn(info, size);
  setPointers(copy, EXTENSIONS, kept);
  return memory.address(copy);
}

/**
 * A copy in the arena of a create info as a driver is to see it: without
 * layers, which are the loader's affair, and with only those extensions that
 * `keep` wants. Returns the copy's offset.
 */
export function infoForDriver(info: bigint, size: number, keep: (name: string) => boolean = () => true): number {
  const copy = arena().copyIn(withExtensions(info, size, keep), size);
  dropLayers(copy);
  return copy;
}

/** Takes the layers out of a create info in the arena, by its offset. */
export function dropLayers(copy: number): void {
  arena().view.setUint32(copy + LAYERS.count, 0, true);
}

/** Gives a create info in the arena, by its offset, these layers. */
export function setLayers(copy: number, names: readonly string[]): void {
  setPointers(copy, LAYERS, placed(names));
}

/** Gives a create info in the arena, by its offset, these extensions. */
export function setExtensions(copy: number, names: readonly string[]): void {
  setPointers(copy, EXTENSIONS, placed(names));
}

/** Gives a create info in the arena, by its offset, another chain. */
export function setNext(copy: number, next: bigint): void {
  arena().view.setBigUint64(copy + AT.next, next, true);
}

/** Gives a VkInstanceCreateInfo in the arena, by its offset, an application info like its own, with another apiVersion. */
export function setVersion(copy: number, version: number): void {
  const memory = arena(), application = memory.view.getBigUint64(copy + AT.application, true);
  if (application === 0n) return;
  const changed = memory.copyIn(application, APPLICATION.size);
  memory.view.setUint32(changed + APPLICATION.apiVersion, version, true);
  memory.view.setBigUint64(copy + AT.application, memory.address(changed), true);
}

/** The addresses of the names in a list; `undefined` when it has a count and no array. */
function pointersIn(info: bigint, { count, array }: NameList): bigint[] | undefined {
  const length = peek32(info + BigInt(count)), names = peek64(info + BigInt(array));
  if (length > 0 && names === 0n) return undefined;
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
