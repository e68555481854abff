import { assertEquals, assertThrows } from "@std/assert";
import { A64, EQ, LO, LS, NE, SP } from "../../../ffi/asm/a64.ts";
import type { Label } from "../../../ffi/asm/code.ts";
import { needs } from "../../support/require.ts";
import { assemble, hasAssembler } from "./gnu_as.ts";

/** The words that GNU as 2.40 makes of each instruction, and how to ask for it. */
const INSTRUCTIONS: [text: string, word: number, write: (code: A64) => void][] = [
  ["mov x16, x5", 0xaa0503f0, (code) => code.mov(16, 5)],
  ["mov w3, w3", 0x2a0303e3, (code) => code.mov32(3, 3)],
  ["mov x29, sp", 0x910003fd, (code) => code.movStack(29, SP)],
  ["mov sp, x29", 0x910003bf, (code) => code.movStack(SP, 29)],
  ["movz w0, #0", 0x52800000, (code) => code.movImmediate32(0, 0)],
  ["fmov d0, x0", 0x9e670000, (code) => code.moveToFloat(0, 0)],
  ["ldr x16, [x0]", 0xf9400010, (code) => code.load(16, 0)],
  ["ldr x16, [x16, #32760]", 0xf97ffe10, (code) => code.load(16, 16, 32760)],
  ["ldr x16, [sp, #56]", 0xf9401ff0, (code) => code.load(16, SP, 56)],
  ["ldr w9, [x1, #28]", 0xb9401c29, (code) => code.load32(9, 1, 28)],
  ["ldr w17, [sp, #16380]", 0xb97ffff1, (code) => code.load32(17, SP, 16380)],
  ["ldrh w0, [x0]", 0x79400000, (code) => code.load16(0, 0)],
  ["ldrb w9, [x21]", 0x394002a9, (code) => code.load8(9, 21)],
  ["str x1, [x0]", 0xf9000001, (code) => code.store(0, 0, 1)],
  ["str x19, [sp, #16]", 0xf9000bf3, (code) => code.store(SP, 16, 19)],
  ["str w9, [x10, #144]", 0xb9009149, (code) => code.store32(10, 144, 9)],
  ["strh w1, [x0]", 0x79000001, (code) => code.store16(0, 0, 1)],
  ["strb w1, [x0]", 0x39000001, (code) => code.store8(0, 0, 1)],
  ["str d0, [x19, #152]", 0xfd004e60, (code) => code.storeFloat(19, 152, 0)],
  ["ldr x16, [x16, x17]", 0xf8716a10, (code) => code.loadIndexed(16, 16, 17)],
  ["ldr x16, [x16, w3, uxtw]", 0xf8634a10, (code) => code.loadIndexed32(16, 16, 3)],
  ["ldr x13, [sp, x12, lsl #3]", 0xf86c7bed, (code) => code.loadScaled(13, SP, 12)],
  ["str x10, [x11, x9, lsl #3]", 0xf829796a, (code) => code.storeScaled(10, 11, 9)],
  ["ldrb w12, [x1, x11]", 0x386b682c, (code) => code.load8Indexed(12, 1, 11)],
  ["strb w11, [x9, x0]", 0x3820692b, (code) => code.store8Indexed(9, 0, 11)],
  ["ldp x1, x2, [sp, #16]", 0xa9410be1, (code) => code.loadPair(1, 2, SP, 16)],
  ["stp x6, x7, [x10, #48]", 0xa9031d46, (code) => code.storePair(6, 7, 10, 48)],
  ["stp x1, x2, [x3, #-512]", 0xa9200861, (code) => code.storePair(1, 2, 3, -512)],
  ["ldp d6, d7, [x19, #128]", 0x6d481e66, (code) => code.loadFloatPair(6, 7, 19, 128)],
  ["stp d0, d1, [x10, #64]", 0x6d040540, (code) => code.storeFloatPair(0, 1, 10, 64)],
  ["ldp x29, x30, [sp], #48", 0xa8c37bfd, (code) => code.leave(48)],
  ["ldar x10, [x17]", 0xc8dffe2a, (code) => code.loadAcquire(10, 17)],
  ["stlr x1, [x0]", 0xc89ffc01, (code) => code.storeRelease(1, 0)],
  ["ldaxr x10, [x9]", 0xc85ffd2a, (code) => code.loadExclusive(10, 9)],
  ["stlxr w11, x10, [x9]", 0xc80bfd2a, (code) => code.storeExclusive(11, 10, 9)],
  ["add x21, x21, #1", 0x910006b5, (code) => code.add(21, 21, 1)],
  ["add x11, x11, #288", 0x9104816b, (code) => code.add(11, 11, 288)],
  ["add x16, x16, #9, lsl #12", 0x91402610, (code) => code.addPages(16, 16, 9)],
  ["sub x9, x9, #1", 0xd1000529, (code) => code.subtract(9, 9, 1)],
  ["sub x16, x30, x9", 0xcb0903d0, (code) => code.subtractRegister(16, 30, 9)],
  ["add w0, w0, #1", 0x11000400, (code) => code.add32(0, 0, 1)],
  ["sub w10, w10, #1", 0x5100054a, (code) => code.subtract32(10, 10, 1)],
  ["add x1, x22, x9", 0x8b0902c1, (code) => code.addRegister(1, 22, 9)],
  ["add x14, x10, x9, lsl #4", 0x8b09114e, (code) => code.addRegister(14, 10, 9, 4)],
  ["sub sp, sp, x9, uxtx #3", 0xcb296fff, (code) => code.growStack(9)],
  ["and w9, w9, w13", 0x0a0d0129, (code) => code.and32(9, 9, 13)],
  ["eor w9, w9, w12", 0x4a0c0129, (code) => code.xor32(9, 12)],
  ["mul w9, w9, w11", 0x1b0b7d29, (code) => code.multiply32(9, 11)],
  ["ubfx x9, x16, #12, #10", 0xd34c5609, (code) => code.extractBits(9, 16, 12, 10)],
  ["cmp x16, x9", 0xeb09021f, (code) => code.compare(16, 9)],
  ["cmp w12, w16", 0x6b10019f, (code) => code.compare32(12, 16)],
  ["mrs x16, tpidr_el0", 0xd53bd050, (code) => code.threadPointer(16)],
  ["br x16", 0xd61f0200, (code) => code.jumpRegister(16)],
  ["blr x19", 0xd63f0260, (code) => code.callRegister(19)],
  ["ret", 0xd65f03c0, (code) => code.ret()],
];

