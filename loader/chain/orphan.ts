import { canFail } from "../command/registry/table.ts";
import { type Absent, createAbsent } from "../emit/absent.ts";
import { INSTANCE_NAMES } from "../gen/command_table_gen.js";
import { VK_ERROR_INITIALIZATION_FAILED, VK_SUCCESS } from "../gen/native_gen.ts";

/** The message for `dprintf`: the command, and nothing in the place of the driver. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s: refused: this process was forked from the one that loaded ` +
  "Vulkan, or the thread that did so has ended; load Vulkan again%s\n";

/** The commands that need no instance, and those of instances and physical devices. */
const commands: readonly string[] = [
  "vkCreateInstance",
  "vkEnumerateInstanceVersion",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumerateInstanceLayerProperties",
  ...INSTANCE_NAMES.split(" "),
];
let made: Absent | null | undefined;

/**
 * Returns the function for a command that TypeScript alone can carry out, for
 * callers in a forked child, and after the end of the loader's thread. The
 * function reports the refusal on standard error and fails. Returns 0n where
 * emitted code cannot be used. The first call must not be inside a callback.
 */
export function orphanCall(name: string): bigint {
  made ??= createAbsent(
    commands.map((each) => ({ name: each, result: canFail(each) ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS })),
    { format: FORMAT },
  ) ?? null;
  const index = commands.indexOf(name);
  return index < 0 ? 0n : made?.at(index) ?? 0n;
}
