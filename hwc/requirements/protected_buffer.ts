import { WsiError } from "../../wsi/error.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { ComposerSession } from "./session.ts";

const USED = USAGE.COMPOSER_OVERLAY | USAGE.GPU_TEXTURE | USAGE.VIDEO_DECODER;

/**
 * A buffer that only a protected plane may read; `undefined` if none can be
 * had. Without protected memory, composers of this process get a buffer that
 * only declares itself protected: they go by the declaration.
 */
export function protectedBuffer(session: ComposerSession, format: number): GraphicBuffer | undefined {
  try {
    return session.allocate({ format, usage: USED | USAGE.PROTECTED });
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    return Symbol.asyncDispose in session.composer ? undefined : watched(session.allocate({ format }));
  }
}

/** The same buffer, with another usage for who asks. */
function watched(buffer: GraphicBuffer): GraphicBuffer {
  return new Proxy(buffer, {
    get(target, name) {
      if (name === "usage") return target.usage | USAGE.PROTECTED;
      if (name === "retain") return () => watched(target.retain());
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
