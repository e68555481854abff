import type { Gl } from "@pumice/gfx/egl";
import * as g from "@pumice/gfx/gl";
import { VERTEX } from "./mesh.ts";
import { drawingBuffer, FRAGMENT_SHADER } from "./instancing.ts";
import { LIGHT, linked } from "./program.ts";
import type { Part, World } from "./world.ts";

const GROUP = 64;
/** Bytes of a vertex that is ready: position, color and texture coordinates, four floats each. */
const READY = 48;
const COMPUTE_SHADER = `#version 310 es
layout(local_size_x = ${GROUP}) in;
struct Ready { vec4 position, color, texel; };
layout(std430, binding = 0) readonly buffer Vertices { float vertices[]; };
layout(std430, binding = 1) readonly buffer Places { mat4 places[]; };
layout(std430, binding = 2) writeonly buffer Readies { Ready readies[]; };
layout(std140, binding = 0) uniform Drawing { highp mat4 camera; highp ivec4 flags; };
uniform uvec2 counts;
${LIGHT}
void main() {
  uint index = gl_GlobalInvocationID.x, at = index % counts.x * ${VERTEX}u;
  if (index >= counts.x * counts.y) return;
  mat4 place = places[index / counts.x];
  vec3 normal = vec3(vertices[at + 3u], vertices[at + 4u], vertices[at + 5u]);
  vec4 color = vec4(vertices[at + 6u], vertices[at + 7u], vertices[at + 8u], vertices[at + 9u]);
  readies[index].position = camera * (place * vec4(vertices[at], vertices[at + 1u], vertices[at + 2u], 1.0));
  readies[index].color = flags.x != 0 ? shone((place * vec4(normal, 0.0)).xyz, color) : color;
  readies[index].texel = vec4(vertices[at + 10u], vertices[at + 11u], 0.0, 0.0);
}`;
const VERTEX_SHADER = `#version 300 es
in vec4 position, color, texel;
out vec4 shade;
out vec2 at;
void main() {
  gl_Position = position;
  shade = color;
  at = texel.xy;
}`;

/** OpenGL ES 3.1: a compute shader places and lights all vertices, which are drawn as they are then. */
export function computing(gl: Gl, world: World): () => void {
  const lighting = linked(gl, [[g.GL_COMPUTE_SHADER, COMPUTE_SHADER]]);
  const program = linked(gl, [[g.GL_VERTEX_SHADER, VERTEX_SHADER], [g.GL_FRAGMENT_SHADER, FRAGMENT_SHADER]]);
  gl.glUniformBlockBinding(program, gl.glGetUniformBlockIndex(program, "Drawing"), 0);
  const counts = gl.glGetUniformLocation(lighting, "counts");
  const drawn = world.parts.map((part) => ({ ...prepared(gl, part), uniforms: drawingBuffer(gl, world, part) }));
  return () => {
    gl.glUseProgram(lighting);
    for (const { buffers, corners, places, uniforms } of drawn) {
      gl.glUniform2ui(counts, corners, places);
      gl.glBindBufferBase(g.GL_UNIFORM_BUFFER, 0, uniforms);
      buffers.forEach((buffer, index) => gl.glBindBufferBase(g.GL_SHADER_STORAGE_BUFFER, index, buffer));
      gl.glDispatchCompute(Math.ceil(corners * places / GROUP), 1, 1);
    }
    gl.glMemoryBarrier(g.GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
    gl.glUseProgram(program);
    for (const { buffers, corners, places, uniforms } of drawn) {
      gl.glBindBufferBase(g.GL_UNIFORM_BUFFER, 0, uniforms);
      gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffers[2]);
      setAttributes(gl, program);
      gl.glDrawArrays(g.GL_TRIANGLES, 0, corners * places);
    }
  };
}

function prepared(gl: Gl, { vertices, places }: Part) {
  const buffers = gl.glGenBuffers(3), corners = vertices.length / VERTEX, ready = READY * corners * places.length;
  const matrices = Float32Array.from(places.flat()), storage = g.GL_SHADER_STORAGE_BUFFER;
  for (
    const [index, size, data] of [[0, vertices.byteLength, vertices], [1, matrices.byteLength, matrices], [
      2,
      ready,
      null,
    ]] as const
  ) {
    gl.glBindBuffer(storage, buffers[index]);
    gl.glBufferData(storage, size, data, g.GL_STATIC_DRAW);
  }
  return { buffers, corners, places: places.length };
}

function setAttributes(gl: Gl, program: number): void {
  for (const [index, name] of ["position", "color", "texel"].entries()) {
    const location = gl.glGetAttribLocation(program, name);
    gl.glEnableVertexAttribArray(location);
    gl.glVertexAttribPointer(location, 4, g.GL_FLOAT, false, READY, 16 * index);
  }
}
