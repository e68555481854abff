import { assert, assertEquals, assertThrows } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { needs } from "../../support/require.ts";
import { leavesNothing } from "../../wsi/leaves_nothing.ts";
import { drivers } from "../drivers.ts";
import { type Opened, openWindow, openWindows, pixelAt, showIn, takeFrame, type Wanted } from "./opened.ts";

function clear({ gl }: Opened, ...color: readonly [number, number, number, number]): void {
  gl.glClearColor(...color);
  gl.glClear(g.GL_COLOR_BUFFER_BIT);
}

/** Bytes of the first pixel of the last row, after the lower left corner was drawn over. */
function bytesAt({ buffer: { rowPitch, height, pixelFormat } }: Frame, bytes: Uint8Array, x: number): number[] {
  const at = (height - 1) * rowPitch + x * pixelFormat.bytesPerPixel;
  return [...bytes.subarray(at, at + pixelFormat.bytesPerPixel)];
}

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  for (
    const [bits, format, drawn, cleared] of [
      [[8, 8, 8, 0], 2, [255, 85, 0, 255], [0, 0, 255, 255]],
      [[5, 6, 5, 0], 4, [0xa0, 0xfa], [0x1f, 0x00]], // 31 of 31, 21 of 63; 31 of 31 in blue
      [[10, 10, 10, 2], 0x2b, [0xff, 0x57, 0x05, 0x00], [0, 0, 0xf0, 0xff]], // 1023, 341 of 1023, 0, 0
      [[16, 16, 16, 16], 0x16, [0, 0x3c, 0x55, 0x35, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0x3c, 0, 0x3c]],
    ] as const
  ) {
    if (driver.name === "ANGLE" && bits[0] > 8) continue; // it has no such configurations
    for (const version of [[2, 0], [3, 0]] as const) {
      Deno.test(`buffers have the format of ${bits} with ES ${version[0]} on ${driver.name}`, part, () => {
        using opened = openWindows(driver, ofBits(bits, version));
        using native = openWindow();
        const { egl, gl, display } = opened, surface = showIn(opened, native);
        clear(opened, 0, 0, 1, 1);
        gl.glEnable(g.GL_SCISSOR_TEST);
        gl.glScissor(0, 0, 1, 1);
        clear(opened, 1, 1 / 3, 0, 0);
        egl.eglSwapBuffers(display, surface);
        takeFrame(native, (frame, bytes) => {
          assertEquals([frame.buffer.format, bytesAt(frame, bytes, 0), bytesAt(frame, bytes, 12)], [
            format,
            [...drawn],
            [...cleared],
          ]);
        });
        assertEquals(gl.glGetError(), g.GL_NO_ERROR);
      });
    }
  }

  for (const [width, height] of [[1, 1], [61, 37], [64, 2]]) {
    Deno.test(`a frame of ${width} by ${height} has each pixel in its place on ${driver.name}`, part, () => {
      using opened = openWindows(driver);
      using native = openWindow({ width, height });
      const { egl, gl, display } = opened, surface = showIn(opened, native);
      gl.glEnable(g.GL_SCISSOR_TEST);
      for (let x = 0; x < width; x += 7) {
        for (let y = 0; y < height; y += 5) {
          gl.glScissor(x, y, 7, 5);
          clear(opened, x / 255, y / 255, 1, 1);
        }
      }
      egl.eglSwapBuffers(display, surface);
      takeFrame(native, (frame, bytes) => {
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            const up = height - 1 - y;
            assertEquals(pixelAt(frame, bytes, x, y), [x - x % 7, up - up % 5, 255, 255], `${x}, ${y}`);
          }
        }
      });
    });
  }

  Deno.test(`eglSwapBuffers() leaves nothing behind in 1,000 frames on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    let shown = 0;
    using native = openWindow({ consumer: callbackConsumer(() => void shown++) });
    const { egl, display } = opened, surface = showIn(opened, native);
    clear(opened, 1, 0, 0, 1);
    const swap = (count: number) => {
      for (let at = 0; at < count; at++) egl.eglSwapBuffers(display, surface);
    };
    swap(4);
    leavesNothing(() => swap(500));
    assertEquals([shown, native.statistics.copies], [1004, 1004]);
  });

  Deno.test(`surfaces leave nothing behind, destroyed or not, on ${driver.name}`, part, () => {
    leavesNothing(() => {
      using native = openWindow();
      using opened = openWindows(driver);
      const { egl, display, config } = opened;
      egl.eglDestroySurface(display, showIn(opened, native));
      const other = egl.eglCreateWindowSurface(display, config, native.address); // the first is still current
      egl.eglMakeCurrent(display, other, other, opened.context);
      egl.eglSwapBuffers(display, other);
      assertEquals(egl.eglGetCurrentSurface(e.EGL_DRAW), other);
    });
  });

  Deno.test(`a window that is resized gets frames of its size from the next one on with ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened, surface = showIn(opened, native);
    const size = () => [e.EGL_WIDTH, e.EGL_HEIGHT].map((name) => egl.eglQuerySurface(display, surface, name));
    const shown = () => takeFrame(native, ({ buffer: { width, height } }) => [width, height]);
    egl.eglSwapBuffers(display, surface);
    assertEquals([shown(), size()], [[13, 7], [13, 7]]);
    native.resize(20, 30);
    assertEquals(size(), [13, 7]);
    egl.eglSwapBuffers(display, surface);
    assertEquals([shown(), size()], [[13, 7], [20, 30]]);
    clear(opened, 0, 1, 0, 1);
    egl.eglSwapBuffers(display, surface);
    takeFrame(native, (frame, bytes) => {
      assertEquals([frame.buffer.width, frame.buffer.height], [20, 30]);
      assertEquals([pixelAt(frame, bytes, 0, 0), pixelAt(frame, bytes, 19, 29)], Array(2).fill([0, 255, 0, 255]));
    });
    egl.eglMakeCurrent(display, 0n, 0n, 0n);
    native.resize(5, 6);
    egl.eglMakeCurrent(display, surface, surface, opened.context);
    assertEquals(size(), [5, 6]);
  });

  Deno.test(`EGL_BUFFER_AGE_EXT is the age of the contents on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow({ consumer: callbackConsumer(() => {}) });
    const { egl, gl, display } = opened, surface = showIn(opened, native);
    const age = () => egl.eglQuerySurface(display, surface, e.EGL_BUFFER_AGE_EXT);
    assertEquals(age(), 0);
    clear(opened, 0, 0, 1, 1);
    egl.eglSwapBuffers(display, surface);
    assertEquals(age(), 1);
    assertEquals([...gl.glReadPixels(3, 3, 1, 1, g.GL_RGBA, g.GL_UNSIGNED_BYTE)], [0, 0, 255, 255]);
    native.resize(20, 20);
    egl.eglSwapBuffers(display, surface);
    assertEquals(age(), 0);
    egl.eglMakeCurrent(display, 0n, 0n, 0n);
    assertThrows(age, e.EglError, "EGL_BAD_SURFACE");
  });

  Deno.test(`damage, time and HDR metadata come with the frame on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened, surface = showIn(opened, native);
    egl.eglPresentationTimeANDROID(display, surface, 123_456_789n);
    for (let name = 0x3341; name <= 0x334A; name++) egl.eglSurfaceAttrib(display, surface, name, (name & 15) * 50000);
    egl.eglSurfaceAttrib(display, surface, e.EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT, 500 * 50000);
    assertEquals(egl.eglQuerySurface(display, surface, e.EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT), 25_000_000);
    assertEquals(egl.eglQuerySurface(display, surface, e.EGL_CTA861_3_MAX_FRAME_AVERAGE_LEVEL_EXT), -1);
    egl.eglSwapBuffersWithDamageKHR(display, surface, [1, 2, 3, 4, 0, 0, 1, 1]);
    takeFrame(native, (frame) => {
      assertEquals(frame.damage, [{ left: 1, top: 1, right: 4, bottom: 5 }, { left: 0, top: 6, right: 1, bottom: 7 }]);
      assertEquals(frame.timestamp, 123_456_789n);
      assertEquals([frame.smpte2086?.red, frame.smpte2086?.minLuminance], [{ x: 1, y: 2 }, 10]);
      assertEquals(frame.cta8613, undefined); // not complete
    });
    egl.eglSwapBuffers(display, surface);
    takeFrame(native, ({ damage, timestamp }) => {
      assertEquals(damage, []);
      assert(timestamp > 123_456_789n);
    });
    assertThrows(
      () => egl.eglSetDamageRegionKHR(display, surface, [0, 0, 1, 1]),
      e.EglError,
      "EGL_BAD_ACCESS", // the age was not asked for
    );
    egl.eglQuerySurface(display, surface, e.EGL_BUFFER_AGE_EXT);
    egl.eglSetDamageRegionKHR(display, surface, [0, 0, 1, 1]);
    assertThrows(() => egl.eglSetDamageRegionKHR(display, surface, [0, 0, 1, 1]), e.EglError, "EGL_BAD_ACCESS");
  });

  Deno.test(`frame timestamps come from the window on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened, surface = showIn(opened, native);
    const names = [e.EGL_REQUESTED_PRESENT_TIME_ANDROID, e.EGL_COMPOSITION_LATCH_TIME_ANDROID];
    const ask = (frame: bigint) => egl.eglGetFrameTimestampsANDROID(display, surface, frame, names);
    assertThrows(() => ask(1n), e.EglError, "EGL_BAD_SURFACE"); // they are off
    egl.eglSurfaceAttrib(display, surface, e.EGL_TIMESTAMPS_ANDROID, 1);
    const frame = egl.eglGetNextFrameIdANDROID(display, surface);
    egl.eglPresentationTimeANDROID(display, surface, 77n);
    egl.eglSwapBuffers(display, surface);
    takeFrame(native, ({ number }) => assertEquals(number, frame));
    const [wanted, latched] = ask(frame);
    assertEquals([wanted, latched > 0n], [77n, true]);
    assertThrows(() => ask(1000n), e.EglError, "EGL_BAD_ACCESS");
    assertEquals(egl.eglGetFrameTimestampSupportedANDROID(display, surface, names[0]), true);
    assertEquals(egl.eglGetFrameTimestampSupportedANDROID(display, surface, 1), false);
    assertEquals(egl.eglGetCompositorTimingANDROID(display, surface, [e.EGL_COMPOSITE_INTERVAL_ANDROID]), [16666667n]);
  });

  Deno.test(`eglCreateWindowSurface() refuses what Android refuses on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display, config } = opened;
    const create = (address: bigint, chosen = config, attributes = {}) => () =>
      egl.eglCreateWindowSurface(display, chosen, address, attributes);
    assertThrows(create(0n), e.EglError, "EGL_BAD_NATIVE_WINDOW");
    assertThrows(create(4711n), e.EglError, "EGL_BAD_NATIVE_WINDOW");
    assertThrows(create(native.address, 4711n as 0n), e.EglError, "EGL_BAD_CONFIG");
    assertThrows(create(native.address, config, { [e.EGL_WIDTH]: 3 }), e.EglError, "EGL_BAD_ATTRIBUTE");
    assertThrows(create(native.address, config, { [e.EGL_GL_COLORSPACE]: 3 }), e.EglError, "EGL_BAD_ATTRIBUTE");
    assertThrows(create(native.address, config, { [e.EGL_GL_COLORSPACE]: 0x3363 }), e.EglError, "EGL_BAD_MATCH");
    const surface = create(native.address)();
    assertThrows(create(native.address), e.EglError, "EGL_BAD_ALLOC");
    egl.eglDestroySurface(display, surface);
    const closed = openWindow(), { address } = closed;
    closed.acquire();
    closed.close();
    assertThrows(create(address), e.EglError, "EGL_BAD_NATIVE_WINDOW");
    closed.release();
    egl.eglCreatePlatformWindowSurface(display, config, native.address, [e.EGL_GL_COLORSPACE, 0x308A]);
  });

  Deno.test(`EGL_GL_COLORSPACE becomes the dataspace of the frames on ${driver.name}`, part, () => {
    using opened = openWindows(driver, { options: { wideColor: true } });
    const { egl, display } = opened;
    for (const [name, colorspace, dataspace] of [["sRGB", 0x3089, 0x08810000], ["P3", 0x3363, 0x088a0000]] as const) {
      using native = openWindow();
      const surface = showIn(opened, native, { [e.EGL_GL_COLORSPACE]: colorspace });
      assertEquals(egl.eglQuerySurface(display, surface, e.EGL_GL_COLORSPACE), colorspace);
      clear(opened, 0.5, 0, 0, 1);
      egl.eglSwapBuffers(display, surface);
      takeFrame(native, (frame, bytes) => {
        assertEquals([frame.dataspace, pixelAt(frame, bytes, 1, 1)], [dataspace, [188, 0, 0, 255]], name);
      });
      egl.eglMakeCurrent(display, 0n, 0n, 0n);
      egl.eglDestroySurface(display, surface);
    }
  });

  Deno.test(`a window that is closed is a bad one to swap on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    const { egl, display } = opened, native = openWindow(), surface = showIn(opened, native);
    assertThrows(() => egl.eglSwapBuffers(display, 4711n as 0n), e.EglError, "EGL_BAD_SURFACE");
    native.close();
    assertThrows(() => egl.eglSwapBuffers(display, surface), e.EglError, "EGL_BAD_NATIVE_WINDOW");
    egl.eglMakeCurrent(display, 0n, 0n, 0n);
    egl.eglDestroySurface(display, surface);
  });

  Deno.test(`a surface that is not current cannot be swapped on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened, surface = showIn(opened, native);
    egl.eglMakeCurrent(display, 0n, 0n, 0n);
    assertThrows(() => egl.eglSwapBuffers(display, surface), e.EglError, "EGL_BAD_SURFACE");
  });

  Deno.test(`a consumer that never gives back lets the producer fail, not hang, on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened, surface = showIn(opened, native);
    const swaps = () => {
      for (let at = 0; at < 10; at++) egl.eglSwapBuffers(display, surface);
    };
    assertThrows(swaps, e.EglError, "EGL_BAD_ALLOC");
    takeFrame(native, () => {});
    egl.eglSwapBuffers(display, surface);
    egl.eglSwapInterval(display, 0); // frames make way for newer ones
    while (native.frames.pending > 0) takeFrame(native, () => {});
    swaps();
  });

  Deno.test(`a buffer whose fence is never signalled is not drawn over on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened, surface = showIn(opened, native), { fence, signal } = NativeFence.create();
    const swap = () => egl.eglSwapBuffers(display, surface);
    swap();
    native.frames.acquire()!.release(fence);
    assertThrows(() => Array.from({ length: 4 }, swap), e.EglError, "EGL_BAD_ALLOC");
    assert(opened.said.length > 0 || native.frames.pending > 0);
    signal();
    while (native.frames.pending > 0) takeFrame(native, () => {});
    swap();
  });

  Deno.test(`a consumer that throws does no harm to the producer on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    const thrown: unknown[] = [],
      consumer = callbackConsumer(() => {
        throw new Error("no");
      });
    using native = openWindow({ consumer, onError: (error) => thrown.push(error) });
    const { egl, gl, display } = opened, surface = showIn(opened, native);
    for (let at = 0; at < 5; at++) egl.eglSwapBuffers(display, surface);
    assertEquals([thrown.length, gl.glGetError()], [5, g.GL_NO_ERROR]);
  });

  Deno.test(`loadEgl() takes a window itself, and a display that is initialized anew, on ${driver.name}`, part, () => {
    using native = openWindow({ consumer: callbackConsumer(() => {}) });
    using egl = e.loadEgl({ driver: driver.open(), log: () => {} });
    const display = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, 0n);
    for (let at = 0; at < 2; at++) {
      egl.eglInitialize(display);
      const [config] = egl.eglChooseConfig(display, { [e.EGL_RENDERABLE_TYPE]: e.EGL_OPENGL_ES2_BIT });
      const context = egl.eglCreateContext(display, config, e.EGL_NO_CONTEXT, { [e.EGL_CONTEXT_MAJOR_VERSION]: 2 });
      const surface = at === 0
        ? egl.eglCreateWindowSurface(display, config, native)
        : egl.eglCreatePlatformWindowSurfaceEXT(display, config, native);
      egl.eglMakeCurrent(display, surface, surface, context);
      egl.eglSwapBuffers(display, surface);
      egl.eglMakeCurrent(display, 0n, 0n, 0n);
      egl.eglTerminate(display); // with the surface
    }
    assertEquals(native.statistics.queued, 2);
    assertEquals(egl.windows.refresh(0n), false);
  });

  Deno.test(`configurations are those of windows on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    const { egl, display, config } = opened, get = (name: number) => egl.eglGetConfigAttrib(display, config, name);
    assertEquals(get(e.EGL_SURFACE_TYPE) & 5, 5);
    assertEquals([e.EGL_RECORDABLE_ANDROID, e.EGL_FRAMEBUFFER_TARGET_ANDROID, e.EGL_NATIVE_VISUAL_ID].map(get), [
      1,
      1,
      1,
    ]);
    const recordable = egl.eglChooseConfig(display, { [e.EGL_RECORDABLE_ANDROID]: 1 });
    assert(recordable.length > 0);
    for (const each of recordable) {
      assert([1, 2, 0x2b].includes(egl.eglGetConfigAttrib(display, each, e.EGL_NATIVE_VISUAL_ID)));
    }
    assert(egl.eglChooseConfig(display, null).length > recordable.length);
    assertThrows(
      () => egl.eglChooseConfig(display, { [e.EGL_RECORDABLE_ANDROID]: 5 }),
      e.EglError,
      "EGL_BAD_ATTRIBUTE",
    );
    const extensions = egl.eglQueryString(display, e.EGL_EXTENSIONS).split(" ");
    for (const name of ["EGL_ANDROID_image_native_buffer", "EGL_ANDROID_native_fence_sync", "EGL_ANDROID_recordable"]) {
      assert(extensions.includes(name), name);
    }
    assert(!extensions.includes("EGL_ANDROID_framebuffer_target"));
    assert(opened.windows.provided(display).includes("EGL_ANDROID_image_native_buffer"));
    assertEquals(opened.windows.provided(display).includes("EGL_ANDROID_recordable"), driver.name === "Mesa");
  });
}

/** Configurations of floats are not chosen unless they are asked for. */
function ofBits(bits: readonly number[], version: readonly [number, number]): Wanted {
  if (bits[0] < 16) return { bits, version };
  return { bits, version, config: { [e.EGL_COLOR_COMPONENT_TYPE_EXT]: e.EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT } };
}
