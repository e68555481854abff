import {
  GL_COMPILE_STATUS,
  GL_FRAGMENT_SHADER,
  GL_LINK_STATUS,
  GL_RGBA,
  GL_UNSIGNED_BYTE,
  GL_VERTEX_SHADER,
} from "../../egl/gl.ts";
import type { Gl } from "../../egl/mod.ts";

/** Compiles and links; throws with the driver's words when it cannot. */
export function program(gl: Gl, ...shaders: readonly (readonly [type: number, source: string])[]): number {
  const linked = gl.glCreateProgram();
  for (const [type, source] of shaders) {
    const shader = gl.glCreateShader(type);
    gl.glShaderSource(shader, source);
    gl.glCompileShader(shader);
    if (!gl.glGetShaderiv(shader, GL_COMPILE_STATUS)) throw new Error(gl.glGetShaderInfoLog(shader));
    gl.glAttachShader(linked, shader);
    gl.glDeleteShader(shader);
  }
  gl.glLinkProgram(linked);
  if (!gl.glGetProgramiv(linked, GL_LINK_STATUS)) throw new Error(gl.glGetProgramInfoLog(linked));
  return linked;
}

/** A program with a position, a color uniform and nothing else. */
export function plainProgram(gl: Gl): number {
  return program(gl, [GL_VERTEX_SHADER, "attribute vec4 at; void main() { gl_Position = at; }"], [
    GL_FRAGMENT_SHADER,
    "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }",
  ]);
}

/** The color of one pixel. */
export function pixel(gl: Gl, x: number, y: number): number[] {
  return [...gl.glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE)];
}
