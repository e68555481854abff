import { arena } from "../../../ffi/arena.ts";
import { fillTable } from "../../../ffi/machine.ts";
import { deviceTrampoline } from "../../chain/device_trampolines.ts";
import { namesOf } from "../../chain/dispatch_table.ts";
import { instanceProcAddr } from "../../driver/probe.ts";
import { DEVICE_NAMES } from "../../gen/command_table_gen.js";
import type { LiveMember } from "./live_member.ts";

/** What the members of an instance have of the registry's device commands. */
export interface DeviceCommands {
  /** Whether other members have the same. */
  equals(other: DeviceCommands): boolean;
  /** Each command with its function, 0n for one that no member has. */
  entries(): [name: string, address: bigint][];
  /** The functions, by member and slot. */
  readonly found: readonly NativeTable[];
}

/** Functions in slot order, as the 64-bit words they are and as halves, which are compared without making a bigint of each. */
interface NativeTable {
  readonly addresses: BigUint64Array;
  readonly halves: Uint32Array;
}

/** Asks the members for all device commands, in one native loop each: callers that ask for many ask for these. */
export function deviceCommands(members: readonly LiveMember[]): DeviceCommands {
  const found = members.map(askFor), [first] = found;
  return {
    found,
    equals: (other) =>
      found.length === other.found.length && found.every((each, index) => isSame(each, other.found[index])),
    entries: () =>
      DEVICE_NAMES.split(" ").map((name, slot): [string, bigint] => {
        if (found.every(({ addresses }) => addresses[slot] === 0n)) return [name, 0n];
        return [name, found.length === 1 ? first.addresses[slot] : deviceTrampoline(name, true) ?? 0n];
      }),
  };
}

function isSame({ halves: one }: NativeTable, { halves: other }: NativeTable): boolean {
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

function askFor({ member, table: { instance } }: LiveMember): NativeTable {
  const memory = arena(), mark = memory.mark(), names = namesOf("device"), size = 8 * names.count;
  try {
    const at = memory.alloc(size), getProcAddr = instanceProcAddr(member.driver, instance);
    fillTable({ getProcAddr, handle: instance, names, table: memory.address(at) });
    const { buffer } = memory.bytes.slice(at, at + size);
    return { addresses: new BigUint64Array(buffer), halves: new Uint32Array(buffer) };
  } finally {
    memory.release(mark);
  }
}
