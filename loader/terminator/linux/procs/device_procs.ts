import { inFrame } from "../../../../ffi/arena.ts";
import { createLookup, type Lookup } from "../../../../ffi/functions/lookup.ts";
import { procOf } from "../../../../ffi/library/library.ts";
import { fillTable } from "../../../../ffi/machine.ts";
import { deviceTrampoline } from "../../../chain/table/device_trampolines.ts";
import { namesOf } from "../../../chain/table/table_layout.ts";
import { canFail, findCommand } from "../../../command/registry/table.ts";
import { instanceProcAddr } from "../../../driver/interface/probe.ts";
import { type Absent, createAbsent } from "../../../emit/absent.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_SUCCESS } from "../../../gen/native_gen.ts";
import { joinedCode } from "../code.ts";
import { EXCHANGING, type LiveMember, type Member, MOST_UNKNOWN } from "../members/member.ts";

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

/** The message for `dprintf`: the sentence, and nothing in the place of the driver. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s%s\n`;
/** The queries whether a queue can present to windows, which the Khronos loader answers with no for a driver without them. */
export const ASKS_FOR_WINDOWS: RegExp = /PresentationSupport(KHR|EXT|QNX|OHOS)$/;

/** Other commands of windows and displays, which a driver without them gets from the Khronos loader, too. */
const OF_WINDOWS =
  /^vk(GetPhysicalDevice(Surface(Support|Capabilities|Formats|PresentModes)|Display(Plane)?Properties)|GetDisplay\w+|CreateDisplayMode)KHR$/;

/** Returns the message about a command on physical devices that a driver lacks, in the Khronos loader's words if it has some. */
export function absenceWords(name: string): string {
  return ASKS_FOR_WINDOWS.test(name) || OF_WINDOWS.test(name)
    ? `ICD for selected physical device does not export ${name}!`
    : `${name}: the driver of this physical device does not have it`;
}

const commands = INSTANCE_NAMES.split(" ");
let made: Absent | null | undefined;
/** Commands outside the registry, in the order in which they were met. */
const unknown: string[] = [];

/** Makes the functions that {@linkcode absenceElsewhere} returns. Not for use inside a callback. */
export function prepareAbsences(): void {
  if (made === undefined) made = make() ?? null;
}

/**
 * Returns the function for a command on physical devices that one driver lacks
 * and another has, for calls on other threads. The function reports the absence
 * on standard error and fails. Returns `undefined` where emitted code cannot be
 * used, if nothing was prepared, and after too many commands outside the
 * registry.
 */
export function absenceElsewhere(name: string): bigint | undefined {
  const known = commands.indexOf(name), index = known < 0 ? unknownPlace(name) : known;
  return index === undefined ? undefined : made?.at(index);
}

function unknownPlace(name: string): number | undefined {
  let place = unknown.indexOf(name);
  if (place < 0) {
    if (unknown.length === MOST_UNKNOWN) return undefined;
    place = unknown.push(name) - 1;
    made?.name(commands.length + place, absenceWords(name));
  }
  return commands.length + place;
}

function make(): Absent | undefined {
  const known = commands.map((name) => ({
    name: absenceWords(name),
    result: canFail(name) ? VK_ERROR_EXTENSION_NOT_PRESENT : VK_SUCCESS,
  }));
  const rest = Array.from({ length: MOST_UNKNOWN }, () => ({ name: "", result: VK_SUCCESS }));
  return createAbsent([...known, ...rest], { format: FORMAT });
}

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
