import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { NativeBlock, openBlocks } from "../../../ffi/block.ts";
import {
  closeDescriptor,
  createEvent,
  createMemoryFile,
  lastError,
  resizeFile,
} from "../../../ffi/file/file_descriptor.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { allocateBuffer, exportInts, importBuffer, importHandle, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import type { BufferRequest } from "../../../wsi/buffer/check_request.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { HAL_FORMATS, NV12 } from "../../../wsi/buffer/hal_format.ts";
import { bufferOfHandle, retainMemory } from "../../../wsi/buffer/known_buffers.ts";
import { registerLayout } from "../../../wsi/buffer/layout.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { WsiError, type WsiErrorCode } from "../../../wsi/error.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { assertNoMoreFiles } from "../files_left.ts";
import { runProgram } from "../../support/subprocess.ts";

/** A file descriptor beyond any limit. */
const NO_FILE = 2 ** 30;

const CPU = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
const RGBA = 1, YV12 = 0x32315659, FLEXIBLE = 0x23, BLOB = 0x21, DEFINED = 0x22;

/** A request for a small buffer, changed as a test wants it. */
function request(changes: Partial<BufferRequest> = {}): BufferRequest {
  return { width: 64, height: 32, format: RGBA, usage: CPU, ...changes };
}

function assertRefused(code: WsiErrorCode, message: string, act: () => unknown): void {
  assertEquals(assertThrows(act, WsiError, message).code, code);
}

// Functions that are bound once stay bound.
for (const bind of [() => allocateBuffer(request()).close(), () => closeDescriptor(createEvent()), lastError]) bind();

Deno.test("allocateBuffer() gives memory of every format that the CPU writes and reads", async () => {
  const files = openFiles(), before = [openBlocks(), openBuffers(), mappings("gralloc")];
  for (const { hal, name } of HAL_FORMATS.filter(({ hal }) => hal !== FLEXIBLE && hal !== DEFINED)) {
    using buffer = allocateBuffer(request({ format: hal, height: hal === BLOB ? 1 : 32 }));
    using reader = buffer.retain();
    const bytes = buffer.lock(USAGE.CPU_WRITE_OFTEN);
    assert(bytes.every((byte) => byte === 0), name);
    bytes.forEach((_, index) => bytes[index] = index * 7 & 0xff);
    buffer.unlock();
    assert(reader.lock(USAGE.CPU_READ_RARELY).every((byte, index) => byte === (index * 7 & 0xff)), name);
    assertEquals(peek32(buffer.memory.address + 4n), 0x312a231c);
  }
  assertEquals([openBlocks(), openBuffers(), mappings("gralloc")], before);
  await assertNoMoreFiles(files);
});

Deno.test("lockYCbCr() returns channels that do not overlap", () => {
  for (const format of [FLEXIBLE, YV12, 0x10, 0x11, 0x27, 0x28, 0x36]) {
    using buffer = allocateBuffer(request({ format, width: 30, height: 18 }));
    const { yBytes, cbBytes, crBytes, chromaStep, ystride } = buffer.lockYCbCr(),
      unit = buffer.pixelFormat.bytesPerPixel;
    const put = (bytes: Uint8Array, step: number, value: number) => {
      for (let at = 0; at + unit <= bytes.length; at += step) bytes.fill(value, at, at + unit);
    };
    put(yBytes, unit, 1);
    put(cbBytes, chromaStep, 2);
    put(crBytes, chromaStep, 3);
    assert(ystride >= 30 && yBytes.every((byte) => byte === 1));
    assertEquals([cbBytes[0], cbBytes[chromaStep], crBytes[0], crBytes[chromaStep]], [2, 2, 3, 3]);
    buffer.unlock();
    assertEquals([yBytes.length, cbBytes.length], [0, 0]);
  }
});

Deno.test("writeAndroidYCbCr() fills the native struct", () => {
  using buffer = allocateBuffer(request({ format: YV12 }));
  using block = new NativeBlock(96);
  block.bytes.fill(0xee);
  buffer.writeAndroidYCbCr(block.address);
  const base = buffer.memory.address, word = (index: number) => peek64(block.address + BigInt(8 * index));
  assertEquals([word(0), word(1), word(2)], [base, base + 2560n, base + 2048n]);
  assertEquals([word(3), word(4), word(5)], [64n, 32n, 1n]);
  assertEquals([word(6), word(7), word(8), word(9)], [0n, 0n, 0n, 0n]);
  assertEquals(block.bytes[80], 0xee);
  using rgba = allocateBuffer(request());
  assertRefused("not-allowed", "use lock()", () => rgba.writeAndroidYCbCr(block.address));
});

