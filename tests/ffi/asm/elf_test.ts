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

for (const [name, make, type] of [["X64", () => new X64(), 6], ["A64", () => new A64(), 1025]] as const) {
  Deno.test(`writeElf() lets the linker write the addresses of imported functions into data from ${name}`, () => {
    const code = make(), slots = ["dlopen", "dlsym"].map((imported) => code.import(imported));
    code.begin("own");
    code.jumpSlot(slots[0]);
    const { bytes, dataAt } = writeElf(code, "libsample.so"), { u16, u32, u64, text, tags } = openElf(bytes);
    const [strings, symbols, relocations] = [5, 6, 7].map((tag) => tags.get(tag)!);
    assertEquals([tags.get(8), tags.get(9)], [2 * 24, 24]);
    slots.forEach((slot, index) => {
      const at = relocations + 24 * index, symbol = symbols + 24 * u32(at + 12);
      assertEquals([u64(at), u32(at + 8)], [dataAt + slot, type]);
      const isWeakFunction = bytes[symbol + 4] === 0x22, isDefined = u16(symbol + 6) !== 0;
      assertEquals([text(strings + u32(symbol)), isWeakFunction, isDefined], [["dlopen", "dlsym"][index], true, false]);
    });
  });
}

Deno.test("writeElf() lets the linker call a function at the end, with or without an object that stays", () => {
  for (const stays of [false, true]) {
    const code = new X64();
    for (const name of ["first", "end"]) {
      code.begin(name);
      code.ret();
    }
    const { bytes, codeAt } = writeElf(code, "libsample.so", { stays, finish: code.exported[1].offset });
    assertLinkable(bytes, { machine: 62, soname: "libsample.so" });
    const { tags } = openElf(bytes), DT_FINI = 13, DT_FLAGS_1 = 0x6ffffffb;
    assertEquals([tags.get(DT_FINI), tags.has(DT_FLAGS_1)], [codeAt + code.exported[1].offset, stays]);
  }
});

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
