import { peek32, peek64 } from "../../../../ffi/machine.ts";
import { openDirectDriver } from "../../../driver/interface/driver.ts";
import { saidOf } from "../../../driver/report/finding.ts";
import { DriverError } from "../../../error.ts";
import { findInChain, nextOf } from "../../../driver/structs/create_info.ts";
import { type Member, memberOf } from "./member.ts";
import type { Say } from "../../../driver/report/log.ts";
import {
  sizeOfVkDirectDriverLoadingInfoLUNARG,
  VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG,
  VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG,
  VkDirectDriverLoadingInfoLUNARG,
  VkDirectDriverLoadingListLUNARG,
} from "../../../gen/native_gen.ts";

/** The extension by which an application passes drivers of its own. */
export const DIRECT_DRIVER_LOADING = "VK_LUNARG_direct_driver_loading";

const LIST = VkDirectDriverLoadingListLUNARG;

/** The drivers that an application passed, and whether no others may take part. */
export interface DirectDrivers {
  /** The usable drivers. */
  readonly members: readonly Member[];
  /** Whether no other driver may take part. */
  readonly isExclusive: boolean;
}

/** The Khronos loader's messages about the list. Programs search for these words. */
const HEAD = "loader_scan_for_direct_drivers: The", EXTENSION = `${DIRECT_DRIVER_LOADING} extension`;
const NOT_ENABLED =
  `${HEAD} pNext chain of VkInstanceCreateInfo contained the VkDirectDriverLoadingListLUNARG structure, but the ${EXTENSION} was not enabled.`;
const NO_LIST =
  `${HEAD} ${EXTENSION} was enabled but the pNext chain of VkInstanceCreateInfo did not contain the VkDirectDriverLoadingListLUNARG structure.`;
const ALONE =
  `${HEAD} ${EXTENSION} is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and environment variable driver search mechanisms.`;
const STRUCT = `${HEAD} VkDirectDriverLoadingListLUNARG structure in the pNext chain of VkInstanceCreateInfo has a`;
const NO_ARRAY = `${STRUCT} NULL pDrivers member.`;
const EMPTY_ARRAY = `${STRUCT} non-null pDrivers member but a driverCount member with a value of zero.`;

/**
 * Reads VkDirectDriverLoadingListLUNARG from the chain of a
 * VkInstanceCreateInfo. The list counts only if its extension is enabled.
 */
export function directDrivers(info: bigint, extensions: ReadonlySet<string>, say: Say): DirectDrivers | undefined {
  const list = findInChain(nextOf(info), VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG);
  const isThere = list !== 0n, isEnabled = extensions.has(DIRECT_DRIVER_LOADING);
  if (isThere !== isEnabled) say("warning", isThere ? NOT_ENABLED : NO_LIST);
  if (!isThere || !isEnabled) return undefined;
  const isExclusive = peek32(list + LIST.mode) === VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG;
  if (isExclusive) say("info", ALONE);
  return { members: membersIn(list, say), isExclusive };
}

function membersIn(list: bigint, say: Say): Member[] {
  const count = peek32(list + LIST.driverCount), drivers = peek64(list + LIST.pDrivers);
  if (drivers === 0n) say("warning", NO_ARRAY);
  else if (count === 0) say("warning", EMPTY_ARRAY);
  return Array.from({ length: drivers === 0n ? 0 : count }, (_, index) => {
    const at = drivers + BigInt(sizeOfVkDirectDriverLoadingInfoLUNARG * index);
    return openOne(peek64(at + VkDirectDriverLoadingInfoLUNARG.pfnGetInstanceProcAddr), index, say);
  }).filter((member) => member !== undefined);
}

function added(index: number, address: bigint): string {
  return `loader_add_direct_driver: Adding driver found in index ${index} of VkDirectDriverLoadingListLUNARG::pDrivers ` +
    `structure. pfnGetInstanceProcAddr was set to 0x${address.toString(16)}`;
}

function openOne(getInstanceProcAddr: bigint, index: number, say: Say): Member | undefined {
  const place = `VkDirectDriverLoadingInfoLUNARG structure at index ${index}`;
  if (getInstanceProcAddr === 0n) {
    say(
      "error",
      `loader_add_direct_driver: ${place} contains a NULL pointer for the pfnGetInstanceProcAddr member, skipping.`,
    );
    return undefined;
  }
  try {
    const member = memberOf(openDirectDriver({ name: `direct driver ${index}`, getInstanceProcAddr, place }));
    say("info", added(index, getInstanceProcAddr));
    return member;
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    say("error", saidOf(error)?.message ?? error.message);
  }
}
