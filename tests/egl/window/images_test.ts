import { assertEquals, assertThrows } from "@std/assert";
import { EGL_IMAGE_PRESERVED, EGL_NATIVE_BUFFER_ANDROID, EGL_NO_CONTEXT, EglError } from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { leavesNothing } from "../../wsi/leaves_nothing.ts";
import { needs } from "../../support/require.ts";
import { program } from "../draw.ts";
import { drivers } from "../drivers.ts";
import { type Opened, openWindow, openWindows, pixelAt, showIn, takeFrame } from "./opened.ts";

const CPU = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
const QUAD = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);
const VERTEX = "attribute vec2 at; varying vec2 uv; void main() { gl_Position = vec4(at, 0, 1); uv = at * 0.5 + 0.5; }";
const EXTERNAL = `#extension GL_OES_EGL_image_external : require
precision highp float; varying vec2 uv; uniform samplerExternalOES image;
void main() { gl_FragColor = texture2D(image, uv); }`;
const PLAIN = `precision highp float; varying vec2 uv; uniform sampler2D image;
void main() { gl_FragColor = texture2D(image, uv); }`;

/** Draws an image over all of a surface of its size, and takes the pixels: row by row from the texture's first. */
function sampled(opened: Opened, image: bigint, [width, height]: readonly number[], target: number): number[][] {
  using native = openWindow({ width, height });
  const { egl, gl, display } = opened, surface = showIn(opened, native);
  const used = program(gl, [g.GL_VERTEX_SHADER, VERTEX], [
    g.GL_FRAGMENT_SHADER,
    target === g.GL_TEXTURE_2D ? PLAIN : EXTERNAL,
  ]);
  const [texture] = gl.glGenTextures(1);
  gl.glBindTexture(target, texture);
  gl.glTexParameteri(target, g.GL_TEXTURE_MIN_FILTER, g.GL_NEAREST);
  gl.glTexParameteri(target, g.GL_TEXTURE_MAG_FILTER, g.GL_NEAREST);
  gl.glEGLImageTargetTexture2DOES(target, image);
  assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  gl.glViewport(0, 0, width, height);
  gl.glUseProgram(used);
  gl.glEnableVertexAttribArray(0);
  gl.glVertexAttribPointer(0, 2, g.GL_FLOAT, false, 0, QUAD);
  gl.glDrawArrays(g.GL_TRIANGLE_STRIP, 0, 4);
  assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  egl.eglSwapBuffers(display, surface);
  const pixels = takeFrame(native, (frame, bytes) =>
    Array.from(
      { length: width * height },
      (_, at) => pixelAt(frame, bytes, at % width, height - 1 - Math.floor(at / width)),
    ));
  gl.glDeleteTextures([texture]);
  egl.eglMakeCurrent(display, 0n, 0n, 0n);
  egl.eglDestroySurface(display, surface);
  return pixels;
}

function imageOf({ egl, display }: Opened, buffer: GraphicBuffer, more: Record<number, number> = {}): bigint {
  const client = egl.eglGetNativeClientBufferANDROID(buffer.handle);
  return egl.eglCreateImageKHR(display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID, client, {
    [EGL_IMAGE_PRESERVED]: 1,
    ...more,
  });
}