Deno.test("lock() refuses usage that the buffer lacks, and unlock() refuses a buffer that is not locked", () => {
  using reading = allocateBuffer(request({ usage: USAGE.CPU_READ_OFTEN }));
  assertRefused("not-allowed", "it was allocated with 0x3", () => reading.lock(USAGE.CPU_WRITE_RARELY));
  assertRefused("not-allowed", "not locked", () => reading.unlock());
  using gpu = allocateBuffer(request({ usage: USAGE.GPU_TEXTURE }));
  assertRefused("not-allowed", "ask for CPU_READ_OFTEN", () => gpu.lock());
  using flexible = allocateBuffer(request({ format: FLEXIBLE }));
  assertRefused("not-allowed", "use lockYCbCr()", () => flexible.lock());
  using rgba = allocateBuffer(request());
  assertRefused("not-allowed", "use lock()", () => rgba.lockYCbCr());
});

Deno.test("lock() gives views that are empty after the last unlock", () => {
  using buffer = allocateBuffer(request());
  using other = buffer.retain();
  const one = buffer.lock(), two = other.lock();
  one[5] = 9;
  buffer.unlock();
  assertEquals([two[5], one.length], [9, 64 * 32 * 4]); // one mapping, one end
  other.unlock();
  assertEquals([one.length, two.length], [0, 0]);
  assertEquals(buffer.lock()[5], 9);
});

Deno.test("retain() keeps the memory until the last owner has closed", async () => {
  const files = openFiles(), before = [openBlocks(), openBuffers()];
  const first = allocateBuffer(request()), second = first.retain(), third = second.retain();
  assertEquals([openBuffers(), first.id === third.id, bufferOfHandle(first.handle)], [before[1] + 1, true, first]);
  const view = first.lock();
  view[0] = 77;
  second.copies = 3;
  first.close();
  first.close();
  assertEquals([view.length, first.isClosed, first.copies, third.copies], [0, true, 3, 3]);
  assertRefused("closed", "retain() it as long as it is used", () => first.lock());
  assertRefused("closed", "Cannot share", () => first.retain());
  assertEquals([third.lock()[0], bufferOfHandle(second.handle)], [77, second]);
  const letGo = retainMemory(second);
  for (const each of [second, third]) each.close();
  assertEquals(openBuffers(), before[1] + 1);
  letGo();
  letGo();
  assertEquals([openBlocks(), openBuffers()], before);
  await assertNoMoreFiles(files);
  retainMemory(first)();
  assertEquals(bufferOfHandle(first.handle), undefined);
});

Deno.test("allocateBuffer() numbers buffers so that no two have the same", () => {
  using one = allocateBuffer(request());
  using other = allocateBuffer(request());
  assertNotEquals(one.id, other.id);
  assertEquals(one.id >> 32n, BigInt(Deno.pid));
});

Deno.test("allocateBuffer() refuses impossible sizes, formats and usage", async () => {
  const refused = (code: WsiErrorCode, message: string, changes: Partial<BufferRequest>) =>
    assertRefused(code, message, () => allocateBuffer(request(changes)));
  const files = openFiles();
  for (const size of [0, -1, 1.5, NaN, 65_536, 2 ** 40]) {
    refused("bad-size", "give a width", { width: size });
    refused("bad-size", "give a height", { height: size });
    refused("bad-size", "layers", { layers: size });
  }
  refused("bad-size", "more than", { width: 65_535, height: 65_535 });
  refused("bad-size", "more than", { layers: 65_535, width: 4096, height: 4096 });
  refused("bad-size", "give a height of 1", { format: BLOB, height: 2 });
  refused("bad-size", "multiple of 2", { format: YV12, width: 63 });
  refused("bad-size", "multiple of 2", { format: YV12, height: 31 });
  refused("bad-size", "multiple of 4", { format: 0x25, width: 62 });
  refused("bad-size", "one plane", { format: YV12, layers: 2 });
  for (const format of [0, 6, 0x22222222, -5]) refused("bad-format", "HAL_PIXEL_FORMAT", { format });
  for (const format of [3, 0x11, BLOB]) {
    refused("bad-usage", "no GPU uses it", { format, height: format === BLOB ? 1 : 32, usage: USAGE.GPU_TEXTURE });
  }
  refused("bad-usage", "PROTECTED", { usage: USAGE.PROTECTED });
  refused("bad-usage", "name a format", { format: DEFINED });
  refused("bad-usage", "64 at most", { usage: 1n << 64n });
  refused("bad-usage", "64 at most", { usage: -1n });
  await assertNoMoreFiles(files);
});

Deno.test("allocateBuffer() chooses what IMPLEMENTATION_DEFINED is by usage", () => {
  const chosen = (usage: bigint) => {
    using buffer = allocateBuffer(request({ format: DEFINED, usage }));
    return [buffer.format, buffer.pixelFormat];
  };
  assertEquals(chosen(USAGE.CAMERA_OUTPUT | USAGE.GPU_TEXTURE), [DEFINED, NV12]);
  assertEquals(chosen(USAGE.GPU_RENDER_TARGET | USAGE.VIDEO_ENCODER), [DEFINED, HAL_FORMATS[0]]);
});

