import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
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
      const { egl, display } = opened, { fence, signal } = NativeFence.create();
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
