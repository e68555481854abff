import { assert, assertEquals, assertMatch } from "@std/assert";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { returning } from "../../../ffi/thunk/thunk.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { needs } from "../../support/require.ts";
import { chooseConfig, openContext } from "../context.ts";
import { inventedDriver } from "../fake_driver.ts";
import { angle, drivers, mesa } from "../drivers.ts";

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`eglGetProcAddress() gives the loader's own EGL functions to native code on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl, display, context } = opened;
    const current = bindByAddress("q:")(egl.eglGetProcAddress("eglGetCurrentContext"));
    assertEquals(current, context);
    const query = bindByAddress("q:qs")(display, e.EGL_VENDOR, egl.eglGetProcAddress("eglQueryString"));
    assertEquals(readCString(query), "Android");
    assertEquals(egl.eglGetProcAddress("eglQueryString"), egl.eglGetProcAddress("eglQueryString"));
  });

  Deno.test(`eglGetProcAddress() returns GL functions that follow the current context on ${driver.name}`, part, () => {
    using opened = openContext(driver, [2, 0]);
    const { egl, gl, display, surface, said } = opened, isProgram = egl.eglGetProcAddress("glIsProgram");
    const ask = (program: number) => bindByAddress("w:w")(program, isProgram) & 255;
    const program = gl.glCreateProgram();
    assertEquals([ask(program), ask(program + 1)], [1, 0]);
    const older = egl.eglCreateContext(display, chooseConfig(egl, display, 1), 0n);
    egl.eglMakeCurrent(display, surface, surface, older);
    assertEquals([ask(program), said.length], [0, 1]);
    assertMatch(said[0], /called unimplemented OpenGL ES API/);
  });

  Deno.test(`eglGetProcAddress() hides the blob cache and knows no other names on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl } = opened;
    assertEquals(egl.eglGetProcAddress("eglSetBlobCacheFuncsANDROID"), 0n);
    assertEquals(egl.eglGetProcAddress("eglNoSuchFunction"), 0n);
    using name = new NativeBlock(64);
    name.bytes.set(cstring("glClear"));
    assertEquals(egl.raw.eglGetProcAddress(name.address), egl.eglGetProcAddress("glClear"));
  });
}

Deno.test("eglGetProcAddress() has forwarders for 256 functions that only the driver knows", () => {
  const three = returning("q:", 3n), said: string[] = [];
  const driver = inventedDriver({ eglGetProcAddress: () => 0n, eglGetError: () => 0x3000n });
  const find = (name: string) => name.startsWith("glVendor") ? three : driver.find(name);
  using egl = e.loadEgl({
    platform: "android",
    driver: { ...driver, find, findExported: driver.find },
    log: (message) => said.push(message),
  });
  const given = Array.from({ length: 256 }, (_, index) => egl.eglGetProcAddress(`glVendor${index}`));
  assertEquals(new Set(given).size, 256);
  assert(!given.includes(three) && !given.includes(0n));
  assertEquals(given.slice(0, 3).map((address) => bindByAddress("q:")(address)), [3n, 3n, 3n]);
  assertEquals(egl.eglGetProcAddress("glVendor7"), given[7]);
  assertEquals([egl.eglGetProcAddress("glVendor256"), said.length], [0n, 1]);
  assertMatch(said[0], /no more slots for eglGetProcAddress\("glVendor256"\)/);
});

Deno.test(
  "supports() tells by version and extensions what drivers with an address for any name can do",
  needs(mesa.part, mesa.found || undefined),
  () => {
    using opened = openContext(mesa, [3, 0]);
    const { egl, gl } = opened;
    assertEquals(egl.supports("glMapBufferRange"), true);
    assertEquals(egl.supports("glFramebufferPixelLocalStorageSizeEXT"), false);
    assertEquals([egl.supports("glMatrixMode"), egl.supports("glNoSuch"), egl.supports("eglInitialize")], [
      false,
      false,
      true,
    ]);
    const list = gl.glGetString(g.GL_EXTENSIONS);
    assertEquals(egl.supports("glBlendBarrierKHR"), list.includes("GL_KHR_blend_equation_advanced "));
  },
);

Deno.test(
  "a command that the driver lacks is not supported, and says its name when it is called",
  needs(angle.part, angle.found || undefined),
  () => {
    using opened = openContext(angle, [3, 0]);
    assertEquals(opened.egl.supports("glDrawVkImageNV"), false);
    opened.gl.glDrawVkImageNV(1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    assertMatch(opened.said.join(), /the driver has no glDrawVkImageNV/);
  },
);
