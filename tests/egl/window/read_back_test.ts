import { assertEquals } from "@std/assert";
import fc from "fast-check";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { openScope } from "../../../egl/load_egl.ts";
import { DriverGl } from "../../../egl/window/driver_gl.ts";
import { packingOf } from "../../../egl/window/packing.ts";
import type { PixelAbilities } from "../../../egl/window/pixel_abilities.ts";
import { readInto } from "../../../egl/window/swap.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { chooseConfig, createContext } from "../context.ts";
import { needs } from "../../support/require.ts";
import { drivers } from "../drivers.ts";
import { openWindow, openWindows, pixelAt, showIn, takeFrame } from "./opened.ts";

const ABILITIES: PixelAbilities = {
  major: 3,
  pack: true,
  unpack: true,
  reverse: true,
  swapBytes: false,
  packBuffers: true,
  bindFramebuffer: "glBindFramebuffer",
  splitFramebuffers: true,
  readBuffer: "glReadBuffer",
};

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`readInto() returns the same pixels on every path on ${driver.name}`, part, () => {
    using scope = new DisposableStack();
    const parts = openScope({ driver: driver.open() }), { egl, state } = parts, { gl } = egl;
    scope.defer(() => egl.close());
    const display = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, 0n);
    egl.eglInitialize(display);
    const config = chooseConfig(egl, display);
    const surface = egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: 13, [e.EGL_HEIGHT]: 7 });
    egl.eglMakeCurrent(display, surface, surface, createContext(egl, display, config, [3, 0]));
    gl.glEnable(g.GL_SCISSOR_TEST);
    for (let at = 0; at < 13 * 7; at++) {
      gl.glScissor(at % 13, Math.floor(at / 13), 1, 1);
      gl.glClearColor(at / 255, (255 - at) / 255, 0, 1);
      gl.glClear(g.GL_COLOR_BUFFER_BIT);
    }
    for (const more of [{}, { reverse: false }, { pack: false }, { reverse: false, pack: false, major: 2 }]) {
      for (const [width, height] of [[13, 7], [20, 5], [10, 9]]) { // also buffers of another size: from the top left
        const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
        using buffer = allocateBuffer({ width, height, format: 1, usage });
        using block = new NativeBlock(4 * 13 * 7);
        const can = { ...ABILITIES, ...more };
        readInto(new DriverGl(state, "gles2"), can, { block: () => block }, { buffer, width: 13, height: 7 });
        const bytes = buffer.lock();
        for (let y = 0; y < Math.min(7, height); y++) {
          for (let x = 0; x < Math.min(13, width); x++) {
            const at = (6 - y) * 13 + x, from = y * buffer.rowPitch + 4 * x;
            assertEquals(
              [...bytes.subarray(from, from + 4)],
              [at, 255 - at, 0, 255],
              `${JSON.stringify(more)} ${x}, ${y}`,
            );
          }
        }
        assertEquals(buffer.copies, 1);
      }
    }
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  });

  Deno.test(`eglSwapBuffers() leaves the application's state alone on ${driver.name}`, part, () => {
    using opened = openWindows(driver, { version: [3, 0] });
    let corner: number[] = [];
    const consumer = callbackConsumer((frame) => void (corner = [...frame.pixels.subarray(0, 4)]));
    using native = openWindow({ consumer });
    const { egl, gl, display } = opened, surface = showIn(opened, native);
    const pbuffer = egl.eglCreatePbufferSurface(display, opened.config, { [e.EGL_WIDTH]: 4, [e.EGL_HEIGHT]: 4 });
    const [buffer] = gl.glGenBuffers(1), [fbo] = gl.glGenFramebuffers(1), [texture] = gl.glGenTextures(1);
    gl.glBindTexture(g.GL_TEXTURE_2D, texture);
    gl.glTexStorage2D(g.GL_TEXTURE_2D, 1, g.GL_RGBA8, 4, 4);
    const names = [
      ...[g.GL_PACK_ALIGNMENT, g.GL_PACK_ROW_LENGTH, g.GL_PACK_SKIP_ROWS, g.GL_PACK_SKIP_PIXELS, 0x93A4],
      ...[g.GL_PIXEL_PACK_BUFFER_BINDING, g.GL_READ_FRAMEBUFFER_BINDING, g.GL_DRAW_FRAMEBUFFER_BINDING],
      ...[g.GL_READ_BUFFER, g.GL_TEXTURE_BINDING_2D, g.GL_UNPACK_ALIGNMENT, g.GL_VIEWPORT, g.GL_SCISSOR_BOX],
    ];
    const states = () => names.map((name) => [...[gl.glGetIntegerv(name)].flat()]);
    const wanted = fc.record({
      alignment: fc.constantFrom(1, 2, 4, 8),
      rowLength: fc.nat(100),
      skip: fc.tuple(fc.nat(9), fc.nat(9)),
      reverse: fc.nat(1),
      packBuffer: fc.boolean(),
      framebuffer: fc.boolean(),
      source: fc.constantFrom(g.GL_NONE, g.GL_BACK),
      otherRead: fc.boolean(),
    });
    fc.assert(
      fc.property(wanted, ({ alignment, rowLength, skip, reverse, packBuffer, framebuffer, source, otherRead }) => {
        egl.eglMakeCurrent(display, surface, otherRead ? pbuffer : surface, opened.context);
        gl.glBindFramebuffer(g.GL_FRAMEBUFFER, 0);
        gl.glClearColor(alignment / 255, 1, 0, 1);
        gl.glClear(g.GL_COLOR_BUFFER_BIT);
        gl.glReadBuffer(source);
        gl.glPixelStorei(g.GL_PACK_ALIGNMENT, alignment);
        gl.glPixelStorei(g.GL_PACK_ROW_LENGTH, rowLength);
        gl.glPixelStorei(g.GL_PACK_SKIP_ROWS, skip[0]);
        gl.glPixelStorei(g.GL_PACK_SKIP_PIXELS, skip[1]);
        gl.glPixelStorei(0x93A4, reverse);
        gl.glBindBuffer(g.GL_PIXEL_PACK_BUFFER, packBuffer ? buffer : 0);
        gl.glBindFramebuffer(g.GL_FRAMEBUFFER, framebuffer ? fbo : 0);
        const before = states();
        egl.eglSwapBuffers(display, surface);
        assertEquals(states(), before);
        assertEquals(corner, [alignment, 255, 0, 255]);
        assertEquals(egl.eglGetCurrentSurface(e.EGL_READ), otherRead ? pbuffer : surface);
        assertEquals(gl.glGetError(), g.GL_NO_ERROR);
        if (!framebuffer) assertEquals(gl.glGetIntegerv(g.GL_READ_BUFFER), source);
      }),
      { numRuns: 60 },
    );
    gl.glBindFramebuffer(g.GL_FRAMEBUFFER, 0);
    gl.glEnable(0xdead); // an error that nobody has asked for yet stays so
    egl.eglSwapBuffers(display, surface);
    assertEquals(gl.glGetError(), g.GL_INVALID_ENUM);
  });

  Deno.test(`a multisampled surface is shown resolved on ${driver.name}`, part, () => {
    using opened = openWindows(driver, { config: { [e.EGL_SAMPLES]: 4, [e.EGL_SAMPLE_BUFFERS]: 1 } });
    using native = openWindow();
    const { egl, gl, display } = opened, surface = showIn(opened, native);
    gl.glClearColor(0, 0, 1, 1);
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    egl.eglSwapBuffers(display, surface);
    takeFrame(native, (frame, bytes) => assertEquals(pixelAt(frame, bytes, 12, 6), [0, 0, 255, 255]));
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  });
}

