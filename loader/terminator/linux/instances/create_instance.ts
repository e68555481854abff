import { arena, inFrame } from "../../../../ffi/arena.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { invokeAddress, peek32, peek64, poke64 } from "../../../../ffi/machine.ts";
import { driverProc } from "../../../driver/interface/probe.ts";
import { asksForPortability, missesPortability } from "../../../driver/linux/portability.ts";
import type { Say } from "../../../driver/report/log.ts";
import { allocateThrough, copyCallbacks, hasCallbacks } from "../../../driver/structs/allocator.ts";
import { infoForDriver, INSTANCE_CREATE_INFO, requestedVersion } from "../../../driver/structs/create_info.ts";
import { INSTANCE } from "../../../emit/layout.ts";
import {
  offsetsOfVkInstanceCreateInfo,
  sizeOfVkApplicationInfo,
  VK_API_VERSION_1_0,
  VK_API_VERSION_1_1,
  VK_ERROR_INCOMPATIBLE_DRIVER,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR,
  VkApplicationInfo,
} from "../../../gen/native_gen.ts";
import { type Member, offers } from "../members/member.ts";

/** A member's new instance. */
export interface MadeInstance {
  /** The member. */
  readonly member: Member;
  /** The member's own instance. */
  readonly instance: bigint;
}

const INFO = offsetsOfVkInstanceCreateInfo;
const PORTABILITY = "VK_KHR_portability_enumeration";

/**
 * Calls vkCreateInstance of all members that may take part. A failing member is
 * left out. Out of memory is an error for all, and so is having no member left.
 */
export function createInstances(
  members: readonly Member[],
  info: bigint,
  allocator: bigint,
  { say, raisesVersion = false }: { readonly say: Say; readonly raisesVersion?: boolean },
): MadeInstance[] | number {
  const made: MadeInstance[] = [], taking = members.filter((each) => takesPart(each, info, say));
  for (const member of taking) {
    if (member.wasNewer) say(...member.wasNewer);
    if (raisesVersion && !member.isOld && requestedVersion(info) < VK_API_VERSION_1_1) say("info", raised(member));
    const instance = createInstance(member, info, allocator, raisesVersion);
    if (typeof instance === "bigint") made.push({ member, instance });
    else if (instance !== VK_ERROR_OUT_OF_HOST_MEMORY) say("warning", failure(member, instance));
    else {
      destroyInstances(made, allocator);
      return instance;
    }
  }
  if (made.length > 0) return made;
  if (taking.length === 0 && members.length > 0) say("error", missesPortability(info));
  say("error", "vkCreateInstance: Found no drivers!");
  return VK_ERROR_INCOMPATIBLE_DRIVER;
}

/** Calls vkDestroyInstance of each member. */
export function destroyInstances(made: readonly MadeInstance[], allocator: bigint): void {
  for (const { member, instance } of made) {
    const destroy = driverProc(member.driver, instance, "vkDestroyInstance");
    if (destroy !== 0n) invokeAddress(destroy, "v:qq", [instance, allocator]);
  }
}

function takesPart({ isPortability, driver }: Member, info: bigint, say: Say): boolean {
  if (!isPortability || asksForPortability(info)) return true;
  say("info", `${driver.path}: left out, because the application does not ask for portability drivers`);
  return false;
}

function raised({ driver }: Member): string {
  return `terminator_CreateInstance: Raising the VkApplicationInfo::apiVersion from 1.0 to 1.1 on driver "${driver.path}" ` +
    "so that the loader settings file is able to use this driver in the device_configuration selection logic.";
}

function failure({ driver }: Member, result: number): string {
  return `terminator_CreateInstance: Received return code ${result} from call to vkCreateInstance in ICD ${driver.path}. Skipping this driver.`;
}

/**
 * Calls vkCreateInstance of a member with its part of the create info. Returns
 * its instance, or the VkResult of the failure.
 */
export function createInstance(member: Member, info: bigint, allocator: bigint, raises = false): bigint | number {
  return inFrame((memory) => {
    const { view } = memory;
    const copy = infoForDriver(info, INSTANCE_CREATE_INFO, (name) => offers(member, name)), out = memory.alloc(8);
    if (!offers(member, PORTABILITY)) {
      const flags = view.getUint32(copy + INFO.flags, true);
      view.setUint32(copy + INFO.flags, flags & ~VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR, true);
    }
    if (member.isOld) changeVersion(copy, (version) => Math.min(version, VK_API_VERSION_1_0));
    else if (raises) changeVersion(copy, (version) => Math.max(version, VK_API_VERSION_1_1));
    const create = driverProc(member.driver, 0n, "vkCreateInstance");
    const result = invokeAddress(create, "s:qqq", [memory.address(copy), allocator, memory.address(out)]) as number;
    return result < 0 ? result : view.getBigUint64(out, true);
  });
}

