import { assertEquals } from "@std/assert";
import {
  NOT_EQUAL,
  R10,
  R11,
  R12,
  R13,
  R14,
  R8,
  R9,
  RAX,
  RBP,
  RBX,
  RCX,
  RDI,
  RDX,
  RSI,
  RSP,
  X64,
} from "../../../ffi/asm/x64.ts";
import { needs } from "../../support/require.ts";
import { assemble, hasAssembler } from "./gnu_as.ts";

/** The bytes that GNU as 2.40 makes of each instruction (Intel syntax), and how to ask for it. */
const INSTRUCTIONS: [text: string, bytes: string, write: (code: X64) => void][] = [
  ["mov rbx, rdi", "4889fb", (code) => code.mov(RBX, RDI)],
  ["mov r12, rsi", "4989f4", (code) => code.mov(R12, RSI)],
  ["mov edi, edi", "89ff", (code) => code.mov32(RDI, RDI)],
  ["mov r9d, r9d", "4589c9", (code) => code.mov32(R9, R9)],
  ["mov eax, 8", "b808000000", (code) => code.movImmediate32(RAX, 8)],
  ["mov r10d, 0x811c9dc5", "41bac59d1c81", (code) => code.movImmediate32(R10, 0x811c9dc5)],
  ["mov rax, [rdi]", "488b07", (code) => code.load(RAX, RDI)],
  ["mov rax, [rsp+16]", "488b442410", (code) => code.load(RAX, RSP, 16)],
  ["mov rax, [r12]", "498b0424", (code) => code.load(RAX, R12)],
  ["mov rax, [r13]", "498b4500", (code) => code.load(RAX, R13)],
  ["mov rcx, [rbx+1000]", "488b8be8030000", (code) => code.load(RCX, RBX, 1000)],
  ["mov rdi, [rbx-128]", "488b7b80", (code) => code.load(RDI, RBX, -128)],
  ["mov r10d, [rsp+8]", "448b542408", (code) => code.load32(R10, RSP, 8)],
  ["movzx eax, word ptr [rdi]", "0fb707", (code) => code.load16(RAX, RDI)],
  ["movzx eax, byte ptr [r13]", "410fb64500", (code) => code.load8(RAX, R13)],
  ["movzx r9d, byte ptr [rsi+rcx]", "440fb60c0e", (code) => code.load8Indexed(R9, RSI, RCX)],
  ["movzx ecx, byte ptr [rdi+rax]", "0fb60c07", (code) => code.load8Indexed(RCX, RDI, RAX)],
  ["mov [rdi], rsi", "488937", (code) => code.store(RDI, 0, RSI)],
  ["mov [rsp+24], rax", "4889442418", (code) => code.store(RSP, 24, RAX)],
  ["mov [r14], rax", "498906", (code) => code.store(R14, 0, RAX)],
  ["mov [r10+144], eax", "41898290000000", (code) => code.store32(R10, 144, RAX)],
  ["mov [rdi], si", "668937", (code) => code.store16(RDI, 0, RSI)],
  ["mov [rdi], sil", "408837", (code) => code.store8(RDI, 0, RSI)],
  ["mov [r8+rax], cl", "41880c00", (code) => code.store8Indexed(R8, RAX, RCX)],
  ["mov rax, [rsp+rcx*8+64]", "488b44cc40", (code) => code.loadScaled(RAX, RSP, RCX, 64)],
  ["mov [r8+rcx*8+152], rax", "498984c898000000", (code) => code.storeScaled(R8, RCX, 152, RAX)],
  ["lock inc qword ptr [r11+80]", "f049ff4350", (code) => code.lockIncrement(R11, 80)],
  ["lock dec qword ptr [r11+80]", "f049ff4b50", (code) => code.lockDecrement(R11, 80)],
  ["lock cmpxchg [r9], rcx", "f0490fb109", (code) => code.compareExchange(R9, 0, RCX)],
  ["xchg [rdi], rsi", "488737", (code) => code.exchange(RDI, 0, RSI)],
  ["and rdx, [r9+64]", "49235140", (code) => code.andMemory(RDX, R9, 64)],
  ["imul rdx, [r9+72]", "490faf5148", (code) => code.multiplyMemory(RDX, R9, 72)],
  ["movq xmm7, qword ptr [rbx+136]", "f30f7ebb88000000", (code) => code.loadFloat(7, RBX, 136)],
  ["movq qword ptr [r10+64], xmm3", "66410fd65a40", (code) => code.storeFloat(R10, 64, 3)],
  ["movq xmm0, rax", "66480f6ec0", (code) => code.moveToFloat(0, RAX)],
  ["lea rax, [rsp+8]", "488d442408", (code) => code.lea(RAX, RSP, 8)],
  ["lea r9, [rdx+24]", "4c8d4a18", (code) => code.lea(R9, RDX, 24)],
  ["lea rax, [r11+r8]", "4b8d0403", (code) => code.leaIndexed(RAX, R11, R8)],
  ["jmp rsi", "ffe6", (code) => code.jumpRegister(RSI)],
  ["jmp r9", "41ffe1", (code) => code.jumpRegister(R9)],
  ["call rbx", "ffd3", (code) => code.callRegister(RBX)],
  ["jmp [rsp+8]", "ff642408", (code) => code.jumpMemory(RSP, 8)],
  ["jmp [rax+5000]", "ffa088130000", (code) => code.jumpMemory(RAX, 5000)],
  ["jmp [rax+r9]", "42ff2408", (code) => code.jumpIndexed(RAX, R9)],
  ["call [rax+800]", "ff9020030000", (code) => code.callMemory(RAX, 800)],
  ["push qword ptr [rbx+rax*8+152]", "ffb4c398000000", (code) => code.pushScaled(RBX, RAX, 152)],
  ["push rbp", "55", (code) => code.push(RBP)],
  ["push r13", "4155", (code) => code.push(R13)],
  ["pop r14", "415e", (code) => code.pop(R14)],
  ["add rdi, rax", "4801c7", (code) => code.add(RDI, RAX)],
  ["add r14, 8", "4983c608", (code) => code.addImmediate(R14, 8)],
  ["add rdx, 288", "4881c220010000", (code) => code.addLarge(RDX, 288)],
  ["sub rsp, 8", "4883ec08", (code) => code.subtractImmediate(RSP, 8)],
  ["sub rax, r10", "4c29d0", (code) => code.subtract(RAX, R10)],
  ["inc r13", "49ffc5", (code) => code.increment(R13)],
  ["inc eax", "ffc0", (code) => code.increment32(RAX)],
  ["dec rax", "48ffc8", (code) => code.decrement(RAX)],
  ["dec r8d", "41ffc8", (code) => code.decrement32(R8)],
  ["xor eax, eax", "31c0", (code) => code.xor32(RAX, RAX)],
  ["and eax, [r10]", "412302", (code) => code.andMemory32(RAX, R10, 0)],
  ["imul eax, r8d", "410fafc0", (code) => code.multiply32(RAX, R8)],
  ["shl rdx, 4", "48c1e204", (code) => code.shiftLeft(RDX, 4)],
  ["shr r10d, 12", "41c1ea0c", (code) => code.shiftRight32(R10, 12)],
  ["and r9d, 0x3ff", "4181e1ff030000", (code) => code.andImmediate32(R9, 0x3ff)],
  ["cmp rax, [r11+r10*8+8192]", "4b3b84d300200000", (code) => code.compareScaled(RAX, R11, R10, 8192)],
  ["cmp rdx, 0x3000", "4881fa00300000", (code) => code.compareImmediate(RDX, 0x3000)],
  ["test rcx, rcx", "4885c9", (code) => code.test(RCX)],
  ["test r9d, r9d", "4585c9", (code) => code.test32(R9)],
  ["cmp rax, rcx", "4839c8", (code) => code.compare(RAX, RCX)],
  ["cmp eax, esi", "39f0", (code) => code.compare32(RAX, RSI)],
  ["cmp rax, [r11]", "493b03", (code) => code.compareMemory(RAX, R11, 0)],
  ["cmp r9b, [r8+rcx]", "453a0c08", (code) => code.compare8Indexed(R9, R8, RCX)],
  ["cmovne rdi, rax", "480f45f8", (code) => code.moveIf(NOT_EQUAL, RDI, RAX)],
  ["cmovne r8, rax", "4c0f45c0", (code) => code.moveIf(NOT_EQUAL, R8, RAX)],
  ["mov rax, fs:0", "64488b042500000000", (code) => code.threadPointer(RAX)],
  ["mov r10, fs:0", "644c8b142500000000", (code) => code.threadPointer(R10)],
  ["ret", "c3", (code) => code.ret()],
];

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const written = (code: X64) => hex(code.bytes.subarray(0, code.length));

Deno.test("X64 writes the bytes GNU as writes", () => {
  for (const [text, bytes, write] of INSTRUCTIONS) {
    const code = new X64();
    write(code);
    assertEquals([text, written(code)], [text, bytes]);
  }
});

Deno.test("X64 counts distances from the end of the instruction", () => {
  const code = new X64();
  const back = code.here(), ahead = code.label();
  code.jump(ahead);
  code.jumpIf(NOT_EQUAL, back);
  code.call(back);
  code.place(ahead);
  code.jumpSlot(8);
  code.loadSlot(R10, 16);
  code.link(0x100, 0x1000);
  const expected = ["e90b000000", "0f85f5ffffff", "e8f0ffffff", "ff25f20e0000", "4c8b15f30e0000"];
  assertEquals(written(code), expected.join(""));
});

Deno.test("X64's table of bytes is what GNU as says today", {
  ignore: Deno.build.arch !== "x86_64" || needs("C compiler", hasAssembler("as")).ignore,
}, () => {
  const said = INSTRUCTIONS.map(([text]) => [text, hex(assemble("as", `.intel_syntax noprefix\n${text}`))]);
  assertEquals(said, INSTRUCTIONS.map(([text, bytes]) => [text, bytes]));
});
