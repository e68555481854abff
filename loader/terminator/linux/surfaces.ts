import { inFrame } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { copyMemory, invokeAddress, peek64, poke32, poke64, publish64 } from "../../../ffi/machine.ts";
import { isEnabled } from "../../command/registry/extension.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import { allocateThrough, copyCallbacks, hasCallbacks } from "../../driver/structs/allocator.ts";
import { INSTANCE, SURFACE, SURFACE_RECORD } from "../../emit/layout.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_ERROR_OUT_OF_HOST_MEMORY } from "../../gen/native_gen.ts";
import { joinedCode } from "./code.ts";
import { OutOfHostMemory, unlessOutOfMemory } from "./instances/create_instance.ts";
import type { LiveMember, Member } from "./members/member.ts";
import type { PhysicalDevice, PhysicalDevices } from "./physical_devices/physical_devices.ts";

/** From this interface version on, a driver creates its own surfaces. */
const OWN_SURFACES = 3;

/** The contents of a VkIcdSurface, by command: VkIcdWsiPlatform, then a range of bytes of the create info. */
const ICD_SURFACES: Readonly<Record<string, { platform: number; from: number; size: number }>> = {
  vkCreateWaylandSurfaceKHR: { platform: 1, from: 24, size: 16 },
  vkCreateXcbSurfaceKHR: { platform: 3, from: 24, size: 16 },
  vkCreateXlibSurfaceKHR: { platform: 4, from: 24, size: 16 },
  vkCreateDisplayPlaneSurfaceKHR: { platform: 8, from: 24, size: 40 },
  vkCreateHeadlessSurfaceEXT: { platform: 9, from: 24, size: 0 },
};

/** Offset, in a surface of ours, of the surface that a member created for it. */
export function surfaceOffset(member: number): number {
  return SURFACE.own + 8 * member;
}

/** The surfaces of one instance. All members that can create each surface, and it has one handle for everyone else. */
export class Surfaces {
  readonly #instance: bigint;
  /** Bytes of one surface. */
  readonly #size: number;
  readonly #members: readonly LiveMember[];
  readonly #devices: PhysicalDevices;
  readonly #open = new Map<bigint, SurfaceMemory>();

  /** Starts without surfaces, for an instance of ours with room for so many members. */
  constructor(
    { handle, places }: { readonly handle: bigint; readonly places: number },
    members: readonly LiveMember[],
    devices: PhysicalDevices,
  ) {
    this.#instance = handle;
    this.#size = surfaceOffset(places);
    this.#members = members;
    this.#devices = devices;
  }

