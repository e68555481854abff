import { assertEquals, assertMatch } from "@std/assert";
import * as g from "../../../egl/gl.ts";
import { needs } from "../../support/require.ts";
import { openContext, SIDE } from "../context.ts";
import { pixel, plainProgram, program } from "../draw.ts";
import { drivers, mesa } from "../drivers.ts";

const RED = [255, 0, 0, 255], GREEN = [0, 255, 0, 255], BLUE = [0, 0, 255, 255];
/** Covers the lower left half. */
const CORNER = new Float32Array([-1, -1, 1, -1, -1, 1]);

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  for (const version of [[2, 0], [3, 0], [3, 1]]) {
    const name = `OpenGL ES ${version.join(".")} on ${driver.name}`;

    Deno.test(`glClear() fills the surface with ${name}`, part, () => {
      using opened = openContext(driver, version);
      const { gl } = opened;
      assertMatch(gl.glGetString(g.GL_VERSION), /^OpenGL ES 3\./);
      gl.glClearColor(1, 0, 0, 1);
      gl.glClear(g.GL_COLOR_BUFFER_BIT);
      assertEquals(pixel(gl, 3, 7), RED);
      assertEquals(gl.glGetError(), g.GL_NO_ERROR);
    });

    Deno.test(`glDrawArrays() draws a triangle out of a buffer with ${name}`, part, () => {
      using opened = openContext(driver, version);
      const { gl } = opened, [buffer] = gl.glGenBuffers(1), used = plainProgram(gl);
      gl.glUseProgram(used);
      gl.glUniform4fv(gl.glGetUniformLocation(used, "color"), [0, 1, 0, 1]);
      gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffer);
      gl.glBufferData(g.GL_ARRAY_BUFFER, CORNER.byteLength, CORNER, g.GL_STATIC_DRAW);
      const at = gl.glGetAttribLocation(used, "at");
      gl.glEnableVertexAttribArray(at);
      gl.glVertexAttribPointer(at, 2, g.GL_FLOAT, false, 0, 0);
      gl.glClearColor(0, 0, 1, 1);
      gl.glClear(g.GL_COLOR_BUFFER_BIT);
      gl.glDrawArrays(g.GL_TRIANGLES, 0, 3);
      assertEquals([pixel(gl, 1, 1), pixel(gl, SIDE - 1, SIDE - 1)], [GREEN, BLUE]);
      assertEquals(gl.glGetError(), g.GL_NO_ERROR);
    });
  }

  Deno.test(`glDrawElements() draws client arrays and indices with OpenGL ES 2.0 on ${driver.name}`, part, () => {
    using opened = openContext(driver, [2, 0]);
    const { gl } = opened, used = plainProgram(gl), at = gl.glGetAttribLocation(used, "at");
    gl.glUseProgram(used);
    gl.glUniform4f(gl.glGetUniformLocation(used, "color"), 1, 0, 0, 1);
    gl.glEnableVertexAttribArray(at);
    const corners = CORNER.slice();
    gl.glVertexAttribPointer(at, 2, g.GL_FLOAT, false, 0, corners);
    corners.fill(7); // the copy counts
    gl.glClearColor(0, 0, 0, 0);
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    gl.glDrawElements(g.GL_TRIANGLES, 3, g.GL_UNSIGNED_SHORT, new Uint16Array([0, 1, 2]));
    assertEquals([pixel(gl, 1, 1), pixel(gl, SIDE - 1, SIDE - 1)], [RED, [0, 0, 0, 0]]);
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  });

  Deno.test(`glDispatchCompute() computes with OpenGL ES 3.1 on ${driver.name}`, part, () => {
    using opened = openContext(driver, [3, 1]);
    const { gl } = opened, [buffer] = gl.glGenBuffers(1), target = g.GL_SHADER_STORAGE_BUFFER;
    const source = `#version 310 es
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Values { uint values[]; };
void main() { values[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u; }`;
    gl.glUseProgram(program(gl, [g.GL_COMPUTE_SHADER, source]));
    gl.glBindBufferBase(target, 0, buffer);
    gl.glBufferData(target, 64, null, g.GL_DYNAMIC_READ);
    gl.glDispatchCompute(4, 1, 1);
    gl.glMemoryBarrier(g.GL_BUFFER_UPDATE_BARRIER_BIT);
    const view = gl.glMapBufferRange(target, 0, 64, g.GL_MAP_READ_BIT)!;
    assertEquals([...new Uint32Array(view.buffer)], Array.from({ length: 16 }, (_, index) => 3 * index));
    assertEquals(gl.glUnmapBuffer(target), true);
    assertEquals(view.length, 0);
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  });

  Deno.test(`glDrawArrays() draws with the matrices and arrays of OpenGL ES 1.1 on ${driver.name}`, part, () => {
    using opened = openContext(driver, [1, 1]);
    const { gl } = opened;
    assertMatch(gl.glGetString(g.GL_VERSION), /^OpenGL ES(-CM)? 1\.1/);
    gl.glMatrixMode(g.GL_MODELVIEW);
    gl.glLoadMatrixf([0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0, -0.5, -0.5, 0, 1]);
    gl.glEnableClientState(g.GL_VERTEX_ARRAY);
    gl.glEnableClientState(g.GL_COLOR_ARRAY);
    gl.glVertexPointer(2, g.GL_FLOAT, 0, CORNER);
    gl.glColorPointer(4, g.GL_UNSIGNED_BYTE, 0, new Uint8Array([...BLUE, ...BLUE, ...BLUE]));
    gl.glClearColor(1, 0, 0, 1);
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    gl.glDrawArrays(g.GL_TRIANGLES, 0, 3);
    assertEquals([pixel(gl, 1, 1), pixel(gl, SIDE / 2 + 1, 1)], [BLUE, RED]);
    assertEquals(gl.glGetFloatv(g.GL_MODELVIEW_MATRIX).slice(12), [-0.5, -0.5, 0, 1]);
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  });
}

Deno.test("glTexImage2D() uses large images without a copy", needs(mesa.part, mesa.found || undefined), () => {
  using opened = openContext(mesa, [3, 0]);
  const { gl } = opened, side = 256, data = new Uint8Array(4 * side * side).fill(200);
  const [texture] = gl.glGenTextures(1), [framebuffer] = gl.glGenFramebuffers(1);
  gl.glBindTexture(g.GL_TEXTURE_2D, texture);
  gl.glTexImage2D(g.GL_TEXTURE_2D, 0, g.GL_RGBA, side, side, 0, g.GL_RGBA, g.GL_UNSIGNED_BYTE, data);
  gl.glBindFramebuffer(g.GL_FRAMEBUFFER, framebuffer);
  gl.glFramebufferTexture2D(g.GL_FRAMEBUFFER, g.GL_COLOR_ATTACHMENT0, g.GL_TEXTURE_2D, texture, 0);
  const read = gl.glReadPixels(0, 0, side, side, g.GL_RGBA, g.GL_UNSIGNED_BYTE);
  assertEquals(read.length, data.length);
  assertEquals(read.every((each) => each === 200), true);
});
