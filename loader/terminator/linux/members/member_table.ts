import { fillTable } from "../../../../ffi/machine.ts";
import { MEMBER } from "../../../emit/layout.ts";
import { namesOf } from "../../../chain/table/table_layout.ts";
import type { Driver } from "../../../driver/interface/driver.ts";
import { INSTANCE_NAMES } from "../../../gen/command_table_gen.js";

/** How many physical-device commands outside the registry a table has room for, as in the Khronos loader. */
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
