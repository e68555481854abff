import type { Gl } from "@pumice/gfx/egl";
import * as g from "@pumice/gfx/gl";
import { SKYLIGHT, SUN, SUNLIGHT } from "./world.ts";

/** Compiles and links shaders; throws with the driver's words when it cannot. */
export function linked(gl: Gl, shaders: readonly (readonly [type: number, source: string])[]): number {
  const program = gl.glCreateProgram();
  for (const [type, source] of shaders) {
    const shader = gl.glCreateShader(type);
    gl.glShaderSource(shader, source);
    gl.glCompileShader(shader);
    if (!gl.glGetShaderiv(shader, g.GL_COMPILE_STATUS)) throw new Error(gl.glGetShaderInfoLog(shader));
    gl.glAttachShader(program, shader);
    gl.glDeleteShader(shader);
  }
  gl.glLinkProgram(program);
  if (!gl.glGetProgramiv(program, g.GL_LINK_STATUS)) throw new Error(gl.glGetProgramInfoLog(program));
  return program;
}

/** The light as a function of all shaders: what OpenGL ES 1.1 does with its own. */
export const LIGHT = `
vec4 shone(vec3 normal, vec4 color) {
  vec3 light = ${vec3(SKYLIGHT)} + ${vec3(SUNLIGHT)} * max(dot(normalize(normal), ${vec3(SUN)}), 0.0);
  return vec4(min(color.rgb * light, 1.0), color.a);
}`;

function vec3(values: readonly number[]): string {
  return `vec3(${values.map((each) => each.toFixed(9)).join(", ")})`;
}
