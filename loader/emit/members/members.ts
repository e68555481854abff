import type { Label } from "../../../ffi/asm/code.ts";
import { LASTING, NativeBlock } from "../../../ffi/block.ts";
import { textAddresses } from "../../../ffi/cstring.ts";
import type { Emitter, Exchange, ExchangeJumpSpec } from "../../../ffi/emit/emitter.ts";
import { ENTRY_SIZE } from "../../../ffi/emit/layout.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import { emitterForThisMachine, loadEmitted } from "../../../ffi/image/image.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { MEMBER, PHYSICAL_DEVICE, SURFACE } from "../layout.ts";
import { writeDestroyers } from "./destroyers.ts";
import { eachMember, writeLists } from "./lists.ts";
import { CALLS, writeRefused, writeSharedSwapchains } from "./shared_swapchains.ts";
import type { MemberJumpSpec, MembersSpec, OurHandle } from "./spec.ts";

/** The spec of a jump or a command, with a text in place of the text's address. */
type WithFindings<Spec extends Pick<MemberJumpSpec, "absent">> = Omit<Spec, "absent"> & {
  readonly absent: Omit<MemberJumpSpec["absent"], "said"> & {
    /** The text that standard error gets. */
    readonly said?: string;
  };
};
/** See {@linkcode MembersSpec.jumps}. */
export type MemberJump = WithFindings<MemberJumpSpec>;
/** The commands that {@linkcode createMembers} makes. */
export type MemberCommands = Omit<MembersSpec, "jumps" | "shared" | "calls" | "variables"> & {
  /** Names of the variables that decide which devices are listed. A list that was made with other values is made again. */
  readonly variables: readonly string[];
  readonly jumps: readonly MemberJump[];
  readonly shared?: WithFindings<MembersSpec["shared"] & object>;
};

/**
 * Machine code that lets several drivers stand behind one loader. For each
 * physical-device command there is a function that replaces our physical device
 * by the driver's own and calls that driver. Any thread may call these
 * functions.
 */
export interface Members {
  /** Address of the function for the command at an index of the members' tables. */
  at(index: number): bigint;
  /**
   * Address of a vkEnumeratePhysicalDevices that copies the instance's list if
   * the members still list the same devices. If not, the function calls the
   * instance's `changed`.
   */
  readonly list: bigint;
  /** The same for vkEnumeratePhysicalDeviceGroups. */
  readonly listGroups: bigint;
  /**
   * Address of a vkDestroyInstance for an instance of ours: destroys the
   * surfaces, then the members' instances, then frees memory of the
   * application's allocator. The memory of the instance itself stays.
   */
  readonly destroyInstance: bigint;
  /** Address of a vkDestroySurfaceKHR for a surface of ours, or NULL. The loader's own part of the surface stays. */
  readonly destroySurface: bigint;
  /**
   * Address of a vkGetInstanceProcAddr for commands that only drivers know. If
   * only one member knows a device command, the function returns that member's
   * function; NULL in all other cases.
   */
  readonly unknownOfOne: bigint;
  /** Address of a function that does nothing and returns 0. */
  readonly nothing: bigint;
  /** Address of one of the requested jumps, by name. */
  jump(name: string): bigint;
}

/**
 * Emits the functions; returns `undefined` where emitted code cannot be used.
 * The functions stay for the life of the process.
 */
export function createMembers({ jumps, shared, variables: names, ...rest }: MemberCommands): Members | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const { code } = emitter,
    calls = code.reserve(),
    variables = code.reserve(),
    texts: [slot: number, text: string][] = [];
  function withFindings<Spec extends Pick<MemberJumpSpec, "absent">>(spec: WithFindings<Spec>): Spec {
    const { said, ...absent } = spec.absent;
    if (said === undefined) return { ...spec, absent } as unknown as Spec;
    const slot = code.reserve();
    texts.push([slot, said]);
    return { ...spec, absent: { ...absent, said: slot } } as unknown as Spec;
  }
  const spec = { ...rest, calls, variables, jumps: jumps.map((jump) => withFindings<MemberJumpSpec>(jump)) };
  writeMembers(emitter, shared ? { ...spec, shared: withFindings<MembersSpec["shared"] & object>(shared) } : spec);
  emitter.nothing("nothing");
  const image = loadEmitted(emitter);
  if (!image) return;
  const addresses = textAddresses(texts.map(([, text]) => text)), { data } = image;
  texts.forEach(([slot], index) => data.setBigUint64(slot, addresses[index], true));
  data.setBigUint64(calls, callsOfMembers(), true);
  data.setBigUint64(variables, listOfTexts(names), true);
  const first = image.address("members");
  return {
    at: (index) => first + BigInt(ENTRY_SIZE * index),
    list: image.address("listMembers"),
    listGroups: image.address("listGroups"),
    destroyInstance: image.address("destroyInstance"),
    destroySurface: image.address("destroySurface"),
    unknownOfOne: image.address("unknownOfOne"),
    nothing: image.address("nothing"),
    jump: (name) => image.address(name),
  };
}