/** A driver that offers nothing but what every one must. */
const plain = { integer: () => 0 } as unknown as DriverGl;

Deno.test("packingOf() converts bytes to the buffer's format if the driver cannot", () => {
  const es2 = { ...ABILITIES, major: 2 }, row = new Uint8Array([255, 130, 8, 255, 0, 4, 255, 0]);
  assertEquals([...packingOf(plain, es2, 4).convert!(row)], [0x01, 0xfc, 0x3f, 0x00]);
  // 1023, 130 << 2 | 2, 32, 3; then 0, 16, 1023, 0
  const words = new Uint32Array([1023 | 522 << 10 | 32 << 20 | 3 << 30, 16 << 10 | 1023 << 20]);
  assertEquals([...packingOf(plain, es2, 0x2b).convert!(row)], [...new Uint8Array(words.buffer)]);
  assertEquals([...packingOf(plain, es2, 0x38).convert!(row)], [255, 0]);
});

Deno.test("packingOf() rounds floats to halves as the platform does", () => {
  const { convert } = packingOf(plain, ABILITIES, 0x16);
  const halves = (
    values: Float32Array<ArrayBuffer>,
  ) => [...new Uint16Array(convert!(new Uint8Array(values.buffer)).slice().buffer)];
  const wanted = (values: Float32Array) => [...new Uint16Array(Float16Array.from(values).buffer)];
  const known = new Float32Array([0, -0, 1, -2, 65504, 65519, 65520, 1e-8, 6e-8, 6.1e-5, Infinity, -Infinity, 1 / 3]);
  assertEquals(halves(known), wanted(known));
  fc.assert(fc.property(fc.float({ noNaN: true }), (value) => {
    assertEquals(halves(new Float32Array([value])), wanted(new Float32Array([value])));
  }));
});
