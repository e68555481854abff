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

/** The spec of a jump or a command, with a text in place of the text's address. */
type Saying<Spec extends Pick<MemberJumpSpec, "absent">> = Omit<Spec, "absent"> & {
  readonly absent: Omit<MemberJumpSpec["absent"], "said"> & {
    /** The text that standard error gets. With a text, NULL counts as no surface. */
    readonly said?: string;
  };
};
/** See {@linkcode MembersSpec.jumps}. */
export type MemberJump = Saying<MemberJumpSpec>;
/** The commands that {@linkcode createMembers} makes. */
export type MemberCommands = Omit<MembersSpec, "jumps" | "shared" | "calls"> & {
  readonly jumps: readonly MemberJump[];
  readonly shared?: Saying<MembersSpec["shared"] & object>;
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