  /**
   * Implements a command such as vkCreateXcbSurfaceKHR. If no member succeeds,
   * the error is that of a member that has the command and failed. If no member
   * has the command, there is a surface that no physical device supports.
   */
  create(command: string, info: bigint, allocator: bigint, out: bigint): number {
    const made = unlessOutOfMemory(() => new SurfaceMemory(this.#size, allocator));
    if (typeof made === "number") return made;
    this.#sweep();
    poke64(made.address + BigInt(SURFACE.instance), this.#instance);
    const failure = this.#fill(made.address, command, info, allocator);
    if (failure < 0) {
      this.#destroy(made.address, allocator);
      made.close();
      return failure;
    }
    this.#open.set(made.address, made);
    this.#link();
    poke64(out, made.address);
    return 0;
  }

  /** Implements vkDestroySurfaceKHR. NULL and foreign handles are ignored. */
  destroy(surface: bigint, allocator: bigint): void {
    if (!this.#open.has(surface)) return;
    this.#destroy(surface, allocator);
    this.#sweep();
  }

  /** Frees the memory of all surfaces. */
  close(): void {
    for (const memory of this.#open.values()) memory.close();
    this.#open.clear();
  }

  /** Lets the members create their surfaces. */
  #fill(surface: bigint, command: string, info: bigint, allocator: bigint): number {
    writeIcdSurface(command, info, surface);
    const results = this.#makers(command, info).map((member) => createOwn(member, command, info, allocator, surface));
    if (results.includes(VK_ERROR_OUT_OF_HOST_MEMORY)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const isNobodys = results.length === 0; // no member lists the display mode
    const failure = isNobodys ? VK_ERROR_EXTENSION_NOT_PRESENT : results.find(isOther);
    return failure !== undefined && results.every((result) => result < 0) ? failure : 0;
  }

  #destroy(surface: bigint, allocator: bigint): void {
    invokeAddress(joinedCode()!.destroySurface, "v:qqq", [this.#instance, surface, allocator]);
  }

  /** Frees the memory of surfaces that were destroyed, by this thread or another. */
  #sweep(): void {
    const gone = [...this.#open].filter(([, { isGone }]) => isGone);
    if (gone.length === 0) return;
    for (const [surface] of gone) this.#open.delete(surface);
    this.#link(); // nothing leads to one of them any more
    for (const [, memory] of gone) memory.close();
  }

  /** Links all surfaces for machine code. */
  #link(): void {
    let next = 0n;
    for (const memory of this.#open.values()) {
      memory.linkTo(next);
      next = memory.record;
    }
    publish64(this.#instance + BigInt(INSTANCE.surfaces), next);
  }

  /** The members that create a surface: all, except that a display's surface belongs to one member. */
  #makers(command: string, info: bigint): readonly LiveMember[] {
    if (command !== "vkCreateDisplayPlaneSurfaceKHR" || this.#members.length === 1) return this.#members;
    const owner = displayOwner(info, this.#devices.known());
    return owner ? [owner] : [];
  }
}

/** Whether a member failed for another reason than that it cannot create such surfaces. */
function isOther(result: number): boolean {
  return result < 0 && result !== VK_ERROR_EXTENSION_NOT_PRESENT;
}

/** Whether a member lists an extension of the window system. Others may have the command, too, for other windows. */
function hasWindows({ extensions }: Member, command: string): boolean {
  return isEnabled(command, new Set(extensions.map(({ extensionName }) => extensionName)));
}

function createOwn(
  { member, table, index }: LiveMember,
  command: string,
  info: bigint,
  allocator: bigint,
  surface: bigint,
): number {
  const at = surface + BigInt(surfaceOffset(index));
  if (!hasWindows(member, command)) return VK_ERROR_EXTENSION_NOT_PRESENT;
  if (member.driver.interfaceVersion < OWN_SURFACES && command in ICD_SURFACES) {
    poke64(at, surface);
    return 0;
  }
  const create = driverProc(member.driver, table.instance, command);
  if (create === 0n) return VK_ERROR_EXTENSION_NOT_PRESENT;
  const result = invokeAddress(create, "s:qqqq", [table.instance, info, allocator, at]) as number;
  if (result < 0) poke64(at, 0n);
  return result;
}

function writeIcdSurface(command: string, info: bigint, surface: bigint): void {
  const form = ICD_SURFACES[command];
  if (!form) return;
  poke32(surface, form.platform);
  if (form.size > 0) copyMemory(surface + 8n, info + BigInt(form.from), form.size);
}

/** VkDisplayPropertiesKHR and VkDisplayModePropertiesKHR: their sizes. Both begin with the handle. */
const DISPLAY = 48, MODE = 24;
/** Offset of the mode in VkDisplaySurfaceCreateInfoKHR. */
const DISPLAY_MODE = 24n;

/**
 * Returns the member for a VkDisplaySurfaceCreateInfoKHR: the member that lists
 * its display mode. No other member may see the struct, because modes are
 * handles of one driver.
 */
function displayOwner(info: bigint, devices: readonly PhysicalDevice[]): LiveMember | undefined {
  const mode = peek64(info + DISPLAY_MODE);
  return devices.find((device) => displaysOf(device).some((display) => modesOf(device, display).includes(mode)))?.owner;
}

function displaysOf({ owner: { table }, own }: PhysicalDevice): bigint[] {
  const list = table.get("vkGetPhysicalDeviceDisplayPropertiesKHR");
  return list === 0n ? [] : handles(DISPLAY, (count, out) => invokeAddress(list, "s:qoo", [own, count, out]) as number);
}

function modesOf({ owner: { table }, own }: PhysicalDevice, display: bigint): bigint[] {
  const list = table.get("vkGetDisplayModePropertiesKHR");
  return list === 0n
    ? []
    : handles(MODE, (count, out) => invokeAddress(list, "s:qqoo", [own, display, count, out]) as number);
}

/** Returns the first 64 bits of each struct that a command lists. */
function handles(size: number, call: (count: number, out: number) => number): bigint[] {
  return inFrame((memory) => {
    const { view } = memory, count = memory.alloc(4);
    view.setUint32(count, 0, true);
    const room = call(count, 0) < 0 ? 0 : view.getUint32(count, true), out = memory.alloc(size * room + 8);
    const found = room === 0 || call(count, out) < 0 ? 0 : Math.min(room, view.getUint32(count, true));
    return Array.from({ length: found }, (_, index) => view.getBigUint64(out + size * index, true));
  });
}

/** Offset of a surface behind its record; a multiple of 16. */
const BEHIND = 64;

/**
 * One surface of ours and its record. With an allocator, the surface is the
 * application's memory, which machine code frees when it destroys the surface.
 * The record stays, so that TypeScript can learn later what happened to the
 * surface.
 */
export class SurfaceMemory {
  /** The surface. */
  readonly address: bigint;
  readonly #record: NativeBlock;

  /** Allocates so many zeroed bytes, a multiple of 8. Throws {@linkcode OutOfHostMemory} if the allocator has none. */
  constructor(size: number, allocator: bigint) {
    const has = hasCallbacks(allocator), given = has ? allocateThrough(allocator, "VkSurfaceKHR", size) : 0n;
    if (has && given === 0n) throw new OutOfHostMemory();
    this.#record = new NativeBlock(given === 0n ? BEHIND + size : SURFACE_RECORD.size);
    this.address = given || this.record + BigInt(BEHIND);
    for (let at = 0; given !== 0n && at < size; at += 8) poke64(this.address + BigInt(at), 0n);
    if (given !== 0n) copyCallbacks(allocator, this.address + BigInt(SURFACE.allocator));
    poke64(this.address + BigInt(SURFACE.record), this.record);
    this.#record.view.setBigUint64(SURFACE_RECORD.surface, this.address, true);
  }

  /** Address of the record. */
  get record(): bigint {
    return this.#record.address;
  }

  /** Whether the surface is destroyed, by this thread or another. */
  get isGone(): boolean {
    return this.#record.view.getBigUint64(SURFACE_RECORD.surface, true) === 0n;
  }

  /** Links the record of another surface behind this one; 0n for none. */
  linkTo(next: bigint): void {
    this.#record.view.setBigUint64(SURFACE_RECORD.next, next, true);
  }

  /** Frees the loader's part. */
  close(): void {
    this.#record.close();
  }
}