Deno.test("allocateBuffer() follows a layout rule, and refuses one that can't be followed", () => {
  let layout: Parameters<typeof registerLayout>[0] = () => ({ rowPitch: 1024, size: 40_000, memory: "anonymous" });
  const rule = registerLayout((request) => layout(request)), usage = CPU | rule.usage;
  {
    using buffer = allocateBuffer(request({ usage }));
    assertEquals([buffer.rowPitch, buffer.stride, buffer.memory.fd, buffer.memory.size], [1024, 256, -1, 40_960]);
    assertEquals(peek32(buffer.handle + 4n), 0); // no file
    buffer.lock()[0] = 5;
    using again = importHandle(buffer.handle);
    assertEquals(again.lock()[0], 5);
  }
  for (const [rowPitch, size] of [[255, 10_000], [258, 10_000], [256, NaN], [0, 0], [2 ** 40, 1]]) {
    layout = () => ({ rowPitch, size });
    assertRefused("bad-layout", "its layout rule wants", () => allocateBuffer(request({ usage })));
  }
  layout = () => undefined;
  using usual = allocateBuffer(request({ usage }));
  assertEquals([usual.rowPitch, usual.memory.kind], [256, "memfd"]);
  rule.forget();
});

Deno.test("a buffer's handle is a native_handle_t that importHandle() opens again", () => {
  using buffer = allocateBuffer(request({ width: 61, layers: 2, usage: CPU | 1n << 63n | USAGE.FRONT_BUFFER }));
  const int = (index: number) => peek32(buffer.handle + BigInt(4 * index)) | 0;
  assertEquals([int(0), int(1), int(2), int(3)], [12, 1, 13, buffer.memory.fd]);
  using again = importHandle(buffer.handle);
  const facts = ({ id, width, height, layers, format, usage, stride, rowPitch }: GraphicBuffer) => //
  ({ id, width, height, layers, format, usage, stride, rowPitch });
  assertEquals(facts(again), facts(buffer));
  buffer.lock()[100] = 42;
  assertEquals([again.lock()[100], again.memory.address === buffer.memory.address], [42, false]);
});

Deno.test("importBuffer() shares memory with another process", () => {
  using buffer = allocateBuffer(request({ width: 20, height: 10 }));
  buffer.lock().fill(6);
  const args = [`${Deno.pid}`, `${buffer.memory.fd}`, exportInts(buffer).join(",")];
  const { stdout, stderr } = runProgram("tests/programs/import_buffer.ts", args);
  assertEquals([stderr, stdout], ["", `20 x 10, stride 32, id ${buffer.id}\n0\n`]);
  assert(buffer.lock().every((byte) => byte === 7));
});

Deno.test("importBuffer() refuses descriptions and files that do not fit", async () => {
  using buffer = allocateBuffer(request());
  const { fd } = buffer.memory, ints = exportInts(buffer), files = openFiles();
  const refused = (message: string, changed: readonly number[], file = fd) =>
    assertRefused("bad-handle", message, () => importBuffer(file, changed));
  refused("12 ints", ints.slice(1));
  refused("they begin with 0x1", [1, ...ints.slice(1)]);
  refused("which is not the layout of such a buffer", ints.with(7, 63));
  refused("which is not the layout of such a buffer", ints.with(8, 128));
  refused("which is not the layout of such a buffer", ints.with(2, 4000));
  refused("which is not the layout of such a buffer", ints.with(9, 100));
  refused("cannot be used", ints, NO_FILE);
  refused("is not open in this process", ints, -1);
  assertRefused("bad-format", "HAL_PIXEL_FORMAT", () => importBuffer(fd, ints.with(4, 6)));
  assertRefused("bad-size", "give a width", () => importBuffer(fd, ints.with(1, 0)));
  const small = createMemoryFile("small"), event = createEvent();
  assert(resizeFile(small, 100n));
  refused("has 100 bytes of the 8192", ints, small);
  refused("has 0 bytes", ints, event);
  for (const each of [small, event]) closeDescriptor(each);
  assertRefused("bad-handle", "NULL", () => importHandle(0n));
  using block = new NativeBlock(64);
  block.view.setUint32(0, 13, true);
  assertRefused("bad-handle", "version 13", () => importHandle(block.address));
  await assertNoMoreFiles(files);
});

Deno.test("importBuffer() never makes a buffer that reaches beyond its memory", () => {
  using buffer = allocateBuffer(request());
  const ints = exportInts(buffer);
  fc.assert(fc.property(fc.integer({ min: 1, max: ints.length - 1 }), fc.integer({ max: 9000 }), (index, value) => {
    try {
      using made = importBuffer(buffer.memory.fd, ints.with(index, value));
      const end = (made.height - 1) * made.rowPitch + made.width * made.pixelFormat.bytesPerPixel;
      assert(end + made.layerSize * (made.layers - 1) <= 8192);
    } catch (error) {
      if (!(error instanceof WsiError)) throw error;
    }
  }));
});
