import { assertEquals, assertNotEquals, assertStrictEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { windowAt } from "../../../wsi/window/window_memory.ts";

const float = (bits: number) => new Float32Array(Uint32Array.of(bits).buffer)[0];

Deno.test("WindowMemory has the form of an ANativeWindow, and windowAt() finds its window", () => {
  using native = new NativeWindow({ width: 4, height: 4 });
  const { address } = native, int = (at: bigint) => peek32(address + at);
  assertEquals([int(0n), int(4n), int(60n), int(64n)], [0x5f776e64, 192, 0, 1]);
  assertEquals([float(int(68n)), float(int(72n))], [96, 96]);
  assertStrictEquals(windowAt(address), native);
  for (let at = 112n; at < 192n; at += 8n) {
    const target = peek64(address + at);
    assertNotEquals(target, 0n);
    // as dequeueBuffer(window, &buffer, &fence) and its neighbours would be called
    assertEquals(bindByAddress("s:qqq")(address, 0n, 0n, target), -38);
  }
});

Deno.test("WindowMemory stays until native code has dropped its references", async () => {
  new NativeWindow({ width: 4, height: 4 }).close();
  const blocks = openBlocks(), native = new NativeWindow({ width: 4, height: 4 }), { address } = native;
  const call = (at: bigint) => bindByAddress("v:q")(address, peek64(address + at));
  call(40n);
  call(40n);
  call(48n);
  native.close();
  assertEquals([peek32(address), windowAt(address)], [0x5f776e64, native]);
  call(48n);
  await Promise.resolve(); // it is freed when native code has returned
  assertEquals([openBlocks(), windowAt(address)], [blocks, undefined]);
  native.release();
});
