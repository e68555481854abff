import type { Gl } from "@pumice/gfx/egl";
import * as g from "@pumice/gfx/gl";
import { multiply } from "../scene/vectors.ts";
import { IDENTITY } from "./matrix.ts";
import { VERTEX } from "./mesh.ts";
import { setAttributes } from "./plain_shaders.ts";
import { LIGHT, linked } from "./program.ts";
import type { Part, World } from "./world.ts";

const VERTEX_SHADER = `#version 300 es
in vec3 position, normal;
in vec4 color;
in vec2 texel;
in mat4 place;
layout(std140) uniform Drawing { mat4 camera; ivec4 flags; };
out vec4 shade;
out vec2 at;
${LIGHT}
void main() {
  gl_Position = camera * (place * vec4(position, 1.0));
  shade = flags.x != 0 ? shone((place * vec4(normal, 0.0)).xyz, color) : color;
  at = texel;
}`;
/** Also that of OpenGL ES 3.1. */
export const FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision highp int;
uniform sampler2D grain;
layout(std140) uniform Drawing { mat4 camera; ivec4 flags; };
in vec4 shade;
in vec2 at;
out vec4 color;
void main() {
  color = flags.y != 0 ? shade * texture(grain, at) : shade;
}`;

/** OpenGL ES 3.0: vertex arrays, uniform buffers, and one call for all places. */
export function instancing(gl: Gl, world: World): () => void {
  const program = linked(gl, [[g.GL_VERTEX_SHADER, VERTEX_SHADER], [g.GL_FRAGMENT_SHADER, FRAGMENT_SHADER]]);
  gl.glUniformBlockBinding(program, gl.glGetUniformBlockIndex(program, "Drawing"), 0);
  const drawn = world.parts.map((part) => ({
    part,
    array: vertexArray(gl, program, part),
    uniforms: drawingBuffer(gl, world, part),
  }));
  return () => {
    gl.glUseProgram(program);
    for (const { part: { vertices, places }, array, uniforms } of drawn) {
      gl.glBindVertexArray(array);
      gl.glBindBufferBase(g.GL_UNIFORM_BUFFER, 0, uniforms);
      gl.glDrawArraysInstanced(g.GL_TRIANGLES, 0, vertices.length / VERTEX, places.length);
    }
  };
}

/** The uniforms of a part, as both shaders have them. */
export function drawingBuffer(gl: Gl, { view, projection }: World, { inWorld, lit, grainy }: Part): number {
  const memory = new ArrayBuffer(80), [buffer] = gl.glGenBuffers(1);
  new Float32Array(memory, 0, 16).set(inWorld ? multiply(projection, view) : IDENTITY);
  new Int32Array(memory, 64).set([Number(lit), Number(grainy)]);
  gl.glBindBuffer(g.GL_UNIFORM_BUFFER, buffer);
  gl.glBufferData(g.GL_UNIFORM_BUFFER, memory.byteLength, new Uint8Array(memory), g.GL_STATIC_DRAW);
  return buffer;
}

function vertexArray(gl: Gl, program: number, { vertices, places }: Part): number {
  const [array] = gl.glGenVertexArrays(1), [corners, matrices] = gl.glGenBuffers(2);
  gl.glBindVertexArray(array);
  fill(gl, corners, vertices);
  setAttributes(gl, program);
  fill(gl, matrices, Float32Array.from(places.flat()));
  const first = gl.glGetAttribLocation(program, "place");
  for (let column = 0; column < 4; column++) {
    gl.glEnableVertexAttribArray(first + column);
    gl.glVertexAttribPointer(first + column, 4, g.GL_FLOAT, false, 64, 16 * column);
    gl.glVertexAttribDivisor(first + column, 1);
  }
  return array;
}

function fill(gl: Gl, buffer: number, data: Float32Array<ArrayBuffer>): void {
  gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffer);
  gl.glBufferData(g.GL_ARRAY_BUFFER, data.byteLength, data, g.GL_STATIC_DRAW);
}
