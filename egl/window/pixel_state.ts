import type { DriverGl } from "./driver_gl.ts";
import type { PixelAbilities } from "./pixel_abilities.ts";
import {
  GL_BACK,
  GL_DRAW_BUFFER0,
  GL_DRAW_FRAMEBUFFER,
  GL_DRAW_FRAMEBUFFER_BINDING,
  GL_FRAMEBUFFER,
  GL_FRAMEBUFFER_BINDING,
  GL_NONE,
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

/** A name of desktop OpenGL. */
const GL_PACK_SWAP_BYTES = 0x0d00;

/** The layout for reading pixels: the first row, and the distance of the rows. */
export interface PackLayout {
  /** Pixels from one row to the next; 0 for rows without gaps. */
  readonly rowLength: number;
  /** Whether the first row is the upper one. */
  readonly reverse: boolean;
}

type Undo = (() => void)[];

/**
 * Calls `work` while reads come from the surface and go to memory, not from framebuffer objects or to buffer objects.
 * Restores the application's state afterwards. Queries of the surface's preferred format belong into `work`, too.
 */
export function withDefaultSource<T>(gl: DriverGl, can: PixelAbilities, work: () => T): T {
  return undoing((undo) => {
    if (can.packBuffers) rebind(gl, "glBindBuffer", [GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING], undo);
    bindForReading(gl, can, undo);
    const source = can.readBuffer ? gl.integer(GL_READ_BUFFER) : GL_BACK;
    if (can.readBuffer && source !== GL_BACK) {
      gl.call(can.readBuffer, GL_BACK);
      undo.push(() => gl.call(can.readBuffer!, source >>> 0));
    }
    return work();
  });
}

/** Calls `work` with this layout of glReadPixels, and restores the application's state afterwards. */
export function withPackState<T>(gl: DriverGl, can: PixelAbilities, layout: PackLayout, work: () => T): T {
  return undoing((undo) => {
    const store = (name: number, value: number) => storePixel(gl, name, value, undo);
    store(GL_PACK_ALIGNMENT, 1);
    if (can.swapBytes) store(GL_PACK_SWAP_BYTES, 0);
    if (can.pack) {
      store(GL_PACK_ROW_LENGTH, layout.rowLength);
      store(GL_PACK_SKIP_ROWS, 0);
      store(GL_PACK_SKIP_PIXELS, 0);
    }
    if (can.reverse) store(GL_PACK_REVERSE_ROW_ORDER_ANGLE, layout.reverse ? 1 : 0);
    return work();
  });
}

/**
 * Calls `work`, which makes other surfaces current for a while or for good, and gives the default framebuffer the
 * buffers back that the application draws to and reads from: they belong to the context, but drivers keep them with
 * the surface.
 */
export function keepingDefaultBuffers<T>(gl: DriverGl, can: PixelAbilities, work: () => T): T {
  const before = withDefaultFramebuffer(gl, can, () => defaultBuffers(gl, can)), result = work();
  withDefaultFramebuffer(gl, can, () => {
    const after = defaultBuffers(gl, can);
    if (can.readBuffer && after.read !== before.read) gl.call(can.readBuffer, before.read >>> 0);
    const isDrawable = before.draw === GL_NONE || before.draw === GL_BACK;
    if (can.drawBuffers && isDrawable && after.draw !== before.draw) gl.drawBuffer(can.drawBuffers, before.draw);
  });
  return result;
}

/** Sets the state for uploads. */
export function setUnpack(gl: DriverGl, can: Pick<PixelAbilities, "unpack">, rowLength: number): void {
  gl.call("glPixelStorei", GL_UNPACK_ALIGNMENT, 1);
  if (!can.unpack) return;
  gl.call("glPixelStorei", GL_UNPACK_ROW_LENGTH, rowLength);
  gl.call("glPixelStorei", GL_UNPACK_SKIP_ROWS, 0);
  gl.call("glPixelStorei", GL_UNPACK_SKIP_PIXELS, 0);
}

function undoing<T>(work: (undo: Undo) => T): T {
  const undo: Undo = [];
  try {
    return work(undo);
  } finally {
    undo.reverse().forEach((each) => each());
  }
}

function withDefaultFramebuffer<T>(gl: DriverGl, can: PixelAbilities, work: () => T): T {
  return undoing((undo) => {
    bindForReading(gl, can, undo);
    if (can.splitFramebuffers) {
      rebind(gl, can.bindFramebuffer!, [GL_DRAW_FRAMEBUFFER, GL_DRAW_FRAMEBUFFER_BINDING], undo);
    }
    return work();
  });
}

function defaultBuffers(gl: DriverGl, can: PixelAbilities): { read: number; draw: number } {
  return {
    read: can.readBuffer ? gl.integer(GL_READ_BUFFER) : GL_BACK,
    draw: can.drawBuffers ? gl.integer(GL_DRAW_BUFFER0) : GL_BACK,
  };
}

function bindForReading(gl: DriverGl, { bindFramebuffer, splitFramebuffers }: PixelAbilities, undo: Undo): void {
  if (bindFramebuffer === undefined) return;
  const target: [number, number] = splitFramebuffers
    ? [GL_READ_FRAMEBUFFER, GL_READ_FRAMEBUFFER_BINDING]
    : [GL_FRAMEBUFFER, GL_FRAMEBUFFER_BINDING];
  rebind(gl, bindFramebuffer, target, undo);
}

function storePixel(gl: DriverGl, name: number, value: number, undo: Undo): void {
  const before = gl.integer(name);
  if (before === value) return;
  gl.call("glPixelStorei", name, value);
  undo.push(() => gl.call("glPixelStorei", name, before));
}

function rebind(gl: DriverGl, command: string, [target, binding]: [number, number], undo: Undo): void {
  const before = gl.integer(binding);
  if (before === 0) return;
  gl.call(command, target, 0);
  undo.push(() => gl.call(command, target, before >>> 0));
}
