import { EQUAL, NOT_EQUAL, R12, R13, R14, R8, R9, RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP } from "../../asm/x64.ts";
import type { X64 } from "../../asm/x64.ts";
import type { HelperSlots } from "../emitter.ts";
import { INVOKE, LAST_CALL, LAST_STORES } from "../layout.ts";
import { writeNoteCaller } from "./note_caller.ts";

/** Writes the helper functions of the core image. */
export function writeHelpers(code: X64, slots: HelperSlots): void {
  writePeeks(code);
  writePokes(code);
  writeCopies(code, slots);
  writeReadString(code, slots.scratch);
  code.begin("threadPointer");
  code.threadPointer(RAX);
  code.ret();
  writeFillTable(code, "fillTable");
  writeFillTable(code, "fillByName");
  writeInvoke(code);
  code.begin("setLoaderData"); // VkResult (void *holder, void *object): the object gets the holder's dispatch key
  code.load(RAX, RDI);
  code.store(RSI, 0, RAX);
  code.xor32(RAX, RAX);
  code.ret();
  writeStoreAll(code);
  writeCallLast(code);
  writeNoteCaller(code);
}

/** void storeAll(lists): stores all pairs of the lists; see {@linkcode LAST_STORES}. */
function writeStoreAll(code: X64): void {
  code.begin("storeAll");
  const list = code.here(), done = code.label();
  code.jumpIfZero(RDI, done);
  code.lea(RCX, RDI, LAST_STORES.pairs);
  code.movImmediate32(RDX, LAST_STORES.count);
  const pair = code.here(), unused = code.label();
  code.load(RAX, RCX, LAST_STORES.address);
  code.load(RSI, RCX, LAST_STORES.value);
  code.jumpIfZero(RAX, unused);
  code.store(RAX, 0, RSI);
  code.place(unused);
  code.addImmediate(RCX, LAST_STORES.pairSize);
  code.decrement32(RDX);
  code.jumpIf(NOT_EQUAL, pair);
  code.load(RDI, RDI, LAST_STORES.next);
  code.jump(list);
  code.place(done);
  code.ret();
}

/** void callLast(call): calls a function with two arguments, all read from `call`; see {@linkcode LAST_CALL}. */
function writeCallLast(code: X64): void {
  code.begin("callLast");
  code.load(RAX, RDI, LAST_CALL.target);
  code.load(RSI, RDI, LAST_CALL.second);
  code.load(RDI, RDI, LAST_CALL.first); // the call's own memory may be gone from here on
  code.jumpRegister(RAX);
}

function writePeeks(code: X64): void {
  code.begin("peek8");
  code.load8(RAX, RDI);
  code.ret();
  code.begin("peek16");
  code.load16(RAX, RDI);
  code.ret();
  code.begin("peek32");
  code.load32(RAX, RDI);
  code.ret();
  code.begin("peek64");
  code.load(RAX, RDI);
  code.ret();
}

function writePokes(code: X64): void {
  code.begin("poke8");
  code.store8(RDI, 0, RSI);
  code.ret();
  code.begin("poke16");
  code.store16(RDI, 0, RSI);
  code.ret();
  code.begin("poke32");
  code.store32(RDI, 0, RSI);
  code.ret();
  code.begin("publish64"); // every store on this machine is a release
  code.store(RDI, 0, RSI);
  code.ret();
  code.begin("exchange64");
  code.exchange(RDI, 0, RSI);
  code.mov(RAX, RSI);
  code.ret();
  code.begin("acquire64"); // every load on this machine is an acquire
  code.load(RAX, RDI);
  code.ret();
  code.begin("poke64");
  code.store(RDI, 0, RSI);
  code.ret();
}

