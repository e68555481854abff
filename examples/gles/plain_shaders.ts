import type { Gl } from "@pumice/gfx/egl";
import * as g from "@pumice/gfx/gl";
import { multiply } from "../scene/vectors.ts";
import { IDENTITY } from "./matrix.ts";
import { COLOR, NORMAL, TEXEL, VERTEX } from "./mesh.ts";
import { LIGHT, linked } from "./program.ts";
import type { World } from "./world.ts";

const VERTEX_SHADER = `
attribute vec3 position, normal;
attribute vec4 color;
attribute vec2 texel;
uniform mat4 camera, place;
uniform bool lit;
varying vec4 shade;
varying vec2 at;
${LIGHT}
void main() {
  gl_Position = camera * (place * vec4(position, 1.0));
  shade = lit ? shone((place * vec4(normal, 0.0)).xyz, color) : color;
  at = texel;
}`;
const FRAGMENT_SHADER = `
precision highp float;
uniform sampler2D grain;
uniform bool grainy;
varying vec4 shade;
varying vec2 at;
void main() {
  gl_FragColor = grainy ? shade * texture2D(grain, at) : shade;
}`;

/** OpenGL ES 2.0: shaders; a call for each place, with uniforms of its own. */
export function plainShaders(gl: Gl, { parts, view, projection }: World): () => void {
  const program = linked(gl, [[g.GL_VERTEX_SHADER, VERTEX_SHADER], [g.GL_FRAGMENT_SHADER, FRAGMENT_SHADER]]);
  const uniform = (name: string) => gl.glGetUniformLocation(program, name);
  const [camera, place, lit, grainy] = ["camera", "place", "lit", "grainy"].map(uniform);
  gl.glUseProgram(program);
  const buffers = gl.glGenBuffers(parts.length);
  return () =>
    parts.forEach((part, index) => {
      const { vertices } = part;
      gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffers[index]);
      gl.glBufferData(g.GL_ARRAY_BUFFER, vertices.byteLength, vertices, g.GL_STATIC_DRAW);
      setAttributes(gl, program);
      gl.glUniform1i(lit, Number(part.lit));
      gl.glUniform1i(grainy, Number(part.grainy));
      gl.glUniformMatrix4fv(camera, false, part.inWorld ? multiply(projection, view) : IDENTITY);
      for (const each of part.places) {
        gl.glUniformMatrix4fv(place, false, each);
        gl.glDrawArrays(g.GL_TRIANGLES, 0, vertices.length / VERTEX);
      }
    });
}

/** Leads the attributes of a program into the buffer that is bound. */
export function setAttributes(gl: Gl, program: number): void {
  for (
    const [name, size, offset] of [["position", 3, 0], ["normal", 3, NORMAL], ["color", 4, COLOR], [
      "texel",
      2,
      TEXEL,
    ]] as const
  ) {
    const location = gl.glGetAttribLocation(program, name);
    gl.glEnableVertexAttribArray(location);
    gl.glVertexAttribPointer(location, size, g.GL_FLOAT, false, 4 * VERTEX, 4 * offset);
  }
}
