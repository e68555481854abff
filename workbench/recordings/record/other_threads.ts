import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../loader/gen/command_table_gen.js";
import type { ForeignThreadPolicy, Layer } from "../../../loader/layer.ts";
import { isRecorded } from "./commands.ts";

/**
 * Commands that may wait for something that another thread has yet to do. The
 * loader's thread must not wait in their place.
 */
const WAITS = /^vk(Wait|DeviceWaitIdle|QueueWaitIdle)/;

/**
 * Returns the policy of each recorded command for calls on other threads. Waits
 * continue at once, because a replay waits by itself where it must.
 */
export function policies(otherThreads: "note" | "block"): NonNullable<Layer["onForeignThread"]> {
  const policy: ForeignThreadPolicy = otherThreads === "block" ? "block" : "record";
  const names = `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ").filter((name) => isRecorded(name) && !WAITS.test(name));
  return Object.fromEntries(names.map((name) => [name, policy]));
}
