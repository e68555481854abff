import { compileFixture } from "../../support/compile.ts";
import * as g from "../../../egl/gl.ts";
import { defineGlesLayer, type Gl, type GlesLayer } from "../../../egl/mod.ts";
import { SIDE } from "../context.ts";
import { plainProgram } from "../draw.ts";

/** The two native layers, or `undefined` without a compiler. */
export function nativeLayer(number: 1 | 2): string | undefined {
  return compileFixture("gles_layer", [`-DLAYER=${number}`], `glesLayer${number}`);
}

/** A TypeScript layer that counts draws and clears and lets them go on. */
export function counting(name: string): GlesLayer & { calls: string[] } {
  const calls: string[] = [];
  const layer = defineGlesLayer({
    name,
    commands: {
      glClear(next, mask) {
        calls.push("glClear");
        next(mask);
      },
      glDrawArrays(next, mode, first, count) {
        calls.push("glDrawArrays");
        next(mode, first, count);
      },
      eglMakeCurrent(next, ...args) {
        calls.push("eglMakeCurrent");
        return next(...args);
      },
    },
  });
  return { ...layer, calls };
}

/** Draws a green triangle on blue and returns all bytes. */
export function scene(gl: Gl): Uint8Array {
  const used = plainProgram(gl), at = gl.glGetAttribLocation(used, "at"), [buffer] = gl.glGenBuffers(1);
  gl.glUseProgram(used);
  gl.glUniform4f(gl.glGetUniformLocation(used, "color"), 0, 1, 0, 1);
  gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffer);
  const corners = new Float32Array([-1, -1, 1, -1, -1, 1]);
  gl.glBufferData(g.GL_ARRAY_BUFFER, corners.byteLength, corners, g.GL_STATIC_DRAW);
  gl.glEnableVertexAttribArray(at);
  gl.glVertexAttribPointer(at, 2, g.GL_FLOAT, false, 0, 0);
  gl.glClearColor(0, 0, 1, 1);
  gl.glClear(g.GL_COLOR_BUFFER_BIT);
  gl.glDrawArrays(g.GL_TRIANGLES, 0, 3);
  return gl.glReadPixels(0, 0, SIDE, SIDE, g.GL_RGBA, g.GL_UNSIGNED_BYTE) as Uint8Array;
}

/** Has native layers write to a file for the length of a call, and returns its lines. */
export function logged(use: () => void): string[] {
  const path = Deno.makeTempFileSync();
  Deno.env.set("PUMICE_GLES_LOG", path);
  try {
    use();
    return Deno.readTextFileSync(path).split("\n").filter((line) => line !== "");
  } finally {
    Deno.env.delete("PUMICE_GLES_LOG");
    Deno.removeSync(path);
  }
}
