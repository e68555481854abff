import { assertEquals, assertThrows } from "@std/assert";
import { DriverError } from "../../loader/mod.ts";
import { loadEgl } from "../../egl/mod.ts";
import { needs } from "../support/require.ts";
import { mesa } from "./drivers.ts";

Deno.test(
  "loadEgl() opens what is named and says what it looked at",
  needs(mesa.part, mesa.found || undefined),
  () => {
    using egl = loadEgl({ driver: "libEGL.so.1" });
    const display = egl.eglGetDisplay(0n);
    assertEquals(egl.eglInitialize(display), { major: 1, minor: 5 });
    assertEquals(egl.explain().some(({ subject, taken }) => subject === "driver" && taken), true);
  },
);

Deno.test("loadEgl() refuses what is no driver and names it", () => {
  assertThrows(() => loadEgl({ driver: "/nowhere/libEGL.so" }), DriverError, "/nowhere/libEGL.so");
});