/** Changes the version that an application requests. A 1.0 driver may refuse a version later than its own. */
function changeVersion(copy: number, change: (version: number) => number): void {
  const memory = arena(), { view } = memory, application = view.getBigUint64(copy + INFO.pApplicationInfo, true);
  const found = application === 0n ? 0 : peek32(application + VkApplicationInfo.apiVersion),
    version = found || VK_API_VERSION_1_0;
  if (change(version) === version) return;
  const changed = application === 0n ? emptyApplication() : memory.copyIn(application, sizeOfVkApplicationInfo);
  view.setUint32(changed + Number(VkApplicationInfo.apiVersion), change(version), true);
  view.setBigUint64(copy + INFO.pApplicationInfo, memory.address(changed), true);
}

function emptyApplication(): number {
  const memory = arena(), at = memory.alloc(sizeOfVkApplicationInfo);
  memory.bytes.fill(0, at, at + sizeOfVkApplicationInfo); // VK_STRUCTURE_TYPE_APPLICATION_INFO is 0
  return at;
}

/** Bytes before each allocation, for the address of the earlier allocation, aligned. */
const HEAD = 16;
/** The alignment of each piece of memory, as with malloc. */
export const ALIGNMENT = 16;
/**
 * Bytes to allocate at once if the application gave no allocator: enough for
 * the lists of a few devices. The first piece lies behind the instance itself.
 */
export const PIECE = 4096;

/** An application's allocator, or a driver, is out of memory. */
export class OutOfHostMemory extends Error {}

/** Returns the result of `run`, or VK_ERROR_OUT_OF_HOST_MEMORY if `run` throws {@linkcode OutOfHostMemory}. */
export function unlessOutOfMemory<T>(run: () => T): T | number {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutOfHostMemory) return VK_ERROR_OUT_OF_HOST_MEMORY;
    throw error;
  }
}

/**
 * Memory that an instance of ours uses during its life, from the application's
 * allocator if there is one. Machine code frees the memory when the instance is
 * destroyed, on any thread.
 */
export class InstanceMemory {
  readonly #instance: bigint;
  /**
   * A copy of the application's VkAllocationCallbacks, because the original may
   * be gone after the command; 0n for none.
   */
  readonly #callbacks: bigint;
  readonly #blocks: NativeBlock[] = [];
  /** The free bytes behind the instance or in the last block: their address, and how many they are. */
  #free: bigint;
  #left = PIECE;

  /** Starts with the zeroed {@linkcode PIECE} bytes at `first`, which belong to the caller. */
  constructor(instance: bigint, allocator: bigint, first: bigint) {
    this.#instance = instance;
    this.#free = first;
    this.#callbacks = hasCallbacks(allocator) ? instance + BigInt(INSTANCE.allocator) : 0n;
    if (this.#callbacks !== 0n) copyCallbacks(allocator, this.#callbacks);
  }

  /** Allocates zeroed memory, a multiple of 8 bytes. The caller must be inside {@linkcode unlessOutOfMemory}. */
  take(size: number): bigint {
    if (this.#callbacks !== 0n) return this.#takeGiven(size);
    if (size > this.#left) this.#begin(size);
    const address = this.#free, taken = ALIGNMENT * Math.ceil(size / ALIGNMENT);
    this.#free += BigInt(taken);
    this.#left -= taken;
    return address;
  }

  /** Frees the memory that does not belong to the application. */
  close(): void {
    for (const block of this.#blocks) block.close();
  }

  #begin(size: number): void {
    const block = new NativeBlock(Math.max(PIECE, size));
    this.#blocks.push(block);
    this.#free = block.address;
    this.#left = block.size;
  }

  #takeGiven(size: number): bigint {
    const head = this.#instance + BigInt(INSTANCE.memory);
    const taken = allocateThrough(this.#callbacks, "VkInstance", HEAD + size);
    if (taken === 0n) throw new OutOfHostMemory();
    poke64(taken, peek64(head));
    poke64(head, taken);
    for (let at = 8; at < HEAD + size; at += 8) poke64(taken + BigInt(at), 0n);
    return taken + BigInt(HEAD);
  }
}
