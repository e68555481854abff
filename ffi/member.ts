import type { MemberJumpSpec, MembersSpec } from "./emit/emitter.ts";
import { ENTRY_SIZE } from "./emit/layout.ts";
import { emitterForThisMachine, loadEmitted } from "./image/emitted.ts";
export {
  ALLOCATOR,
  INSTANCE,
  LIST,
  MEMBER,
  NOT_ASKED,
  PHYSICAL_DEVICE,
  SURFACE,
  SURFACE_RECORD,
} from "./emit/vulkan_layout.ts";
export type { MemberJumpSpec, MembersSpec };

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
  /** Address of a function that does nothing and returns 0. */
  readonly nothing: bigint;
  /** Address of one of the jumps that were asked for, by name. */
  jump(name: string): bigint;
}

/** Emits the functions; `undefined` where emitted code cannot be used. They stay for the life of the process. */
export function createMembers(spec: MembersSpec): Members | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  emitter.members(spec);
  emitter.nothing("nothing");
  const image = loadEmitted(emitter);
  if (!image) return;
  const first = image.address("members");
  return {
    at: (index) => first + BigInt(ENTRY_SIZE * index),
    list: image.address("listMembers"),
    listGroups: image.address("listGroups"),
    destroyInstance: image.address("destroyInstance"),
    destroySurface: image.address("destroySurface"),
    nothing: image.address("nothing"),
    jump: (name) => image.address(name),
  };
}
