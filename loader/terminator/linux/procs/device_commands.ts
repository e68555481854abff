import { inFrame } from "../../../../ffi/arena.ts";
import { fillTable } from "../../../../ffi/machine.ts";
import { procOf } from "../../../../ffi/library/library.ts";
import { deviceTrampoline } from "../../../chain/table/device_trampolines.ts";
import { namesOf } from "../../../chain/table/table_layout.ts";
import { findCommand } from "../../../command/registry/table.ts";
import { instanceProcAddr } from "../../../driver/interface/probe.ts";
import { DEVICE_NAMES } from "../../../gen/command_table_gen.js";
import type { LiveMember, Member } from "../members/member.ts";

const SAMPLES = ["vkDestroyDevice", "vkCmdDraw"] as const;

/** The registry's device commands that the members of an instance have. */
export interface DeviceCommands {
  /** Whether other members have the same functions. */
  equals(other: DeviceCommands): boolean;
  /** Returns each command with its function, 0n if no member has it. */
  entries(): [name: string, address: bigint][];
  /** The functions, by member and slot. */
  readonly found: readonly NativeTable[];
}

/** Functions in slot order: as 64-bit words, and as halves that are compared without making a bigint of each. */
interface NativeTable {
  readonly addresses: BigUint64Array;
  readonly halves: Uint32Array;
}

/**
 * The device commands of members. All commands of a member are queried in one
 * native loop, because callers that query many query these. A driver answers
 * alike for instances that were created alike, so it is not asked again for
 * those.
 */
export class KnownDeviceCommands {
  readonly #known = new WeakMap<Member, Map<string, NativeTable>>();

  /**
   * Returns the commands of an instance's members. `made` says which version
   * and extensions the instance was created with.
   */
  of(members: readonly LiveMember[], made: string): DeviceCommands {
    const found = members.map((live) => this.#tableOf(live, made)), [first] = found;
    return {
      found,
      equals: ({ found: other }) =>
        found.length === other.length && found.every((table, index) => isSame(table, other[index])),
      entries: () =>
        DEVICE_NAMES.split(" ").map((name, slot): [string, bigint] => {
          if (found.every(({ addresses }) => addresses[slot] === 0n)) return [name, 0n];
          return [name, found.length === 1 ? first.addresses[slot] : deviceTrampoline(name, true) ?? 0n];
        }),
    };
  }

  #tableOf(live: LiveMember, made: string): NativeTable {
    let known = this.#known.get(live.member);
    if (!known) this.#known.set(live.member, known = new Map());
    let table = known.get(made);
    if (!table || !isStillTrue(table, live)) known.set(made, table = askFor(live));
    return table;
  }
}

/**
 * Whether a driver has the same functions for another instance, tested with
 * those that every driver has. A driver may make new functions each time.
 */
function isStillTrue({ addresses }: NativeTable, { member, table: { instance } }: LiveMember): boolean {
  const lookup = instanceProcAddr(member.driver, instance);
  return SAMPLES.every((name) => procOf(lookup, instance, name) === addresses[findCommand(name)!.slot]);
}

function isSame({ halves: one }: NativeTable, { halves: other }: NativeTable): boolean {
  if (one === other) return true;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

function askFor({ member, table: { instance } }: LiveMember): NativeTable {
  return inFrame((memory) => {
    const names = namesOf("device"), size = 8 * names.count;
    const at = memory.alloc(size), getProcAddr = instanceProcAddr(member.driver, instance);
    fillTable({ getProcAddr, handle: instance, names, table: memory.address(at) });
    const { buffer } = memory.bytes.slice(at, at + size);
    return { addresses: new BigUint64Array(buffer), halves: new Uint32Array(buffer) };
  });
}
