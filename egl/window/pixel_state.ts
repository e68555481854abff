import type { ContextObject } from "../api/objects.ts";
import type { DriverGl } from "./driver_gl.ts";
import {
  GL_BACK,
  GL_FRAMEBUFFER,
  GL_FRAMEBUFFER_BINDING,
  GL_PACK_ALIGNMENT,
  GL_PACK_REVERSE_ROW_ORDER_ANGLE,
  GL_PACK_ROW_LENGTH,
  GL_PACK_SKIP_PIXELS,
  GL_PACK_SKIP_ROWS,
  GL_PIXEL_PACK_BUFFER,
  GL_PIXEL_PACK_BUFFER_BINDING,
  GL_READ_BUFFER,
  GL_READ_FRAMEBUFFER,
  GL_READ_FRAMEBUFFER_BINDING,
  GL_UNPACK_ALIGNMENT,
  GL_UNPACK_ROW_LENGTH,
  GL_UNPACK_SKIP_PIXELS,
  GL_UNPACK_SKIP_ROWS,
} from "../gen/gl_constants_gen.js";

/** The memory layouts of pixels that a context supports. */
export interface PixelAbilities {
  /** Major version. */
  readonly major: number;
  /** Whether the distance of rows in memory can be set for reading. */
  readonly pack: boolean;
  /** Whether the distance of rows in memory can be set for uploads. */
  readonly unpack: boolean;
  /** Whether rows can be read from the top. */
  readonly reverse: boolean;
  /** Whether there are framebuffer objects. */
  readonly framebuffers: boolean;
}

/** Finds the abilities of a context that has been current. */
export function pixelAbilities({ hooks, facts }: ContextObject): PixelAbilities {
  const major = facts?.version[0] ?? 1, has = (name: string) => facts?.extensions.includes(name) ?? false;
  return {
    major,
    pack: hooks === 2 && (major >= 3 || has("GL_NV_pack_subimage")),
    unpack: hooks === 2 && (major >= 3 || has("GL_EXT_unpack_subimage")),
    reverse: hooks === 2 && has("GL_ANGLE_pack_reverse_row_order"),
    framebuffers: hooks === 2 || has("GL_OES_framebuffer_object"),
  };
}

/** The layout for reading pixels: the first row, and the distance of the rows. */
export interface PackLayout {
  /** Pixels from one row to the next; 0 for rows without gaps. */
  readonly rowLength: number;
  /** Whether the first row is the upper one. */
  readonly reverse: boolean;
}

/** Calls `work` with this state of glReadPixels, and restores the application's state afterwards. */
export function withPackState<T>(gl: DriverGl, can: PixelAbilities, layout: PackLayout, work: () => T): T {
  const undo: (() => void)[] = [];
  const store = (name: number, value: number) => storePixel(gl, name, value, undo);
  store(GL_PACK_ALIGNMENT, 1);
  if (can.pack) {
    store(GL_PACK_ROW_LENGTH, layout.rowLength);
    store(GL_PACK_SKIP_ROWS, 0);
    store(GL_PACK_SKIP_PIXELS, 0);
  }
  if (can.reverse) store(GL_PACK_REVERSE_ROW_ORDER_ANGLE, layout.reverse ? 1 : 0);
  bindDefault(gl, can, undo);
  try {
    return work();
  } finally {
    undo.reverse().forEach((each) => each());
  }
}

/** Sets the state for uploads. */
export function setUnpack(gl: DriverGl, can: PixelAbilities, rowLength: number): void {
  gl.call("glPixelStorei", GL_UNPACK_ALIGNMENT, 1);
  if (!can.unpack) return;
  gl.call("glPixelStorei", GL_UNPACK_ROW_LENGTH, rowLength);
  gl.call("glPixelStorei", GL_UNPACK_SKIP_ROWS, 0);
  gl.call("glPixelStorei", GL_UNPACK_SKIP_PIXELS, 0);
}

function storePixel(gl: DriverGl, name: number, value: number, undo: (() => void)[]): void {
  const before = gl.integer(name);
  if (before === value) return;
  gl.call("glPixelStorei", name, value);
  undo.push(() => gl.call("glPixelStorei", name, before));
}

/** Makes reads come from the surface and go to memory, not from framebuffer objects or to buffer objects. */
function bindDefault(gl: DriverGl, { major, framebuffers }: PixelAbilities, undo: (() => void)[]): void {
  if (major >= 3) {
    rebind(gl, "glBindBuffer", [GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING], undo);
    rebind(gl, "glBindFramebuffer", [GL_READ_FRAMEBUFFER, GL_READ_FRAMEBUFFER_BINDING], undo);
    const source = gl.integer(GL_READ_BUFFER);
    if (source === GL_BACK) return;
    gl.call("glReadBuffer", GL_BACK);
    undo.push(() => gl.call("glReadBuffer", source >>> 0));
  } else if (framebuffers) {
    rebind(
      gl,
      major === 1 ? "glBindFramebufferOES" : "glBindFramebuffer",
      [GL_FRAMEBUFFER, GL_FRAMEBUFFER_BINDING],
      undo,
    );
  }
}

function rebind(gl: DriverGl, command: string, [target, binding]: [number, number], undo: (() => void)[]): void {
  const before = gl.integer(binding);
  if (before === 0) return;
  gl.call(command, target, 0);
  undo.push(() => gl.call(command, target, before >>> 0));
}
