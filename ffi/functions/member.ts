import type { MemberJumpSpec, MembersSpec } from "../emit/emitter.ts";
import { NativeBlock } from "../block.ts";
import { ENTRY_SIZE } from "../emit/layout.ts";
import { CALLS } from "../emit/shared_swapchains.ts";
import { emitterForThisMachine, loadEmitted } from "../image/emitted.ts";
import { libcAddress } from "../libc.ts";
import { textAddresses } from "../texts.ts";
export {
  ALLOCATOR,
  GROUP,
  INSTANCE,
  LIST,
  MEMBER,
  NOT_ASKED,
  PHYSICAL_DEVICE,
  SURFACE,
  SURFACE_RECORD,
} from "../emit/vulkan_layout.ts";

/** A jump, or a command like one, with the text that is said for it. */
type Saying<Spec extends Pick<MemberJumpSpec, "absent">> = Omit<Spec, "absent"> & {
  readonly absent: Omit<MemberJumpSpec["absent"], "said"> & {
    /** What standard error gets then. Then NULL is no surface, either. */
    readonly said?: string;
  };
};
/** See {@linkcode MembersSpec.jumps}. */
export type MemberJump = Saying<MemberJumpSpec>;
/** What {@linkcode createMembers} makes. */
export type MemberCommands = Omit<MembersSpec, "jumps" | "shared" | "calls"> & {
  readonly jumps: readonly MemberJump[];
  readonly shared?: Saying<MembersSpec["shared"] & object>;
};

/**
 * What lets several drivers stand behind one loader, in machine code that any
 * thread may call: for each physical-device command a function that exchanges
 * our physical device for the driver's own and goes on to that driver.
 */
export interface Members {
  /** Address of the function for the command at an index of the members' tables. */
  at(index: number): bigint;
  /**
   * Address of a vkEnumeratePhysicalDevices that copies the list of the instance, if the members still list the
   * devices it was made of; else it goes on to the instance's `changed`.
   */
  readonly list: bigint;
  /** The same for vkEnumeratePhysicalDeviceGroups. */
  readonly listGroups: bigint;
  /**
   * Address of a vkDestroyInstance of an instance of ours: its surfaces, then the members' instances, then what was
   * taken from the application's allocator. The memory of the instance itself stays.
   */
  readonly destroyInstance: bigint;
  /** Address of a vkDestroySurfaceKHR of a surface of ours, or NULL. What is the loader's own of it stays. */
  readonly destroySurface: bigint;
  /**
   * Address of a vkGetInstanceProcAddr for what only drivers know: the function of the only
   * member that knows a command of devices; NULL for all else.
   */
  readonly unknownOfOne: bigint;
  /** Address of a function that does nothing and returns 0. */
  readonly nothing: bigint;
  /** Address of one of the jumps that were asked for, by name. */
  jump(name: string): bigint;
}

/** Emits the functions; `undefined` where emitted code cannot be used. They stay for the life of the process. */
export function createMembers({ jumps, shared, ...rest }: MemberCommands): Members | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const { code } = emitter, calls = code.reserve(), texts: [slot: number, text: string][] = [];
  function saying<Spec extends Pick<MemberJumpSpec, "absent">>(spec: Saying<Spec>): Spec {
    const { said, ...absent } = spec.absent;
    if (said === undefined) return { ...spec, absent } as unknown as Spec;
    const slot = code.reserve();
    texts.push([slot, said]);
    return { ...spec, absent: { ...absent, said: slot } } as unknown as Spec;
  }
  const spec = { ...rest, calls, jumps: jumps.map((jump) => saying<MemberJumpSpec>(jump)) };
  emitter.members(shared ? { ...spec, shared: saying<MembersSpec["shared"] & object>(shared) } : spec);
  emitter.nothing("nothing");
  const image = loadEmitted(emitter);
  if (!image) return;
  const addresses = textAddresses(texts.map(([, text]) => text)), { data } = image;
  texts.forEach(([slot], index) => data.setBigUint64(slot, addresses[index], true));
  data.setBigUint64(calls, callsOfMembers(), true);
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

/** Address of the list of the C library's functions, which stays. */
function callsOfMembers(): bigint {
  const entries = Object.entries(CALLS), block = new NativeBlock(8 * entries.length);
  for (const [name, at] of entries) block.view.setBigUint64(at, libcAddress(name), true);
  return block.address;
}
