import { assertEquals, assertThrows } from "@std/assert";
import { A64Machine } from "../../../ffi/emit/a64/machine.ts";
import type { Machine } from "../../../ffi/emit/machine.ts";
import { X64Machine } from "../../../ffi/emit/x64/machine.ts";
import { needs } from "../../support/require.ts";
import { assemble, hasAssembler } from "../asm/gnu_as.ts";

/** Instructions that are several on one processor: what each is to be there, `;` between them. */
const INSTRUCTIONS: readonly [x64: string, a64: string, write: (code: Machine) => void][] = [
  ["add rsp, -24", "stp x29, x30, [sp, #-48]!; mov x29, sp", (code) => code.openFrame(24)],
  ["add rsp, -24", "stp x29, x30, [sp, #-32]!; mov x29, sp", (code) => code.openFrame(16)],
  ["add rsp, 8", "ldp x29, x30, [sp], #16", (code) => code.closeFrame(0)],
  ["mov rax, [rsp]", "mov x17, x30", (code) => code.returnAddress(code.scratch[0])],
  ["xor eax, eax", "mov w17, #0", (code) => code.zero(code.scratch[0])],
  [
    "mov rax, [rax+40000]",
    "add x16, x17, #9, lsl #12; ldr x17, [x16, #3136]",
    (code) => code.loadFar(code.scratch[0], code.scratch[0], 40000),
  ],
  ["jmp [rax+8]", "ldr x16, [x17, #8]; br x16", (code) => code.jumpMemory(code.scratch[0], 8)],
  ["jmp [rax+r11]", "ldr x16, [x17, x10]; br x16", (code) => code.jumpIndexed(code.scratch[0], code.scratch[2])],
  ["call [rdi+16]", "ldr x16, [x0, #16]; blr x16", (code) => code.callMemory(code.arguments[0], 16)],
  ["mov rax, [rdi-8]", "mov w17, #8; sub x17, x0, x17; ldr x17, [x17]", (code) => {
    code.loadBefore(code.scratch[0], code.arguments[0], 8);
  }],
  ["mov rax, [r8+r9*8+8192]", "add x16, x11, #2, lsl #12; ldr x17, [x16, x12, lsl #3]", (code) => {
    code.loadElement(code.scratch[0], code.extra[0], code.extra[1], 8192);
  }],
  ["mov r8, [rdx+16]", "add x16, x2, #16; ldar x4, [x16]", (code) => {
    code.acquire(code.arguments[4], code.arguments[2], 16);
  }],
  ["mov [rdi], rsi", "stlr x1, [x0]", (code) => code.publish(code.arguments[0], code.arguments[1])],
  ["lea rsi, [rdi+16384]", "add x1, x0, #4, lsl #12", (code) => code.lea(code.arguments[1], code.arguments[0], 16384)],
  ["lea rsi, [rdi+4104]", "add x1, x0, #1, lsl #12; add x1, x1, #8", (code) => {
    code.lea(code.arguments[1], code.arguments[0], 4104);
  }],
  ["lea rsi, [rdi+16777217]", "movz w16, #1; movk w16, #256, lsl #16; add x1, x0, x16", (code) => {
    code.lea(code.arguments[1], code.arguments[0], 2 ** 24 + 1);
  }],
  ["add rdi, rsi", "add x0, x0, x1", (code) => code.sum(code.arguments[0], code.arguments[0], code.arguments[1])],
  ["add rdi, rsi", "add x0, x1, x0", (code) => code.sum(code.arguments[0], code.arguments[1], code.arguments[0])],
  ["lea rdx, [rdi+rsi]", "add x2, x0, x1", (code) => {
    code.sum(code.arguments[2], code.arguments[0], code.arguments[1]);
  }],
  ["mov edx, eax; shl rdx, 4; add rdx, r10", "add x2, x9, x17, lsl #4", (code) => {
    code.element(code.arguments[2], code.scratch[1], code.scratch[0], 4);
  }],
  ["sub rdi, rsi", "sub x0, x0, x1", (code) => code.difference(code.arguments[0], code.arguments[1])],
  ["dec edi", "sub w0, w0, #1", (code) => code.decrement32(code.arguments[0])],
  ["and eax, [r10+8]", "ldr w16, [x9, #8]; and w17, w17, w16", (code) => {
    code.andMemory32(code.scratch[0], code.scratch[1], 8);
  }],
  ["mov r10d, eax; shr r10d, 12; and r10d, 1023", "ubfx x9, x17, #12, #10", (code) => {
    code.extractBits(code.scratch[1], code.scratch[0], 12, 10);
  }],
  ["mov rax, rdi; shr rax, 32", "ubfx x17, x0, #32, #32", (code) => {
    code.extractBits(code.scratch[0], code.arguments[0], 32, 32);
  }],
  ["mov rax, rdi; shl rax, 24; shr rax, 48", "ubfx x17, x0, #24, #16", (code) => {
    code.extractBits(code.scratch[0], code.arguments[0], 24, 16);
  }],
  ["mov eax, r10d; shr eax, 16", "ubfx x17, x9, #16, #16", (code) => {
    code.extractBits(code.scratch[0], code.scratch[1], 16, 16);
  }],
  ["mov edi, edi", "ubfx x0, x0, #0, #32", (code) => code.extractBits(code.arguments[0], code.arguments[0], 0, 32)],
  ["cmp esi, r10d; cmova rsi, r10", "cmp w1, w9; b.ls .+8; mov w1, w9", (code) => {
    code.atMost32(code.arguments[1], code.scratch[1]);
  }],
  ["xchg [rdi], rsi; mov rax, rsi", "ldaxr x17, [x0]; stlxr w16, x1, [x0]; cbnz w16, .-8; mov x0, x17", (code) => {
    code.exchange64(code.result, code.arguments[0], code.arguments[1]);
  }],
];

/** Bytes from one row to the next in what the assembler makes. */
const ROOM = 32;

const MACHINES = [["as", X64Machine, ".intel_syntax noprefix"], [
  "aarch64-linux-gnu-as",
  A64Machine,
  ".arch armv8.5-a",
]] as const;
for (const [which, [program, Processor, head]] of MACHINES.entries()) {
  const assembler = which === 0
    ? { ignore: Deno.build.arch !== "x86_64" || needs("C compiler", hasAssembler("as")).ignore }
    : needs("AArch64 assembler", hasAssembler(program));
  Deno.test(
    `${Processor.name} writes the instructions that are one on one processor and several on another`,
    assembler,
    () => {
      const texts = INSTRUCTIONS.map((row) => row[which] as string);
      const written = INSTRUCTIONS.map(([, , write]) => {
        const code = new Processor();
        write(code);
        code.link(0, 0);
        return code.bytes.subarray(0, code.length).toHex().padEnd(2 * ROOM, "0");
      });
      const all = texts.map((text) => `${text.replaceAll("; ", "\n")}\n.balign ${ROOM}, 0`).join("\n");
      const assembled = assemble(program, `${head}\n${all}`);
      assertEquals(
        written.map((bytes, index) => [texts[index], bytes]),
        texts.map((text, index) => [text, assembled.subarray(ROOM * index, ROOM * (index + 1)).toHex()]),
      );
    },
  );
}

Deno.test("A64Machine refuses to load from an offset that is out of reach", () => {
  assertThrows(() => new A64Machine().loadFar(16, 16, 1 << 24), RangeError, "out of reach");
});
