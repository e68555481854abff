import { assertEquals } from "@std/assert";
import fc from "fast-check";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { count } from "../../support/counts.ts";
import { needs } from "../../support/require.ts";
import { chooseConfig, createContext, openContext, type Opened } from "../context.ts";
import { pixel } from "../draw.ts";
import { drivers } from "../drivers.ts";

/** The number of sequences; PUMICE_RANDOM_CALLS asks for more, such as 10000. */
const RUNS = Number(Deno.env.get("PUMICE_RANDOM_CALLS") ?? count(20, 60));

/** The handles to call commands with: good ones, old ones, and none. */
interface World extends Opened {
  contexts: bigint[];
  surfaces: bigint[];
  names: number[];
}

type Move = (world: World, pick: number, value: number) => unknown;

const some = <T>(list: readonly T[], pick: number, other: T) =>
  list.length === 0 || pick % 7 === 6 ? other : list[pick % list.length];
const ENUMS = [
  g.GL_ARRAY_BUFFER,
  g.GL_TEXTURE_2D,
  g.GL_RGBA,
  g.GL_UNSIGNED_BYTE,
  g.GL_TRIANGLES,
  g.GL_BLEND,
  0,
  0x7777,
];

/** The moves of a sequence. */
const MOVES: readonly Move[] = [
  ({ egl, display, config, contexts }, pick) =>
    contexts.push(createContext(egl, display, config, [2 + pick % 2, pick % 3])),
  ({ egl, display, contexts }, pick) => egl.eglDestroyContext(display, some(contexts, pick, 5n)),
  ({ egl, display, config, surfaces }, pick, value) =>
    surfaces.push(
      egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: pick % 40, [e.EGL_HEIGHT]: value % 40 }),
    ),
  ({ egl, display, surfaces }, pick) => egl.eglDestroySurface(display, some(surfaces, pick, 5n)),
  ({ egl, display, surfaces, contexts }, pick, value) => {
    const surface = some(surfaces, pick, 0n);
    egl.eglMakeCurrent(display, surface, surface, some(contexts, value, 0n));
  },
  ({ egl, display }) => egl.eglMakeCurrent(display, 0n, 0n, 0n),
  ({ egl }) => egl.eglReleaseThread(),
  ({ egl, display }) => egl.eglTerminate(display),
  ({ egl, display }) => egl.eglInitialize(display),
  ({ egl, display, surfaces }, pick) => egl.eglSwapBuffers(display, some(surfaces, pick, 5n)),
  ({ egl, display, surfaces }, pick, value) =>
    egl.eglQuerySurface(display, some(surfaces, pick, 0n), 0x3050 + value % 80),
  ({ egl, display }, pick) => egl.eglQueryString(display, 0x3050 + pick % 10),
  ({ egl, display }) => egl.eglDestroySync(display, egl.eglCreateSync(display, e.EGL_SYNC_FENCE)),
  ({ egl, display }) => egl.eglGetConfigs(display),
  ({ gl }, pick, value) => gl.glClearColor(pick, value, 0, 1),
  ({ gl }, pick) => gl.glClear(pick),
  ({ gl, names }, pick) => names.push(...gl.glGenBuffers(pick % 4)),
  ({ gl, names }, pick) => gl.glDeleteBuffers(names.slice(pick % 5)),
  ({ gl, names }, pick, value) => gl.glBindBuffer(some(ENUMS, value, 0), some(names, pick, 99)),
  ({ gl }, pick, value) => gl.glBufferData(some(ENUMS, pick, 0), value % 4096, null, g.GL_STATIC_DRAW),
  ({ gl }, pick, value) => gl.glBufferSubData(g.GL_ARRAY_BUFFER, value % 512, pick % 64, new Uint8Array(64)),
  ({ gl }, pick) => gl.glEnable(some(ENUMS, pick, 0)),
  ({ gl }, pick) => gl.glGetIntegerv(0x0B00 + pick % 0x2000),
  ({ gl }, pick, value) => gl.glViewport(0, 0, pick % 64, value % 64),
  ({ gl }, pick) => gl.glReadPixels(0, 0, pick % 20, 4, g.GL_RGBA, g.GL_UNSIGNED_BYTE),
  ({ gl }, pick, value) =>
    gl.glTexImage2D(
      g.GL_TEXTURE_2D,
      pick % 3,
      g.GL_RGBA,
      value % 16,
      8,
      0,
      g.GL_RGBA,
      g.GL_UNSIGNED_BYTE,
      new Uint8Array(512),
    ),
  ({ gl }, pick) => gl.glShaderSource(gl.glCreateShader(some(ENUMS, pick, g.GL_VERTEX_SHADER)), "void main() {}"),
  ({ gl }, pick) => gl.glCompileShader(pick % 9),
  ({ gl }, pick) => gl.glGetShaderInfoLog(pick % 9),
  ({ gl }, pick) => gl.glUseProgram(pick % 5),
  ({ gl }, pick) => gl.glUniform4fv(pick % 5, [1, 2, 3, 4]),
  ({ gl }, pick) => gl.glGetString(0x1F00 + pick % 4),
  ({ gl }) => gl.glGetError(),
  ({ gl }) => gl.glFinish(),
];

/** Does a move; what EGL refuses and what arguments forbid is part of the game. */
function play(world: World, [move, pick, value]: readonly [number, number, number]): void {
  try {
    MOVES[move](world, pick, value);
  } catch (error) {
    if (!(error instanceof e.EglError || error instanceof RangeError)) throw error;
  }
}

for (const driver of drivers) {
  Deno.test(
    `random calls never crash, and the loader works after them, on ${driver.name}`,
    needs(driver.part, driver.found || undefined),
    () => {
      const number = fc.integer({ min: 0, max: 5000 });
      const moves = fc.array(fc.tuple(fc.integer({ min: 0, max: MOVES.length - 1 }), number, number), {
        minLength: 5,
        maxLength: 60,
      });
      fc.assert(
        fc.property(moves, (sequence) => {
          using opened = openContext(driver, [2, 0]);
          const world: World = { ...opened, contexts: [opened.context], surfaces: [opened.surface], names: [] };
          for (const each of sequence) play(world, each);
          const { egl, gl, display } = opened;
          egl.eglInitialize(display);
          const config = chooseConfig(egl, display), side = { [e.EGL_WIDTH]: 4, [e.EGL_HEIGHT]: 4 };
          const surface = egl.eglCreatePbufferSurface(display, config, side);
          egl.eglMakeCurrent(display, surface, surface, createContext(egl, display, config, [2, 0]));
          gl.glClearColor(1, 0, 0, 1);
          gl.glClear(g.GL_COLOR_BUFFER_BIT);
          assertEquals(pixel(gl, 1, 1), [255, 0, 0, 255]);
        }),
        { numRuns: RUNS },
      );
    },
  );
}