/** Returns the address of a list of texts' addresses with a 0 behind, which stays. */
function listOfTexts(texts: readonly string[]): bigint {
  const block = new NativeBlock(8 * texts.length + 8, LASTING);
  textAddresses(texts).forEach((address, index) => block.view.setBigUint64(8 * index, address, true));
  return block.address;
}

/** Address of the list of the C library's functions, which stays. */
export function callsOfMembers(): bigint {
  const entries = Object.entries(CALLS), block = new NativeBlock(8 * entries.length, LASTING);
  for (const [name, at] of entries) block.view.setBigUint64(at, libcAddress(name), true);
  return block.address;
}

/** The replacement of each handle of ours by the member's own. */
const EXCHANGES: Readonly<Record<OurHandle, Exchange>> = {
  physicalDevice: { inObject: PHYSICAL_DEVICE.handle },
  instance: { inTable: MEMBER.instance },
  surface: { offsetInTable: MEMBER.surface, owner: { inObject: SURFACE.instance, inTable: MEMBER.joined } },
};
/** Offset of the type in structs that name an object. */
const OBJECT_TYPE = 16;

function writeMembers(emitter: Emitter, spec: MembersSpec): void {
  const { count, jumps, memberOffset, shared, calls, table } = spec, routine = emitter.routine();
  emitter.exchangers("members", { count, object: PHYSICAL_DEVICE, functions: MEMBER.functions });
  for (const jump of jumps) {
    const refused: Label | undefined = jump.absent.said === undefined ? undefined : writeRefused(routine, jump, calls);
    emitter.exchangeJump(jump.name, exchangeJump(jump, memberOffset), refused);
  }
  if (shared) writeSharedSwapchains(routine, spec, shared, writeRefused(routine, shared, calls));
  writeDestroyers(routine, table);
  writeLists(routine, spec);
  writeUnknownOfOne(routine, table);
}

function exchangeJump({ holder, struct, ...rest }: MemberJumpSpec, memberOffset: number): ExchangeJumpSpec {
  return {
    ...rest,
    holder: holder === "physicalDevice" ? PHYSICAL_DEVICE : { inDispatchTable: memberOffset },
    exchange: struct
      ? {
        ...struct,
        typeAt: OBJECT_TYPE,
        kinds: struct.kinds.map(({ type, kind }) => ({ type, exchange: EXCHANGES[kind] })),
      }
      : EXCHANGES.surface,
  };
}

/**
 * Writes `unknownOfOne`, `void *(instance, const char *name)`: returns the
 * device command outside the registry that only one member knows. Returns NULL
 * if several members know it, because only TypeScript can make a function that
 * tells their devices apart, and for commands on physical devices, which take
 * handles of ours.
 */
export function writeUnknownOfOne(routine: Routine, { size, getInstanceProcAddr }: MembersSpec["table"]): void {
  const table: Variable = 0, name: Variable = 1, own: Variable = 2, found: Variable = 3, left: Variable = 4, KEPT = 0;
  const none = routine.label();
  const ask = (offset: number, without: Label) => {
    routine.load(found, table, offset);
    routine.ifZero(found, without);
    routine.load(own, table, MEMBER.instance);
    routine.pass(0, own);
    routine.pass(1, name);
    routine.callAt(table, offset);
    routine.wideResult(found);
  };
  routine.begin("unknownOfOne", 1);
  routine.argument(table, 0);
  routine.argument(name, 1);
  routine.set(found, 0);
  routine.storeCell(KEPT, found);
  eachMember(routine, { table, left, size }, (next) => {
    const ofDevices = routine.label();
    ask(MEMBER.physicalDeviceProcAddr, ofDevices);
    routine.ifNotZero(found, none);
    routine.place(ofDevices);
    ask(getInstanceProcAddr, next);
    routine.ifZero(found, next);
    routine.loadCell(own, KEPT);
    routine.ifNotZero(own, none);
    routine.storeCell(KEPT, found);
  });
  routine.loadCell(found, KEPT);
  routine.finish({ variable: found });
  routine.place(none);
  routine.finish(0);
}
