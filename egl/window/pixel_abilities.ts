import { readCString } from "../../ffi/cstring.ts";
import type { ContextObject } from "../api/objects.ts";
import { words } from "../api/strings.ts";
import type { DriverGl } from "./driver_gl.ts";
import { GL_EXTENSIONS } from "../gen/gl_constants_gen.js";

/** The state of a context that decides where pixels are read and how they lie in memory. */
export interface PixelAbilities {
  /** Major version. */
  readonly major: number;
  /** Whether the distance of rows in memory can be set for reading. */
  readonly pack: boolean;
  /** Whether the distance of rows in memory can be set for uploads. */
  readonly unpack: boolean;
  /** Whether rows can be read from the top. */
  readonly reverse: boolean;
  /** Whether the bytes of a component can be swapped, as in desktop OpenGL. */
  readonly swapBytes: boolean;
  /** Whether reads can go to a buffer object. */
  readonly packBuffers: boolean;
  /** The command that binds framebuffer objects; `undefined` for a context without them. */
  readonly bindFramebuffer?: "glBindFramebuffer" | "glBindFramebufferOES";
  /** Whether another framebuffer can be bound for reading than for drawing. */
  readonly splitFramebuffers: boolean;
  /** The command that chooses the buffer of a framebuffer to read, if there is one. */
  readonly readBuffer?: "glReadBuffer" | "glReadBufferNV";
  /** The command that chooses the buffers of a framebuffer to draw to, if there is one. */
  readonly drawBuffers?: "glDrawBuffers" | "glDrawBuffersEXT" | "glDrawBuffersNV";
}

/** The extensions that add a framebuffer for reading alone. */
const SPLITTING = ["GL_ANGLE_framebuffer_blit", "GL_NV_framebuffer_blit", "GL_APPLE_framebuffer_multisample"];
/** Extensions of contexts before 3.0, with the command that each adds. */
const DRAW_BUFFERS = { GL_EXT_draw_buffers: "glDrawBuffersEXT", GL_NV_draw_buffers: "glDrawBuffersNV" } as const;

/** A context's abilities, and the list of extensions that they were found in. */
export interface KnownAbilities {
  readonly list: bigint;
  readonly can: PixelAbilities;
}

/**
 * Finds the abilities of the current context. Some drivers add extensions to a context later, at the application's
 * request: the list of extensions then has another address.
 */
export function pixelAbilities(gl: DriverGl, context: ContextObject): PixelAbilities {
  const { facts } = context, known = gl.abilities.get(context);
  // Newer contexts of desktop OpenGL have no list in one piece.
  const list = facts?.isDesktop ? 0n : gl.call("glGetString", GL_EXTENSIONS) as bigint;
  if (known?.list === list) return known.can;
  const can = abilitiesIn(context, new Set(list === 0n ? facts?.extensions : words(readCString(list, 1 << 20))));
  gl.abilities.set(context, { list, can });
  return can;
}

function abilitiesIn({ hooks, facts }: ContextObject, has: ReadonlySet<string>): PixelAbilities {
  const major = facts?.version[0] ?? 1, isNew = major >= 3;
  const drawBuffers = Object.entries(DRAW_BUFFERS).find(([name]) => has.has(name))?.[1];
  return {
    major,
    pack: isNew || has.has("GL_NV_pack_subimage"),
    unpack: isNew || has.has("GL_EXT_unpack_subimage"),
    reverse: has.has("GL_ANGLE_pack_reverse_row_order"),
    swapBytes: facts?.isDesktop ?? false,
    packBuffers: isNew || has.has("GL_NV_pixel_buffer_object"),
    bindFramebuffer: hooks === 2
      ? "glBindFramebuffer"
      : has.has("GL_OES_framebuffer_object")
      ? "glBindFramebufferOES"
      : undefined,
    splitFramebuffers: isNew || SPLITTING.some((name) => has.has(name)),
    readBuffer: isNew ? "glReadBuffer" : has.has("GL_NV_read_buffer") ? "glReadBufferNV" : undefined,
    drawBuffers: isNew ? "glDrawBuffers" : drawBuffers,
  };
}
