/**
 * Measures EGL commands that native programs call now and then, on this loader
 * and on the system's. The figures of OpenGL ES run it in a process that has
 * loaded no EGL yet.
 * @module
 */
import { loadEgl } from "../egl/mod.ts";
import { EGL_OPENGL_ES2_BIT, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_SURFACE_TYPE } from "../egl/mod.ts";
import { invokeAddress } from "../ffi/invoke.ts";
import { Library } from "../ffi/library/library.ts";
import { compileC } from "../tests/support/compile.ts";
import { systemLibrary } from "../tools/setup/files.ts";
import { compare } from "./measure.ts";

const CALLS = 20_000, SURFACELESS = 0x31DD;
const SYMBOLS = {
  egl_attributes: { parameters: ["u64", "u64", "u64", "u32"], result: "void" }, // (command, display, config, times)
  egl_addresses: { parameters: ["u64", "u32"], result: "void" }, // (command, times)
} as const satisfies Deno.ForeignLibraryInterface;

const c = Deno.dlopen(compileC(new URL("c/gl.c", import.meta.url))!, SYMBOLS).symbols;
using egl = loadEgl({ driver: "libEGL_mesa.so.0", log: () => {} });
using _installed = egl.install();
const ours = Library.open("libEGL.so.1"), theirs = Library.open(systemLibrary("libEGL.so.1")!);
const display = egl.eglGetPlatformDisplay(SURFACELESS, 0n);
egl.eglInitialize(display);
const [config] = egl.eglChooseConfig(display, {
  [EGL_SURFACE_TYPE]: EGL_PBUFFER_BIT,
  [EGL_RENDERABLE_TYPE]: EGL_OPENGL_ES2_BIT,
});
const other = invokeAddress(theirs.require("eglGetPlatformDisplay"), "q:wqq", [SURFACELESS, 0n, 0n]) as bigint;
invokeAddress(theirs.require("eglInitialize"), "w:qqq", [other, 0n, 0n]);
const attributes = (library: Library, of: bigint) => (times: number) =>
  c.egl_attributes(library.require("eglGetConfigAttrib"), of, config, times);
const addresses = (library: Library) => (times: number) => c.egl_addresses(library.require("eglGetProcAddress"), times);
console.log(JSON.stringify({
  attributes: compare(attributes(ours, display), attributes(theirs, other), CALLS),
  addresses: compare(addresses(ours), addresses(theirs), CALLS),
}));
