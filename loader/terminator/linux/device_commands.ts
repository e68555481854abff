import { arena } from "../../../ffi/arena.ts";
import { fillTable } from "../../../ffi/machine.ts";
import { deviceTrampoline } from "../../chain/device_trampolines.ts";
import { namesOf } from "../../chain/dispatch_table.ts";
import { instanceProcAddr } from "../../driver/probe.ts";
import { DEVICE_NAMES } from "../../gen/command_table_gen.js";
import type { LiveMember } from "./live_member.ts";

/** What the members of an instance have of the registry's device commands. */
export interface DeviceCommands {
  /** The same for instances that have the same. */
  readonly key: string;
  /** Each command with its function, 0n for one that no member has. */
  entries(): [name: string, address: bigint][];
}

/** Asks the members for all device commands, in one native loop each: callers that ask for many ask for these. */
export function deviceCommands(members: readonly LiveMember[]): DeviceCommands {
  const found = members.map(askFor), [first] = found;
  return {
    key: found.map((addresses) => addresses.join()).join(" "),
    entries: () =>
      DEVICE_NAMES.split(" ").map((name, slot): [string, bigint] => {
        if (found.every((addresses) => addresses[slot] === 0n)) return [name, 0n];
        return [name, found.length === 1 ? first[slot] : deviceTrampoline(name, true) ?? 0n];
      }),
  };
}

function askFor({ member, table: { instance } }: LiveMember): BigUint64Array {
  const memory = arena(), mark = memory.mark(), names = namesOf("device"), size = 8 * names.count;
  try {
    const at = memory.alloc(size), getProcAddr = instanceProcAddr(member.driver, instance);
    fillTable({ getProcAddr, handle: instance, names, table: memory.address(at) });
    return new BigUint64Array(memory.bytes.slice(at, at + size).buffer);
  } finally {
    memory.release(mark);
  }
}
