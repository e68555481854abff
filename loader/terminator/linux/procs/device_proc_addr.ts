import { createLookup, type Lookup } from "../../../../ffi/functions/lookup.ts";
import { procOf } from "../../../../ffi/library/library.ts";
import { joinedCode } from "../code.ts";
import type { LiveMember } from "../members/member.ts";
import { EXCHANGING } from "../members/member_table.ts";

/**
 * Commands of VK_EXT_debug_utils on devices, queues and command buffers, which
 * do nothing for a driver without the extension.
 */
export const DEBUG_UTILS: readonly string[] = [
  "vkSetDebugUtilsObjectNameEXT",
  "vkSetDebugUtilsObjectTagEXT",
  "vkQueueBeginDebugUtilsLabelEXT",
  "vkQueueEndDebugUtilsLabelEXT",
  "vkQueueInsertDebugUtilsLabelEXT",
  "vkCmdBeginDebugUtilsLabelEXT",
  "vkCmdEndDebugUtilsLabelEXT",
  "vkCmdInsertDebugUtilsLabelEXT",
];

/**
 * The vkGetDeviceProcAddr of devices: the member's own, except for commands
 * that may have a handle of ours in their arguments.
 */
export class DeviceProcAddrs {
  readonly #lookups = new Map<string, Lookup>();

  /** Returns the function for a new device. */
  of(owner: LiveMember, device: bigint, hasDebugUtils: boolean): bigint {
    const code = joinedCode()!, entries = new Map<string, bigint>();
    for (const name of EXCHANGING) {
      const own = procOf(owner.getDeviceProcAddr, device, name);
      if (own === 0n) continue;
      owner.table.set(name, own);
      entries.set(name, code.jump(name));
    }
    if (hasDebugUtils) {
      for (const name of DEBUG_UTILS) {
        if (procOf(owner.getDeviceProcAddr, device, name) === 0n) entries.set(name, code.nothing);
      }
    }
    return entries.size === 0 ? owner.getDeviceProcAddr : this.#lookup(owner.getDeviceProcAddr, entries);
  }

  /** Frees the functions. All devices must be gone. */
  close(): void {
    for (const lookup of this.#lookups.values()) lookup.free();
    this.#lookups.clear();
  }

  #lookup(miss: bigint, entries: ReadonlyMap<string, bigint>): bigint {
    const key = `${miss} ${[...entries].join()}`;
    let lookup = this.#lookups.get(key);
    if (!lookup) this.#lookups.set(key, lookup = createLookup(entries, miss));
    return lookup.address;
  }
}