/** Writes a value to each byte of each row. */
function fill(buffer: GraphicBuffer, value: (x: number, y: number) => number): void {
  const bytes = buffer.lock();
  const rowBytes = buffer.width * buffer.pixelFormat.bytesPerPixel;
  for (let y = 0; y < buffer.height; y++) {
    for (let x = 0; x < rowBytes; x++) bytes[y * buffer.rowPitch + x] = value(x, y);
  }
  buffer.unlock();
}

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  for (const [name, target] of [["GL_TEXTURE_2D", g.GL_TEXTURE_2D], ["an external texture", 0x8D65]] as const) {
    Deno.test(`glEGLImageTargetTexture2DOES() shows a buffer as ${name} on ${driver.name}`, part, () => {
      using opened = openWindows(driver);
      using buffer = allocateBuffer({ width: 5, height: 3, format: 1, usage: CPU });
      fill(buffer, (x, y) => x * 10 + y);
      const image = imageOf(opened, buffer);
      const wanted = (more: number) =>
        Array.from(
          { length: 15 },
          (_, at) => [0, 1, 2, 3].map((c) => ((at % 5) * 4 + c) * 10 + Math.floor(at / 5) + more),
        );
      assertEquals(sampled(opened, image, [5, 3], target), wanted(0));
      fill(buffer, (x, y) => x * 10 + y + 7); // seen when it is bound again
      assertEquals(sampled(opened, image, [5, 3], target), wanted(7));
      opened.egl.eglDestroyImageKHR(opened.display, image);
    });
  }

  for (
    const [format, bytes, wanted] of [
      [2, [10, 20, 30, 40], [10, 20, 30, 255]],
      [3, [10, 20, 30], [10, 20, 30, 255]],
      [4, [0xa0, 0x52], [82, 85, 0, 255]], // red 10 of 31, green 21 of 63
      [5, [10, 20, 30, 40], [30, 20, 10, 40]],
      [0x16, [0, 0x34, 0, 0x3c, 0, 0, 0, 0x3c], [64, 255, 0, 255]],
      [0x2b, [0xff, 0x03, 0, 0xc0], [255, 0, 0, 255]],
      [0x38, [77], [77, 0, 0, 255]],
    ] as const
  ) {
    Deno.test(`eglCreateImageKHR() takes buffers of format 0x${format.toString(16)} on ${driver.name}`, part, () => {
      using opened = openWindows(driver);
      using buffer = allocateBuffer({ width: 5, height: 2, format, usage: CPU });
      fill(buffer, (x) => bytes[x % bytes.length]);
      const pixels = sampled(opened, imageOf(opened, buffer), [5, 2], 0x8D65);
      assertEquals(pixels, Array(10).fill(wanted));
    });
  }

  // Red, as BT.601 has it in its narrow range: Y 81, Cb 90, Cr 240.
  for (const [name, format] of [["YV12", 0x32315659], ["I420", 0x23], ["NV21", 0x11], ["NV16", 0x10]] as const) {
    Deno.test(`an external texture shows ${name} as RGB on ${driver.name}`, part, () => {
      using opened = openWindows(driver);
      using buffer = allocateBuffer({ width: 6, height: 4, format, usage: CPU });
      const { yBytes, cbBytes, crBytes, ystride, cstride, chromaStep } = buffer.lockYCbCr();
      const rows = format === 0x10 ? 4 : 2;
      for (let y = 0; y < 4; y++) for (let x = 0; x < 6; x++) yBytes[y * ystride + x] = x < 4 ? 81 : 235;
      for (let y = 0; y < rows; y++) {
        for (let x = 0; x < 3; x++) {
          cbBytes[y * cstride + x * chromaStep] = x < 2 ? 90 : 128;
          crBytes[y * cstride + x * chromaStep] = x < 2 ? 240 : 128;
        }
      }
      buffer.unlock();
      const row = [...Array(4).fill([254, 0, 0, 255]), ...Array(2).fill([255, 255, 255, 255])];
      const pixels = sampled(opened, imageOf(opened, buffer), [6, 4], 0x8D65);
      assertEquals(pixels, [...row, ...row, ...row, ...row]);
    });
  }

  for (
    const [name, hints, red] of [
      ["BT.709", { 0x327B: 0x3280 }, [255, 24, 0, 255]], // green: 0.2968 - 0.4681 * 0.5 + 0.1873 * 0.1696
      ["BT.2020", { 0x327B: 0x3281 }, [255, 10, 0, 255]], // green: 0.2968 - 0.5714 * 0.5 + 0.1646 * 0.1696 = 0.039
      ["full range", { 0x327C: 0x3282 }, [238, 14, 14, 255]], // Y 81, R + 1.402 * 112, B - 1.772 * 38
    ] as const
  ) {
    Deno.test(`an external texture follows the hint of ${name} on ${driver.name}`, part, () => {
      using opened = openWindows(driver);
      using buffer = allocateBuffer({ width: 2, height: 2, format: 0x14, usage: CPU });
      fill(buffer, (x) => [81, 90, 81, 240][x % 4]);
      const pixels = sampled(opened, imageOf(opened, buffer, hints), [2, 2], 0x8D65);
      assertEquals(pixels, Array(4).fill(red));
    });
  }

  Deno.test(`an external texture shows P010 as RGB on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using buffer = allocateBuffer({ width: 2, height: 2, format: 0x36, usage: CPU });
    const { yBytes, cbBytes, crBytes, ystride } = buffer.lockYCbCr();
    const put = (bytes: Uint8Array, at: number, value: number) => bytes.set([value << 6 & 255, value >> 2], at);
    for (let at = 0; at < 4; at++) put(yBytes, (at >> 1) * ystride + 2 * (at & 1), 502); // half of 876, and 64
    put(cbBytes, 0, 512);
    put(crBytes, 0, 512);
    buffer.unlock();
    assertEquals(sampled(opened, imageOf(opened, buffer), [2, 2], 0x8D65), Array(4).fill([128, 128, 128, 255]));
  });

  Deno.test(`images leave nothing behind, destroyed or not, on ${driver.name}`, part, () => {
    leavesNothing(() => {
      using opened = openWindows(driver);
      using buffer = allocateBuffer({ width: 5, height: 2, format: 1, usage: CPU });
      const [one, other] = [imageOf(opened, buffer), imageOf(opened, buffer)];
      assertEquals([opened.windows.refresh(one), opened.windows.refresh(4711n)], [true, false]);
      opened.egl.eglDestroyImageKHR(opened.display, one);
      assertEquals([opened.windows.refresh(one), opened.windows.refresh(other)], [false, true]);
    });
  });

  Deno.test(`eglCreateImageKHR() refuses what is no buffer, and contexts, on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using buffer = allocateBuffer({ width: 5, height: 2, format: 1, usage: CPU });
    const { egl, display, context } = opened;
    const create = (context: bigint, client: bigint) => () =>
      egl.eglCreateImageKHR(display, context as 0n, EGL_NATIVE_BUFFER_ANDROID, client as 0n);
    assertThrows(create(0n, 4711n), EglError, "EGL_BAD_PARAMETER");
    assertThrows(create(context, buffer.handle), EglError, "EGL_BAD_CONTEXT");
    assertThrows(() => egl.eglGetNativeClientBufferANDROID(0n), EglError, "EGL_BAD_PARAMETER");
  });
}
