import { assertEquals, assertThrows } from "@std/assert";
import { A64 } from "../../../ffi/asm/a64.ts";
import { elfHash, writeElf } from "../../../ffi/asm/elf.ts";
import { X64 } from "../../../ffi/asm/x64.ts";
import { assertLinkable, openElf } from "../../support/elf.ts";

function sample(code: A64 | X64, count: number): Uint8Array<ArrayBuffer> {
  for (let index = 0; index < count; index++) {
    code.begin(`function${index}`);
    code.jumpSlot(code.reserve());
  }
  return writeElf(code, "libsample.so").bytes;
}

for (const [name, make, machine] of [["X64", () => new X64(), 62], ["A64", () => new A64(), 183]] as const) {
  Deno.test(`writeElf() makes a file from ${name} that glibc and Android's linker accept`, () => {
    assertLinkable(sample(make(), 5), { machine, soname: "libsample.so" });
  });
}

Deno.test("writeElf() makes a hash table that finds every name in a short chain", () => {
  const { u32, u64, text, tags } = openElf(sample(new X64(), 700));
  const [hash, strings, symbols] = [4, 5, 6].map((tag) => tags.get(tag)!);
  const buckets = u32(hash);
  let longest = 0;
  for (let wanted = 0; wanted < 700; wanted++) {
    const name = `function${wanted}`;
    let symbol = u32(hash + 8 + 4 * (elfHash(name) % buckets)), steps = 1;
    while (text(strings + u32(symbols + 24 * symbol)) !== name) {
      symbol = u32(hash + 8 + 4 * buckets + 4 * symbol);
      steps++;
    }
    longest = Math.max(longest, steps);
    assertEquals(u64(symbols + 24 * symbol + 8) % 16, 0);
  }
  assertEquals(longest < 30, true);
});

Deno.test("elfHash() is the System V ABI's", () => {
  const names = ["", "printf", "vkGetInstanceProcAddr"];
  assertEquals(names.map(elfHash), names.map(hashByTheBook));
  assertEquals(elfHash("printf"), 0x077905a6);
});

/** As printed in the ABI. */
function hashByTheBook(name: string): number {
  let h = 0n;
  for (const letter of name) {
    h = (h << 4n) + BigInt(letter.charCodeAt(0)) & 0xffffffffn;
    const g = h & 0xf0000000n;
    if (g) h ^= g >> 24n;
    h &= ~g & 0xffffffffn;
  }
  return Number(h);
}

Deno.test("writeElf() throws when a label was never placed", () => {
  const code = new X64();
  code.jump(code.label());
  assertThrows(() => writeElf(code, "x"), RangeError, "never placed");
});
