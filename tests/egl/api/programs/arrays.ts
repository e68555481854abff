/**
 * Hands commands arrays and numbers that are not what the commands read.
 *
 * deno run … tests/egl/api/programs/arrays.ts DRIVER
 */
import * as g from "../../../../egl/gl.ts";
import { carryOutRows, type Trial } from "../../../support/rows.ts";
import { openContext } from "../../context.ts";
import { drivers } from "../../drivers.ts";

const driver = drivers.find(({ name }) => name === Deno.args[0])!;
const opened = openContext(driver, [3, 0]), { gl } = opened;
const trials: Record<string, Trial> = {
  "a short colour": () => gl.glLightfv(g.GL_LIGHT0, g.GL_DIFFUSE, [1]),
  "a short colour of two names": () => gl.glMaterialfv(g.GL_FRONT_AND_BACK, g.GL_AMBIENT_AND_DIFFUSE, [1, 1, 1]),
  "a short clear value": () => gl.glClearBufferfv(g.GL_COLOR, 0, [1, 1]),
  "no parameter": () => gl.glTexParameteriv(g.GL_TEXTURE_2D, g.GL_TEXTURE_WRAP_S, []),
  "a hole": () => gl.glUniform2fv(0, [1, undefined as never]),
  "a hole among buffers": () => gl.glDeleteBuffers(new Array(1)),
  "too many names": () => gl.glGenBuffers(0x7fffffff),
  "above 32 bits": () => gl.glClear(2 ** 32),
  "no number": () => gl.glClear(NaN),
  "a fraction": () => gl.glViewport(0.5, 0, 1, 1),
  "above 64 bits": () => gl.glBufferData(g.GL_ARRAY_BUFFER, 2n ** 64n, null, g.GL_STATIC_DRAW),
  "what fits": () => {
    gl.glClearBufferfv(g.GL_COLOR, 0, [1, 1, 1, 1]);
    gl.glTexParameteriv(g.GL_TEXTURE_2D, g.GL_TEXTURE_WRAP_S, [g.GL_REPEAT]);
    gl.glStencilMask(~0);
    gl.glDeleteBuffers(gl.glGenBuffers(3));
    return gl.glGetError() === 0 ? "no error" : "an error";
  },
};
await carryOutRows(trials);
opened[Symbol.dispose]();
