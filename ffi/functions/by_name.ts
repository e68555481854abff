import type { ByNameSpec } from "../emit/emitter.ts";
import { emitterForThisMachine, loadEmitted } from "../image/emitted.ts";

/**
 * Machine-code functions that list something for a name, which may be NULL or
 * "" for no name. Native code may call them from any thread.
 */
export interface ByName {
  /**
   * Address of `VkResult (object, const char *name, uint32_t *count, element
   * *out)`. The function reads the object's dispatch table.
   */
  readonly ofObject: bigint;
  /**
   * Address of the same function for callers further down the chain, who find
   * other functions in the object's dispatch table.
   */
  readonly below: bigint;
  /** Address of a function with the same parameters, for names that have nothing to list. */
  readonly nothing: bigint;
  /**
   * Address of `VkResult (object, uint32_t *count, element *out)`, which copies
   * a list that the object's table points to.
   */
  readonly alone: bigint;
  /** Address of a vkEnumeratePhysicalDeviceGroups with a group for each device that the driver of an instance lists, 32 at most. */
  readonly groupEach: bigint;
}

/**
 * Emits all functions; returns `undefined` where emitted code cannot be used.
 * The functions stay for the life of the process.
 */
export function createByName(spec: ByNameSpec): ByName | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  emitter.byName(spec);
  const image = loadEmitted(emitter);
  if (!image) return;
  return {
    ofObject: image.address("listOfObject"),
    below: image.address("listBelow"),
    nothing: image.address("listNothing"),
    alone: image.address("listAlone"),
    groupEach: image.address("groupEach"),
  };
}
