import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import type { ForeignThreadPolicy, Layer } from "../../../layer.ts";
import { isRecorded } from "./commands.ts";

/** Commands that may wait for what another thread has yet to do: the loader's thread must not wait in their place. */
const WAITS = /^vk(Wait|DeviceWaitIdle|QueueWaitIdle)/;

/**
 * What is done with each command that a recording has where another thread
 * calls it. Waits go on at once: a replay waits on its own where it must.
 */
export function policies(otherThreads: "note" | "block"): NonNullable<Layer["onForeignThread"]> {
  const policy: ForeignThreadPolicy = otherThreads === "block" ? "block" : "record";
  const names = `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ").filter((name) => isRecorded(name) && !WAITS.test(name));
  return Object.fromEntries(names.map((name) => [name, policy]));
}
