/**
 * Links a program on ANGLE with a cache in a file, and prints what became of
 * the cache: the file's path, and `multifile` if it is to be many files.
 */
import { findEglDriver, installBlobCache, openBlobCache } from "../../egl/mod.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { cstring } from "../../ffi/cstring.ts";
import { hasFault } from "../../ffi/error.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import { angleOnSwiftshader } from "../support/angle.ts";

const [path, mode] = Deno.args;
using found = findEglDriver({ driver: angleOnSwiftshader()!.egl });
using memory = new NativeBlock(65536);
let top = 0;
const place = (bytes: Uint8Array) => {
  const at = top;
  memory.bytes.set(bytes, at);
  top += (bytes.length + 15) & ~15;
  return memory.address + BigInt(at);
};
const text = (value: string) => place(cstring(value));
const longs = (...values: number[]) => place(new Uint8Array(new BigInt64Array(values.map(BigInt)).buffer));
const ints = (...values: number[]) => place(new Uint8Array(new Int32Array(values).buffer));
const call = (name: string, signature: string, ...args: (number | bigint)[]) =>
  invokeAddress(found.driver.find(name, name.startsWith("egl") ? "egl" : "gles2"), signature, args);

const EGL_NONE = 0x3038, ANGLE = 0x3202, TYPE = 0x3203, VULKAN = 0x3450, DEVICE = 0x3209, SWIFTSHADER = 0x3487;
const attributes = longs(TYPE, VULKAN, DEVICE, SWIFTSHADER, 0x348f, 0x31dd, EGL_NONE);
const display = call("eglGetPlatformDisplay", "q:wqq", ANGLE, 0n, attributes) as bigint;
if (call("eglInitialize", "w:qqq", display, 0n, 0n) !== 1) throw new Error("eglInitialize failed");

const cache = openBlobCache({ path, multifile: mode === "multifile", buildId: "test" });
const installed = installBlobCache(found.driver, display, cache);
if ("refusal" in installed) throw new Error(installed.refusal);
const again = installBlobCache(found.driver, display, cache);

const out = place(new Uint8Array(16));
call("eglChooseConfig", "w:qqqsq", display, ints(0x3040, 4, EGL_NONE), out, 1, out + 8n);
const config = memory.view.getBigUint64(Number(out - memory.address), true);
const context = call("eglCreateContext", "q:qqqq", display, config, 0n, ints(0x3098, 2, EGL_NONE)) as bigint;
if (call("eglMakeCurrent", "w:qqqq", display, 0n, 0n, context) !== 1) throw new Error("eglMakeCurrent failed");

const shader = (kind: number, source: string) => {
  const id = call("glCreateShader", "w:w", kind) as number;
  const list = place(new Uint8Array(new BigUint64Array([text(source)]).buffer));
  call("glShaderSource", "v:wsqq", id, 1, list, 0n);
  call("glCompileShader", "v:w", id);
  return id;
};
const program = call("glCreateProgram", "w:") as number;
call("glAttachShader", "v:ww", program, shader(0x8b31, "attribute vec4 p; void main() { gl_Position = p * 0.5; }"));
call(
  "glAttachShader",
  "v:ww",
  program,
  shader(0x8b30, "precision mediump float; void main() { gl_FragColor = vec4(0.25); }"),
);
call("glLinkProgram", "v:w", program);
call("glGetProgramiv", "v:wwq", program, 0x8b82, out);
const linked = memory.view.getInt32(Number(out - memory.address), true);

call("eglMakeCurrent", "w:qqqq", display, 0n, 0n, 0n);
call("eglDestroyContext", "w:qq", display, context);
installed.close();
call("eglTerminate", "w:q", display);
installed.free();
const { counts, entries } = cache;
cache.close();
const second = "refusal" in again ? again.refusal : "installed";
console.log(JSON.stringify({ linked, ...counts, entries, second, fault: hasFault() }));
