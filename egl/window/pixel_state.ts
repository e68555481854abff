import type { ContextObject } from "../api/objects.ts";
import type { DriverGl } from "./driver_gl.ts";

const PACK_ROW_LENGTH = 0x0D02, PACK_SKIP_ROWS = 0x0D03, PACK_SKIP_PIXELS = 0x0D04, PACK_ALIGNMENT = 0x0D05;
const PACK_REVERSE_ROW_ORDER = 0x93A4;
const UNPACK_ROW_LENGTH = 0x0CF2, UNPACK_SKIP_ROWS = 0x0CF3, UNPACK_SKIP_PIXELS = 0x0CF4, UNPACK_ALIGNMENT = 0x0CF5;
const FRAMEBUFFER = 0x8D40, FRAMEBUFFER_BINDING = 0x8CA6, READ_FRAMEBUFFER = 0x8CA8, READ_BINDING = 0x8CAA;
const PACK_BUFFER = 0x88EB, PACK_BUFFER_BINDING = 0x88ED, READ_BUFFER = 0x0C02, BACK = 0x0405;

/** What a context lets the memory of pixels be like. */
export interface PixelAbilities {
  /** Major version. */
  readonly major: number;
  /** Whether rows can be further apart than they are long, in either direction. */
  readonly pack: boolean;
  /** The same for what is given. */
  readonly unpack: boolean;
  /** Whether rows can be read from the top. */
  readonly reverse: boolean;
  /** Whether there are framebuffer objects. */
  readonly framebuffers: boolean;
}

/** Sees what a context that was current can do. */
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

/** How pixels are to be read: from which row, and how far apart the rows are. */
export interface PackLayout {
  /** Pixels from one row to the next; 0 for one row behind the other. */
  readonly rowLength: number;
  /** Whether the first row is the top one. */
  readonly reverse: boolean;
}

/** Does something with the state of glReadPixels as it is wanted; afterwards it is the application's again. */
export function withPackState<T>(gl: DriverGl, can: PixelAbilities, layout: PackLayout, work: () => T): T {
  const undo: (() => void)[] = [];
  const store = (name: number, value: number) => storePixel(gl, name, value, undo);
  store(PACK_ALIGNMENT, 1);
  if (can.pack) {
    store(PACK_ROW_LENGTH, layout.rowLength);
    store(PACK_SKIP_ROWS, 0);
    store(PACK_SKIP_PIXELS, 0);
  }
  if (can.reverse) store(PACK_REVERSE_ROW_ORDER, layout.reverse ? 1 : 0);
  bindDefault(gl, can, undo);
  try {
    return work();
  } finally {
    undo.reverse().forEach((each) => each());
  }
}

/** The same for what is uploaded. */
export function setUnpack(gl: DriverGl, can: PixelAbilities, rowLength: number): void {
  gl.call("glPixelStorei", UNPACK_ALIGNMENT, 1);
  if (!can.unpack) return;
  gl.call("glPixelStorei", UNPACK_ROW_LENGTH, rowLength);
  gl.call("glPixelStorei", UNPACK_SKIP_ROWS, 0);
  gl.call("glPixelStorei", UNPACK_SKIP_PIXELS, 0);
}

function storePixel(gl: DriverGl, name: number, value: number, undo: (() => void)[]): void {
  const before = gl.integer(name);
  if (before === value) return;
  gl.call("glPixelStorei", name, value);
  undo.push(() => gl.call("glPixelStorei", name, before));
}

/** Reads come from the surface, not from framebuffer objects or into buffer objects. */
function bindDefault(gl: DriverGl, { major, framebuffers }: PixelAbilities, undo: (() => void)[]): void {
  if (major >= 3) {
    rebind(gl, "glBindBuffer", [PACK_BUFFER, PACK_BUFFER_BINDING], undo);
    rebind(gl, "glBindFramebuffer", [READ_FRAMEBUFFER, READ_BINDING], undo);
    const source = gl.integer(READ_BUFFER);
    if (source === BACK) return;
    gl.call("glReadBuffer", BACK);
    undo.push(() => gl.call("glReadBuffer", source >>> 0));
  } else if (framebuffers) {
    rebind(gl, major === 1 ? "glBindFramebufferOES" : "glBindFramebuffer", [FRAMEBUFFER, FRAMEBUFFER_BINDING], undo);
  }
}

function rebind(gl: DriverGl, command: string, [target, binding]: [number, number], undo: (() => void)[]): void {
  const before = gl.integer(binding);
  if (before === 0) return;
  gl.call(command, target, 0);
  undo.push(() => gl.call(command, target, before >>> 0));
}
