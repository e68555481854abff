import { assertEquals } from "@std/assert";
import { EglError, eglErrorName } from "../../egl/mod.ts";

Deno.test("EglError says command, error and what to do", () => {
  const error = new EglError("eglInitialize", 0x3008);
  assertEquals(
    error.message,
    "eglInitialize failed: EGL_BAD_DISPLAY (0x3008); give a display that eglGetDisplay() returned",
  );
  assertEquals([error.command, error.code, error.codeName], ["eglInitialize", 0x3008, "EGL_BAD_DISPLAY"]);
});

Deno.test("eglErrorName() names core and extension errors and shows others as they are", () => {
  assertEquals([0x3000, 0x300E, 0x321B, 0x1234].map(eglErrorName), [
    "EGL_SUCCESS",
    "EGL_CONTEXT_LOST",
    "EGL_BAD_STREAM_KHR",
    "0x1234",
  ]);
});
