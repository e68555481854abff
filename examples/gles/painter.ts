import type { Gl } from "@pumice/gfx/egl";
import * as g from "@pumice/gfx/gl";
import { computing } from "./computing.ts";
import { fixedFunction } from "./fixed_function.ts";
import { instancing } from "./instancing.ts";
import { plainShaders } from "./plain_shaders.ts";
import { GRAIN, type World } from "./world.ts";

/** Draws one world; what it makes goes with its context. */
export type Painter = () => void;

/** The versions of OpenGL ES that the world can be drawn with, each in its own way. */
export const PAINTERS = {
  "1.1": fixedFunction,
  "2.0": plainShaders,
  "3.0": instancing,
  "3.1": computing,
} as const;

/** A version of {@linkcode PAINTERS}. */
export type Version = keyof typeof PAINTERS;

/** Clears, sets what all versions have in common, and draws. */
export function paint(gl: Gl, version: Version, world: World, [width, height]: readonly [number, number]): void {
  gl.glViewport(0, 0, width, height);
  gl.glClearColor(0, 0, 0, 1);
  gl.glClear(g.GL_COLOR_BUFFER_BIT | g.GL_DEPTH_BUFFER_BIT);
  gl.glEnable(g.GL_DEPTH_TEST);
  gl.glEnable(g.GL_BLEND);
  gl.glBlendFunc(g.GL_SRC_ALPHA, g.GL_ONE_MINUS_SRC_ALPHA);
  gl.glDepthFunc(g.GL_LEQUAL);
  bindGrain(gl, world.grain);
  PAINTERS[version](gl, world)();
  const error = gl.glGetError();
  if (error !== g.GL_NO_ERROR) throw new Error(`OpenGL ES ${version} ended with error 0x${error.toString(16)}`);
}

function bindGrain(gl: Gl, texels: Uint8Array<ArrayBuffer>): void {
  gl.glBindTexture(g.GL_TEXTURE_2D, gl.glGenTextures(1)[0]);
  for (const name of [g.GL_TEXTURE_MIN_FILTER, g.GL_TEXTURE_MAG_FILTER]) {
    gl.glTexParameteri(g.GL_TEXTURE_2D, name, g.GL_LINEAR);
  }
  gl.glTexImage2D(g.GL_TEXTURE_2D, 0, g.GL_RGBA, GRAIN, GRAIN, 0, g.GL_RGBA, g.GL_UNSIGNED_BYTE, texels);
}