/** copy(to, from, size32), and the two functions that take the arena side as an offset. */
function writeCopies(code: X64, slots: HelperSlots): void {
  code.begin("copy");
  code.mov32(RDX, RDX);
  code.jumpSlot(slots.memcpy);
  code.begin("copyToArena"); // (to: u32 offset, from, size)
  code.mov32(RDI, RDI);
  code.loadSlot(RAX, slots.arenaBase);
  code.add(RDI, RAX);
  code.mov32(RDX, RDX);
  code.jumpSlot(slots.memcpy);
  code.begin("copyFromArena"); // (to, from: u32 offset, size)
  code.mov32(RSI, RSI);
  code.loadSlot(RAX, slots.arenaBase);
  code.add(RSI, RAX);
  code.mov32(RDX, RDX);
  code.jumpSlot(slots.memcpy);
}

/**
 * u32 readString(from, max32): copies the bytes before the NUL to the scratch
 * area and returns their number. Reads nothing behind the NUL.
 */
function writeReadString(code: X64, scratch: number): void {
  code.begin("readString");
  code.slotAddress(R8, scratch);
  code.xor32(RAX, RAX);
  const next = code.here();
  const done = code.label();
  code.compare32(RAX, RSI);
  code.jumpIf(EQUAL, done);
  code.load8Indexed(RCX, RDI, RAX);
  code.jumpIfZero32(RCX, done);
  code.store8Indexed(R8, RAX, RCX);
  code.increment32(RAX);
  code.jump(next);
  code.place(done);
  code.ret();
}

/**
 * void fillTable(getProcAddr, handle, names, table, sizes). `names` are
 * NUL-terminated, one after the other; `sizes` has the bytes of each with its
 * NUL as 32 bits, and ends with 0. fillByName is the same for functions that
 * only take the name; it asks only for entries that are 0 in the table.
 */
function writeFillTable(code: X64, symbol: "fillTable" | "fillByName"): void {
  const saved = [RBX, R12, R13, R14, RBP]; // an odd number keeps the stack aligned
  code.begin(symbol);
  for (const register of saved) code.push(register);
  code.mov(RBX, RDI);
  code.mov(R12, RSI);
  code.mov(R13, RDX);
  code.mov(R14, RCX);
  code.mov(RBP, R8);
  const next = code.here(), done = code.label();
  code.load32(RAX, RBP);
  code.jumpIfZero32(RAX, done);
  const known = code.label();
  if (symbol === "fillByName") {
    code.load(RAX, R14);
    code.test(RAX);
    code.jumpIf(NOT_EQUAL, known);
  }
  code.mov(RDI, symbol === "fillTable" ? R12 : R13);
  code.mov(RSI, R13);
  code.callRegister(RBX);
  code.store(R14, 0, RAX);
  code.place(known);
  code.addImmediate(R14, 8);
  code.load32(RAX, RBP);
  code.add(R13, RAX);
  code.addImmediate(RBP, 4);
  code.jump(next);
  code.place(done);
  for (const register of saved.toReversed()) code.pop(register);
  code.ret();
}

/** void invoke(block): loads every argument register and the stack from the block, calls, stores both results. */
export function writeInvoke(code: X64): void {
  code.begin("invoke");
  code.push(RBP);
  code.mov(RBP, RSP);
  code.push(RBX);
  code.push(RBX); // twice, for alignment
  code.mov(RBX, RDI);
  code.load(RAX, RBX, INVOKE.stackCount);
  const next = code.here(), done = code.label();
  code.jumpIfZero(RAX, done);
  code.pushScaled(RBX, RAX, INVOKE.stack - 8);
  code.decrement(RAX);
  code.jump(next);
  code.place(done);
  for (let xmm = 0; xmm < 8; xmm++) code.loadFloat(xmm, RBX, INVOKE.floats + 8 * xmm);
  [RDI, RSI, RDX, RCX, R8, R9].forEach((register, index) => code.load(register, RBX, INVOKE.integers + 8 * index));
  code.movImmediate32(RAX, 8); // the number of vector registers used, for variadic callees
  code.callMemory(RBX, INVOKE.target);
  code.store(RBX, INVOKE.result, RAX);
  code.storeFloat(RBX, INVOKE.floatResult, 0);
  code.lea(RSP, RBP, -16);
  code.pop(RBX);
  code.pop(RBX);
  code.pop(RBP);
  code.ret();
}