/** Instructions with a distance in bytes: to a label, or to data for those that take none. */
const DISTANCES: [text: string, word: number, distance: number, write: (code: A64, to: Label) => void][] = [
  ["b .+8", 0x14000002, 8, (code, to) => code.jump(to)],
  ["b .-64", 0x17fffff0, -64, (code, to) => code.jump(to)],
  ["b.eq .+16", 0x54000080, 16, (code, to) => code.jumpIf(EQ, to)],
  ["b.ne .-16", 0x54ffff81, -16, (code, to) => code.jumpIf(NE, to)],
  ["b.ls .+16", 0x54000089, 16, (code, to) => code.jumpIf(LS, to)],
  ["b.lo .+16", 0x54000083, 16, (code, to) => code.jumpIf(LO, to)],
  ["cbz x9, .+12", 0xb4000069, 12, (code, to) => code.jumpIfZero(9, to)],
  ["cbnz x9, .+12", 0xb5000069, 12, (code, to) => code.jumpIfNotZero(9, to)],
  ["cbz w9, .-12", 0x34ffffa9, -12, (code, to) => code.jumpIfZero32(9, to)],
  ["cbnz w12, .+1048572", 0x357fffec, 1048572, (code, to) => code.jumpIfNotZero32(12, to)],
  ["tbnz w0, #31, .+32764", 0x37fbffe0, 32764, (code, to) => code.jumpIfNegative32(0, to)],
  ["ldr x16, .+65536", 0x58080010, 65536, (code) => code.loadSlot(16, 0)],
  ["ldr x17, .-8", 0x58ffffd1, -8, (code) => code.loadSlot(17, 0)],
  ["adr x17, .+1023", 0x70001ff1, 1023, (code) => code.slotAddress(17, 0)],
  ["adr x17, .-1021", 0x70ffe011, -1021, (code) => code.slotAddress(17, 0)],
];

const words = (code: A64) => new Uint32Array(code.bytes.buffer, 0, code.length / 4);
const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");

Deno.test("A64 writes the words GNU as writes", () => {
  for (const [text, word, write] of INSTRUCTIONS) {
    const code = new A64();
    write(code);
    assertEquals([text, hex(words(code)[0])], [text, hex(word)]);
  }
});

Deno.test("A64 writes distances as GNU as does, forward and back", () => {
  for (const [text, word, distance, write] of DISTANCES) {
    const code = new A64();
    const label = code.label();
    const pad = (bytes: number) => {
      for (let at = 0; at < bytes; at += 4) code.ret();
    };
    if (distance < 0) code.place(label);
    pad(-distance);
    const at = code.length;
    write(code, label);
    if (distance > 0) {
      pad(distance - 4);
      code.place(label);
    }
    code.link(0, at + distance);
    assertEquals([text, hex(words(code)[at / 4])], [text, hex(word)]);
  }
});

Deno.test("A64 takes two words for a large immediate", () => {
  const code = new A64();
  code.movImmediate32(9, 0x811c9dc5);
  code.enter(48);
  assertEquals([...words(code)].map(hex), ["5293b8a9", "72b02389", "a9bd7bfd", "910003fd"]);
});

Deno.test("A64 throws when an offset or a distance doesn't fit", () => {
  const code = new A64();
  for (const offset of [-8, 4, 32768]) assertThrows(() => code.load(0, 0, offset), RangeError, `offset ${offset}`);
  for (const offset of [-520, 4, 512]) assertThrows(() => code.loadPair(0, 1, 2, offset), RangeError, "pair");
  const far = new A64();
  far.loadSlot(16, 0);
  assertThrows(() => far.link(0, 1 << 20), RangeError, "1048576 bytes");
});

const ASSEMBLER = needs("AArch64 assembler", hasAssembler("aarch64-linux-gnu-as"));

Deno.test("A64's table of words is what GNU as says today", ASSEMBLER, () => {
  const rows = [...INSTRUCTIONS, ...DISTANCES];
  const all = rows.map(([text, word]) => [text, hex(word)]);
  const said = rows.map(([text]) => {
    const bytes = assemble("aarch64-linux-gnu-as", `.arch armv8.5-a\n${text}`);
    return [text, hex(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true))];
  });
  assertEquals(said, all);
});
