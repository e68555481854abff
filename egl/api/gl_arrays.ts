import * as g from "../gen/gl_constants_gen.ts";
import { bytesOf, type Data, placeData } from "../command/input.ts";
import { type Method, plainValue } from "../command/method.ts";
import { planOf } from "../command/plan.ts";
import type { Command } from "../command/spec.ts";
import type { Gl } from "./gl_scope.ts";
import type { State } from "./state.ts";

/** By which name OpenGL ES 1 tells the address that each command has set. */
const POINTERS: Readonly<Record<string, number>> = {
  glVertexPointer: g.GL_VERTEX_ARRAY_POINTER,
  glNormalPointer: g.GL_NORMAL_ARRAY_POINTER,
  glColorPointer: g.GL_COLOR_ARRAY_POINTER,
  glTexCoordPointer: g.GL_TEXTURE_COORD_ARRAY_POINTER,
  glPointSizePointerOES: g.GL_POINT_SIZE_ARRAY_POINTER_OES,
  glMatrixIndexPointerOES: g.GL_MATRIX_INDEX_ARRAY_POINTER_OES,
  glWeightPointerOES: g.GL_WEIGHT_ARRAY_POINTER_OES,
};

/**
 * The typed form of a command that names a client array. The driver reads it
 * at each draw from now on, so a typed array is copied to native memory that
 * the context keeps until another one takes its place: later changes need the
 * command again. Who wants to change it in place gives the address of a
 * `NativeBlock`.
 */
export function arrayMethod(state: State, gl: Gl, command: Command): Method | undefined {
  const steps = planOf(command), last = steps.at(-1);
  if (!/Pointer(?:OES|EXT)?$/.test(command.name) || last?.role !== "data") return undefined;
  const name = command.name as "glVertexPointer", pointer = POINTERS[name];
  return (...args) => {
    const values = steps.slice(0, -1).map((step, index) => plainValue(step, args[index]));
    const data = args[values.length] as Data, arrays = state.current?.context.arrays;
    const tell = (address: bigint) => void (gl.raw[name] as Method)(...values, address);
    if (!arrays) return tell(0n);
    const told = () =>
      pointer === undefined
        ? gl.glGetVertexAttribPointerv(args[0] as number, g.GL_VERTEX_ATTRIB_ARRAY_POINTER)
        : gl.glGetPointerv(pointer);
    if (typeof data === "object" && data !== null) arrays.set(bytesOf(data), tell, told);
    else arrays.leave(() => tell(placeData(data, last.name)), told);
  };
}
