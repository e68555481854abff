import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { closeDescriptor, nameOfDescriptor, openFile } from "../../../ffi/file/file_descriptor.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { leavesNothing } from "../../wsi/leaves_nothing.ts";
import { needs } from "../../support/require.ts";
import { drivers } from "../drivers.ts";
import { openWindow, openWindows, showIn } from "./opened.ts";

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`eglClientWaitSync() waits for a fence that was given on ${driver.name}`, part, () => {
    leavesNothing(() => {
      using opened = openWindows(driver);
      using native = openWindow();
      const { egl, display } = opened, { fence, signal } = NativeFence.create();
      showIn(opened, native);
      const sync = egl.eglCreateSyncKHR(display, e.EGL_SYNC_NATIVE_FENCE_ANDROID, {
        [e.EGL_SYNC_NATIVE_FENCE_FD_ANDROID]: fence.take(),
      });
      const status = () => egl.eglGetSyncAttribKHR(display, sync, e.EGL_SYNC_STATUS);
      assertEquals(egl.eglClientWaitSyncKHR(display, sync, 0, 1000n), e.EGL_TIMEOUT_EXPIRED);
      assertEquals(status(), e.EGL_UNSIGNALED);
      const fd = egl.eglDupNativeFenceFDANDROID(display, sync);
      using copy = NativeFence.adopt(fd);
      assertEquals(copy.poll(), false);
      signal();
      assertEquals([copy.poll(), status()], [true, e.EGL_SIGNALED]);
      assertEquals(egl.eglClientWaitSync(display, sync, 0, e.EGL_FOREVER), e.EGL_CONDITION_SATISFIED);
      assertEquals(egl.eglGetSyncAttribKHR(display, sync, e.EGL_SYNC_TYPE), e.EGL_SYNC_NATIVE_FENCE_ANDROID);
      assertEquals(
        egl.eglGetSyncAttribKHR(display, sync, e.EGL_SYNC_CONDITION),
        e.EGL_SYNC_NATIVE_FENCE_SIGNALED_ANDROID,
      );
      egl.eglDestroySyncKHR(display, sync);
      assertThrows(() => egl.eglDupNativeFenceFDANDROID(display, sync), e.EglError, "EGL_BAD_PARAMETER");
    });
  });

  Deno.test(`eglDupNativeFenceFDANDROID() gives a fence of what was drawn on ${driver.name}`, part, () => {
    leavesNothing(() => {
      using opened = openWindows(driver);
      using native = openWindow();
      const { egl, gl, display } = opened;
      const create = () => egl.eglCreateSyncKHR(display, e.EGL_SYNC_NATIVE_FENCE_ANDROID, null);
      assertThrows(create, e.EglError, "EGL_BAD_MATCH"); // nothing is current
      showIn(opened, native);
      gl.glClear(g.GL_COLOR_BUFFER_BIT);
      const sync = create(), fd = egl.eglDupNativeFenceFDANDROID(display, sync);
      assertNotEquals(fd, -1);
      using fence = NativeFence.adopt(fd);
      assertEquals(fence.poll(), true);
      assertEquals(egl.eglGetSyncAttribKHR(display, sync, e.EGL_SYNC_STATUS), e.EGL_SIGNALED);
      egl.eglWaitSyncKHR(display, sync, 0);
      create(); // destroyed with the display
    });
  });

  for (const create of ["eglCreateSync", "eglCreateSyncKHR"] as const) {
    Deno.test(
      `${create}() takes -1 for a fence of the drawing, and refuses what is no fence, on ${driver.name}`,
      part,
      () => {
        leavesNothing(() => {
          using opened = openWindows(driver);
          using native = openWindow();
          const { egl, display } = opened, name = e.EGL_SYNC_NATIVE_FENCE_FD_ANDROID;
          const make = (fd: number | bigint) => egl[create](display, e.EGL_SYNC_NATIVE_FENCE_ANDROID, { [name]: fd });
          const { fence, signal } = NativeFence.create(), given = fence.take();
          assertThrows(() => make(given), e.EglError, "EGL_BAD_MATCH"); // nothing is current
          showIn(opened, native);
          for (const fd of create === "eglCreateSync" ? [-1, -1n, 2n ** 64n - 1n] : [-1]) {
            const sync = make(fd);
            assertEquals(
              egl.eglGetSyncAttribKHR(display, sync, e.EGL_SYNC_CONDITION),
              e.EGL_SYNC_PRIOR_COMMANDS_COMPLETE,
            );
            assertEquals(egl.eglClientWaitSync(display, sync, 1, e.EGL_FOREVER), e.EGL_CONDITION_SATISFIED);
            using copy = NativeFence.adopt(egl.eglDupNativeFenceFDANDROID(display, sync));
            assertEquals(copy.poll(), true);
            egl.eglDestroySync(display, sync);
          }
          const file = openFile("/dev/null", 0);
          for (const fd of [file, 987654, -2, 2 ** 31 - 1]) {
            assertThrows(() => make(fd), e.EglError, "EGL_BAD_ATTRIBUTE");
          }
          if (create === "eglCreateSync") {
            assertThrows(
              () => make(2n ** 32n + BigInt(given)),
              e.EglError,
              "ATTRIBUTE",
            );
          }
          assertNotEquals(nameOfDescriptor(file), "", "a file that was refused stays the program's");

          const sync = make(given);
          // The number is free again: a program that opens a file there keeps that file.
          const later = openFile("/dev/zero", 0), others = Array.from({ length: 4 }, () => openFile("/dev/zero", 0));
          egl.eglDestroySync(display, sync);
          for (const fd of [later, ...others]) {
            assertEquals(nameOfDescriptor(fd), "/dev/zero");
            closeDescriptor(fd);
          }
          closeDescriptor(file);
          signal();
        });
      },
    );
  }

  Deno.test(`fences of the driver stay its own on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened;
    showIn(opened, native);
    const sync = egl.eglCreateSync(display, e.EGL_SYNC_FENCE_KHR, null);
    assertEquals(egl.eglClientWaitSync(display, sync, 1, e.EGL_FOREVER), e.EGL_CONDITION_SATISFIED);
    assertThrows(() => egl.eglDupNativeFenceFDANDROID(display, sync), e.EglError, "EGL_BAD_PARAMETER");
    egl.eglDestroySync(display, sync);
  });
}
