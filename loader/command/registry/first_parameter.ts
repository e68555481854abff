/** The first parameters of commands, as the registry names them. */
export const FIRST_PARAMETERS = [
  "instance",
  "physicalDevice",
  "device",
  "queue",
  "commandBuffer",
  "externalQueue",
] as const;

/** The name of a command's first parameter. */
export type FirstParameter = typeof FIRST_PARAMETERS[number];

const INSTANCE =
  /^vk(DestroyInstance|EnumeratePhysicalDevices|EnumeratePhysicalDeviceGroups(KHR)?|GetInstanceProcAddr|Create\w*Surface\w*|DestroySurfaceKHR|\w*Debug(Report|Utils)\w*)$/;
const COMMAND_BUFFER = /^vk(Cmd|(Begin|End|Reset)CommandBuffer$)/;
const QUEUE = /^vk(Queue|GetQueueCheckpointData)/;
const EXTERNAL_QUEUE = "vkGetExternalComputeQueueDataNV";

/**
 * Returns the first parameter of a command of a level, from its name alone,
 * because finding all commands in the table takes thirty milliseconds.
 */
export function firstParameter(level: "instance" | "device", command: string): FirstParameter {
  if (level === "instance") return INSTANCE.test(command) ? "instance" : "physicalDevice";
  if (COMMAND_BUFFER.test(command)) return "commandBuffer";
  if (QUEUE.test(command)) return "queue";
  return command === EXTERNAL_QUEUE ? "externalQueue" : "device";
}
