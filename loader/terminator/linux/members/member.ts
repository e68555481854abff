import { fillTable } from "../../../../ffi/machine.ts";
import { prepareDeviceTrampolines } from "../../../chain/table/device_trampolines.ts";
import { namesOf } from "../../../chain/table/table_layout.ts";
import type { DriverSource, FoundDrivers } from "../../../driver/found_driver.ts";
import type { Driver } from "../../../driver/interface/driver.ts";
import { InstanceExtensions } from "../../../driver/interface/extension_list.ts";
import { saidVersion } from "../../../driver/interface/probe.ts";
import { MEMBER } from "../../../emit/layout.ts";
import { INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import { VK_API_VERSION_1_1 } from "../../../gen/native_gen.ts";
import type { LayerExtension } from "../../../layer.ts";

/** One of the drivers behind one loader. */
export interface Member {
  /** The driver. */
  readonly driver: Driver;
  /** Whether only applications that ask for portability drivers see the driver. */
  readonly isPortability: boolean;
  /** Whether the driver is for Vulkan 1.0 and may refuse an application of a later version. */
  readonly isOld: boolean;
  /** The words of the Khronos loader if the driver is for Vulkan 1.0, although its manifest is not. */
  readonly wasNewer?: readonly [level: "warning" | "debug", text: string];
  /** The instance extensions that the driver listed last. */
  readonly extensions: readonly LayerExtension[];
  /** Asks the driver for its instance extensions again: a driver may bring some later. */
  askAgain(): void;
}

/** Facts about a driver from other sources than the driver. */
export interface MemberHints {
  /** See {@linkcode Member.isPortability}. */
  readonly isPortability?: boolean;
  /** Whether the manifest claims no more than Vulkan 1.0. The driver is then not asked. */
  readonly claimsOld?: boolean;
}

/** Asks a driver for the facts that its loader needs. */
export function memberOf(driver: Driver, { isPortability = false, claimsOld = false }: MemberHints = {}): Member {
  const wasNewer = claimsOld ? undefined : olderThanManifest(driver), isOld = claimsOld || wasNewer !== undefined;
  const list = new InstanceExtensions(driver);
  return {
    driver,
    isPortability,
    isOld,
    wasNewer,
    get extensions() {
      return list.known;
    },
    askAgain: () => list.askAgain(),
  };
}

function olderThanManifest(driver: Driver): Member["wasNewer"] {
  const version = saidVersion(driver),
    claim = `Manifest ICD for "${driver.path}" contained a 1.1 or greater API version`;
  const say = (text: string) => `terminator_CreateInstance: ${text}`;
  if (version === "failed") {
    const what = `ICD "${driver.path}" vkEnumerateInstanceVersion returned error. The ICD will be treated as a 1.0 ICD`;
    return ["debug", say(what)];
  }
  if (version === "missing") {
    return ["warning", say(`${claim}, but does not support vkEnumerateInstanceVersion, treating as a 1.0 ICD`)];
  }
  if (version >= VK_API_VERSION_1_1) return undefined;
  return ["warning", say(`${claim}, but vkEnumerateInstanceVersion returned 1.0, treating as a 1.0 ICD`)];
}

/** Whether a member lists an instance extension. */
export function offers({ extensions }: Member, name: string): boolean {
  return extensions.some(({ extensionName }) => extensionName === name);
}

/** A member that has created its instance. */
export interface LiveMember {
  /** The driver. */
  readonly member: Member;
  /** Index of the member among those of the instance, from 0. */
  readonly index: number;
  /** The member's instance-level functions. */
  readonly table: MemberTable;
  /** Address of the member's vkGetDeviceProcAddr. */
  readonly getDeviceProcAddr: bigint;
}

/** The current drivers behind one loader. A driver that has gone stays open while an instance uses it. */
export class Members {
  readonly #source: DriverSource;
  readonly #used: () => readonly Member[];
  readonly #known = new Map<Driver, Member>();
  #found: FoundDrivers | undefined;
  #now: readonly Member[] = [];

  /** Takes ownership of a source. `used` returns the members in use. */
  constructor(source: DriverSource, used: () => readonly Member[]) {
    this.#source = source;
    this.#used = used;
    source.isUsed = (driver) => used().some((member) => member.driver === driver);
  }

  /** Returns the current members in order; the same array while nothing has changed. */
  now(): readonly Member[] {
    const found = this.#source.look();
    if (found === this.#found) return this.#now;
    this.#found = found;
    this.#now = found.drivers.map(({ driver, ...hints }) => {
      const known = this.#known.get(driver) ?? memberOf(driver, hints);
      this.#known.set(driver, known);
      return known;
    });
    if (this.#now.length > 1) prepareDeviceTrampolines();
    this.sweep();
    return this.#now;
  }

  /** Closes members that are gone and no longer in use. */
  sweep(): void {
    if (this.#known.size === this.#now.length) return;
    const kept = new Set([...this.#now, ...this.#used()]);
    for (const [driver, member] of this.#known) {
      if (kept.has(member)) continue;
      this.#known.delete(driver);
      this.#source.release(driver);
    }
  }

  /** Closes all members. */
  close(): void {
    this.#source.close();
  }
}

/** The most physical-device commands outside the registry in a table, as in the Khronos loader. */
export const MOST_UNKNOWN = 250;

/** Device-level commands that may have a handle of ours in their arguments. */
export const EXCHANGING = [
  "vkCreateSwapchainKHR",
  "vkCreateSharedSwapchainsKHR",
  "vkGetDeviceGroupSurfacePresentModesKHR",
  "vkGetDeviceGroupSurfacePresentModes2EXT",
  "vkSetDebugUtilsObjectNameEXT",
  "vkSetDebugUtilsObjectTagEXT",
  "vkDebugMarkerSetObjectNameEXT",
  "vkDebugMarkerSetObjectTagEXT",
] as const;

let indices: ReadonlyMap<string, number> | undefined;

/**
 * The index of each command in a member's table: the instance level, then
 * unknown commands, then {@linkcode EXCHANGING}.
 */
export function memberIndices(): ReadonlyMap<string, number> {
  if (indices) return indices;
  const names = INSTANCE_NAMES.split(" "), first = names.length + MOST_UNKNOWN;
  return indices = new Map(
    [...names.entries()].map(([index, name]): [string, number] => [name, index])
      .concat(EXCHANGING.map((name, index) => [name, first + index])),
  );
}

/** Returns the index of the nth unknown command. */
export function unknownIndex(nth: number): number {
  return memberIndices().size - EXCHANGING.length + nth;
}

/** Bytes of a member's table. */
export function memberTableSize(): number {
  return MEMBER.functions + 8 * (memberIndices().size + MOST_UNKNOWN);
}

/**
 * The data of machine code about one member of one instance: its functions, its
 * instance, the place of its surfaces.
 */
export class MemberTable {
  /** The address. */
  readonly address: bigint;
  readonly #view: DataView;

  /**
   * Makes a table in zeroed memory of {@linkcode memberTableSize} bytes.
   * `surface` is the byte offset of the member's surface in a surface of ours.
   */
  constructor(address: bigint, view: DataView, instance: bigint, surface: number) {
    this.address = address;
    this.#view = view;
    view.setBigUint64(MEMBER.instance, instance, true);
    view.setBigUint64(MEMBER.surface, BigInt(surface), true);
  }

  /** The member's own instance. */
  get instance(): bigint {
    return this.#view.getBigUint64(MEMBER.instance, true);
  }

  /** Queries all instance-level commands in one native loop. */
  fill(getInstanceProcAddr: bigint): void {
    const table = this.address + BigInt(MEMBER.functions);
    fillTable({ getProcAddr: getInstanceProcAddr, handle: this.instance, names: namesOf("instance"), table });
  }

  /** Returns the function at an index or of a name; 0n if there is none. */
  get(which: number | string): bigint {
    return this.#view.getBigUint64(offsetOf(which), true);
  }

  /** Whether there is a function at an index. */
  has(index: number): boolean {
    const at = MEMBER.functions + 8 * index; // as halves: a bigint takes longer than all else
    return this.#view.getUint32(at, true) !== 0 || this.#view.getUint32(at + 4, true) !== 0;
  }

  /**
   * Stores the instance of ours that the member belongs to, whose surfaces it
   * takes, and the member's lookup for unknown commands.
   */
  joinTo(instance: bigint, { getPhysicalDeviceProcAddr }: Driver): void {
    this.#view.setBigUint64(MEMBER.joined, instance, true);
    this.#view.setBigUint64(MEMBER.physicalDeviceProcAddr, getPhysicalDeviceProcAddr, true);
  }

  /** Stores a function. */
  set(which: number | string, address: bigint): void {
    this.#view.setBigUint64(offsetOf(which), address, true);
  }
}

function offsetOf(which: number | string): number {
  const index = typeof which === "number" ? which : memberIndices().get(which)!;
  return MEMBER.functions + 8 * index;
}
