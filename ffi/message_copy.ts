import { emitterForThisMachine, Image } from "./image/image.ts";

let image: Image | undefined;

/**
 * Address of a function for the `extra` of a ring whose thunk is a
 * `PFN_vkDebugUtilsMessengerCallbackEXT`: it copies the message with all its
 * strings and lists, as far as there is room. 0n where emitted code cannot be used.
 */
export function messageCopy(): bigint {
  image ??= emitImage();
  return image?.address("copyMessage") ?? 0n;
}

function emitImage(): Image | undefined {
  const emitter = emitterForThisMachine();
  emitter?.messageCopy("copyMessage");
  return emitter && Image.load(emitter);
}
