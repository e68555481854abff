import { peek32, peek64 } from "../../../ffi/machine.ts";
import { openDirectDriver } from "../../driver/driver.ts";
import { DriverError } from "../../error.ts";
import { findInChain, nextOf } from "../../chain/create_info.ts";
import { type Member, memberOf } from "./member.ts";
import type { Say } from "./say.ts";

/** The extension by which an application hands over drivers of its own. */
export const DIRECT_DRIVER_LOADING = "VK_LUNARG_direct_driver_loading";

/** VkDirectDriverLoadingListLUNARG: structure type, mode, count, drivers; VkDirectDriverLoadingInfoLUNARG: size, function. */
const LIST = { sType: 1_000_459_001, mode: 16n, count: 20n, drivers: 24n };
const INFO = { size: 32, getInstanceProcAddr: 24n };
const EXCLUSIVE = 0;

/** The drivers an application handed over, and whether they are to be the only ones. */
export interface DirectDrivers {
  /** They, as far as they can be used. */
  readonly members: readonly Member[];
  /** Whether no other driver may take part. */
  readonly isExclusive: boolean;
}

/** Reads VkDirectDriverLoadingListLUNARG out of the chain of a VkInstanceCreateInfo; it counts only with its extension. */
export function directDrivers(info: bigint, extensions: ReadonlySet<string>, say: Say): DirectDrivers | undefined {
  const list = findInChain(nextOf(info), LIST.sType);
  if (list === 0n) return undefined;
  if (!extensions.has(DIRECT_DRIVER_LOADING)) {
    say("warning", `VkDirectDriverLoadingListLUNARG is ignored, because ${DIRECT_DRIVER_LOADING} is not enabled`);
    return undefined;
  }
  const count = peek32(list + LIST.count), drivers = peek64(list + LIST.drivers);
  if (count === 0 || drivers === 0n) say("warning", "VkDirectDriverLoadingListLUNARG lists no driver");
  const addresses = drivers === 0n
    ? []
    : Array.from({ length: count }, (_, index) => drivers + BigInt(INFO.size * index));
  return {
    members: addresses.flatMap((at, index) => openOne(peek64(at + INFO.getInstanceProcAddr), index, say) ?? []),
    isExclusive: peek32(list + LIST.mode) === EXCLUSIVE,
  };
}

function openOne(getInstanceProcAddr: bigint, index: number, say: Say): Member | undefined {
  try {
    return memberOf(openDirectDriver({ name: `direct driver ${index}`, getInstanceProcAddr }));
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    say("error", error.message);
  }
}
