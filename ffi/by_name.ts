import type { ByNameSpec } from "./emit/emitter.ts";
import { emitterForThisMachine, Image } from "./image/image.ts";
import { publish64 } from "./machine.ts";

/**
 * Functions in machine code that list something of what a name says, which may
 * be NULL or "" for no name. Native code may call them from any thread.
 */
export interface ByName {
  /** Address of `VkResult (object, const char *name, uint32_t *count, element *out)`, which goes by the object's dispatch table. */
  readonly ofObject: bigint;
  /** Address of `VkResult (const char *name, uint32_t *count, element *out)`. */
  readonly ofName: bigint;
  /** Address of `VkResult (object, uint32_t *count, element *out)`, which copies a list that the object's table leads to. */
  readonly alone: bigint;
  /** Says where the second goes on to. */
  set(functions: { readonly named: bigint; readonly unnamed: bigint }): void;
}

/** Emits both; `undefined` where emitted code cannot be used. They stay for the life of the process. */
export function createByName(spec: Omit<ByNameSpec, "slots">): ByName | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const slots = emitter.code.reserve(16);
  emitter.byName({ ...spec, slots });
  const image = Image.load(emitter);
  if (!image) return;
  return {
    ofObject: image.address("listOfObject"),
    ofName: image.address("listOfName"),
    alone: image.address("listAlone"),
    set({ named, unnamed }) {
      publish64(image.dataAddress + BigInt(slots), named);
      publish64(image.dataAddress + BigInt(slots + 8), unnamed);
    },
  };
}
