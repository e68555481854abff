/**
 * libplacebo, which is linked with Vulkan, uploads an image, draws it with a
 * shader, clears another, and downloads both: `libplacebo.ts DRIVER LIBRARY`.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { copyToArena, peek64 } from "../../../../ffi/machine.ts";
import { NativeProgram } from "./call_native.ts";
import { installCounted, report } from "./counted.ts";

const SIZE = 64, BYTES = 4 * SIZE * SIZE;

const [driver, path] = Deno.args;
using counted = installCounted(driver);
const placebo = new NativeProgram(path);
const log = address("pl_log_create_208", "q:wq", 208, 0n);
const vulkan = address("pl_vulkan_create", "q:qq", log, softwareToo());
const gpu = peek64(vulkan), format = address("pl_find_named_fmt", "q:qq", gpu, "rgba8");
const from = texture(), to = texture(), cleared = texture();
const pixels = Uint8Array.from({ length: BYTES }, (_, index) => (index * 7) & 255);
isTrue("pl_tex_upload", "w:qq", gpu, transfer(from, arena().place(pixels)));
draw(from, to);
placebo.call("pl_tex_clear", "v:qqq", gpu, cleared, floats(1, 0, 0.2, 1));
const drawn = download(to), red = download(cleared);
const right = drawn.every((byte, index) => byte === pixels[index]) &&
  red.every((byte, i) => byte === [255, 0, 51, 255][i & 3]);
placebo.call("pl_gpu_finish", "v:q", gpu);
for (const each of [from, to, cleared]) placebo.call("pl_tex_destroy", "v:qq", gpu, pointerTo(each));
placebo.call("pl_vulkan_destroy", "v:q", pointerTo(vulkan));
report(counted, { right });

/** The default pl_vulkan_params, with `allow_software` set. */
function softwareToo(): bigint {
  const memory = arena(), size = 128, at = memory.alloc(size);
  copyToArena(at, placebo.find("pl_vulkan_default_params"), size);
  memory.view.setUint8(at + 64, 1);
  return memory.address(at);
}

/** A texture for everything: pl_tex_params with w, h, format and every capability. */
function texture(): bigint {
  const memory = arena(), params = struct(112);
  memory.view.setInt32(params, SIZE, true);
  memory.view.setInt32(params + 4, SIZE, true);
  memory.view.setBigUint64(params + 16, format, true);
  for (const capability of [24, 25, 27, 28, 29, 30]) memory.view.setUint8(params + capability, 1);
  return address("pl_tex_create", "q:qq", gpu, memory.address(params));
}

/** pl_tex_transfer_params with a texture and a pointer: all of it, rows without gaps. */
function transfer(texture: bigint, pointer: bigint): bigint {
  const memory = arena(), params = struct(104);
  memory.view.setBigUint64(params, texture, true);
  memory.view.setBigUint64(params + 96, pointer, true);
  return memory.address(params);
}

function download(texture: bigint): Uint8Array {
  const memory = arena(), at = memory.alloc(BYTES);
  isTrue("pl_tex_download", "w:qq", gpu, transfer(texture, memory.address(at)));
  return memory.bytes.slice(at, at + BYTES);
}

/** Draws a texture onto another with a shader that samples it; pl_sample_src and pl_dispatch_params. */
function draw(from: bigint, to: bigint): void {
  const memory = arena(), source = struct(80), params = struct(48);
  const dispatch = address("pl_dispatch_create", "q:qq", log, gpu);
  const shader = address("pl_dispatch_begin", "q:q", dispatch);
  memory.view.setBigUint64(source, from, true);
  isTrue("pl_shader_sample_nearest", "w:qq", shader, memory.address(source));
  memory.view.setBigUint64(params, pointerTo(shader), true);
  memory.view.setBigUint64(params + 8, to, true);
  isTrue("pl_dispatch_finish", "w:qq", dispatch, memory.address(params));
  placebo.call("pl_dispatch_destroy", "v:q", pointerTo(dispatch));
}

/** Calls a function that returns a pointer. */
function address(name: string, signature: string, ...args: (number | bigint | string)[]): bigint {
  const result = placebo.call(name, signature, ...args) as bigint;
  if (result === 0n) throw new Error(`${name} returned NULL`);
  return result;
}

/** Calls a function that returns a `bool`, of which only the low byte counts. */
function isTrue(name: string, signature: string, ...args: (number | bigint | string)[]): void {
  if (((placebo.call(name, signature, ...args) as number) & 255) === 0) throw new Error(`${name} returned false`);
}

function struct(size: number): number {
  const memory = arena(), at = memory.alloc(size);
  memory.bytes.fill(0, at, at + size);
  return at;
}

function pointerTo(value: bigint): bigint {
  return arena().place(new Uint8Array(BigUint64Array.of(value).buffer));
}

function floats(...values: number[]): bigint {
  return arena().place(new Uint8Array(Float32Array.from(values).buffer));
}
