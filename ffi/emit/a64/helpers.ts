import { type A64, EQ, FP, SP, X16 } from "../../asm/a64.ts";
import type { HelperSlots } from "../emitter.ts";
import { INVOKE, LAST_CALL, LAST_STORES } from "../layout.ts";
import { writeNoteCaller } from "./note_caller.ts";

/** Writes the helper functions of the core image. */
export function writeHelpers(code: A64, slots: HelperSlots): void {
  writePeeks(code);
  writePokes(code);
  writeCopies(code, slots);
  writeReadString(code, slots.scratch);
  code.begin("threadPointer");
  code.threadPointer(0);
  code.ret();
  writeFillTable(code, "fillTable");
  writeFillTable(code, "fillByName");
  writeInvoke(code);
  code.begin("setLoaderData"); // VkResult (void *holder, void *object): the object gets the holder's dispatch key
  code.load(9, 0);
  code.store(9, 1);
  code.movImmediate32(0, 0);
  code.ret();
  writeStoreAll(code);
  writeCallLast(code);
  writeNoteCaller(code);
}

/** void storeAll(lists): stores all pairs of the lists; see {@linkcode LAST_STORES}. */
function writeStoreAll(code: A64): void {
  code.begin("storeAll");
  const list = code.here(), done = code.label();
  code.jumpIfZero(0, done);
  code.add(9, 0, LAST_STORES.pairs);
  code.movImmediate32(10, LAST_STORES.count);
  const pair = code.here(), unused = code.label();
  code.load(11, 9, LAST_STORES.address);
  code.load(12, 9, LAST_STORES.value);
  code.jumpIfZero(11, unused);
  code.storeRelease(12, 11);
  code.place(unused);
  code.add(9, 9, LAST_STORES.pairSize);
  code.subtract(10, 10, 1);
  code.jumpIfNotZero32(10, pair);
  code.load(0, 0, LAST_STORES.next);
  code.jump(list);
  code.place(done);
  code.ret();
}

/** void callLast(call): calls a function with two arguments, all read from `call`; see {@linkcode LAST_CALL}. */
function writeCallLast(code: A64): void {
  code.begin("callLast");
  code.load(X16, 0, LAST_CALL.target);
  code.load(1, 0, LAST_CALL.second);
  code.load(0, 0, LAST_CALL.first); // the call's own memory may be gone from here on
  code.jumpRegister(X16);
}

function writePeeks(code: A64): void {
  code.begin("peek8");
  code.load8(0, 0);
  code.ret();
  code.begin("peek16");
  code.load16(0, 0);
  code.ret();
  code.begin("peek32");
  code.load32(0, 0);
  code.ret();
  code.begin("peek64");
  code.load(0, 0);
  code.ret();
}

function writePokes(code: A64): void {
  code.begin("poke8");
  code.store8(1, 0);
  code.ret();
  code.begin("poke16");
  code.store16(1, 0);
  code.ret();
  code.begin("poke32");
  code.store32(1, 0);
  code.ret();
  code.begin("poke64");
  code.store(1, 0);
  code.ret();
  code.begin("publish64");
  code.storeRelease(1, 0);
  code.ret();
  code.begin("exchange64");
  const retry = code.here();
  code.loadExclusive(9, 0);
  code.storeExclusive(10, 1, 0);
  code.jumpIfNotZero32(10, retry);
  code.mov(0, 9);
  code.ret();
  code.begin("acquire64");
  code.loadAcquire(0, 0);
  code.ret();
}

/** copy(to, from, size32), and the two functions that take the arena side as an offset. */
function writeCopies(code: A64, slots: HelperSlots): void {
  code.begin("copy");
  code.mov32(2, 2);
  code.jumpSlot(slots.memcpy);
  for (const [name, offset] of [["copyToArena", 0], ["copyFromArena", 1]] as const) {
    code.begin(name);
    code.mov32(offset, offset);
    code.loadSlot(9, slots.arenaBase);
    code.addRegister(offset, offset, 9);
    code.mov32(2, 2);
    code.jumpSlot(slots.memcpy);
  }
}

/**
 * u32 readString(from, max32): copies the bytes before the NUL to the scratch
 * area and returns their number. Reads nothing behind the NUL.
 */
function writeReadString(code: A64, scratch: number): void {
  code.begin("readString");
  code.slotAddress(9, scratch);
  code.mov(10, 0);
  code.movImmediate32(0, 0);
  const next = code.here(), done = code.label();
  code.compare32(0, 1);
  code.jumpIf(EQ, done);
  code.load8Indexed(11, 10, 0);
  code.jumpIfZero32(11, done);
  code.store8Indexed(11, 9, 0);
  code.add32(0, 0, 1);
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
function writeFillTable(code: A64, symbol: "fillTable" | "fillByName"): void {
  const getProcAddr = 19, handle = 20, name = 21, entry = 22, size = 23;
  code.begin(symbol);
  code.enter(64);
  code.storePair(19, 20, SP, 16);
  code.storePair(21, 22, SP, 32);
  code.store(size, SP, 48);
  for (let index = 0; index < 5; index++) code.mov(19 + index, index);
  const next = code.here(), done = code.label();
  code.load32(9, size);
  code.jumpIfZero32(9, done);
  const known = code.label(), unknown = code.label();
  if (symbol === "fillByName") {
    code.load(9, entry);
    code.jumpIfZero(9, unknown);
    code.jump(known);
    code.place(unknown);
  }
  code.mov(0, symbol === "fillTable" ? handle : name);
  code.mov(1, name);
  code.callRegister(getProcAddr);
  code.store(0, entry);
  code.place(known);
  code.add(entry, entry, 8);
  code.load32(9, size);
  code.addRegister(name, name, 9);
  code.add(size, size, 4);
  code.jump(next);
  code.place(done);
  code.load(size, SP, 48);
  code.loadPair(19, 20, SP, 16);
  code.loadPair(21, 22, SP, 32);
  code.leave(64);
  code.ret();
}

/** void invoke(block): loads every argument register and the stack from the block, calls, stores both results. */
export function writeInvoke(code: A64): void {
  const block = 19;
  code.begin("invoke");
  code.enter(32);
  code.store(block, SP, 16);
  code.mov(block, 0);
  code.load(9, block, INVOKE.stackCount);
  code.growStack(9);
  const next = code.here(), done = code.label();
  code.jumpIfZero(9, done);
  code.subtract(9, 9, 1);
  code.addRegister(10, block, 9, 3);
  code.load(10, 10, INVOKE.stack);
  code.movStack(11, SP);
  code.storeScaled(10, 11, 9);
  code.jump(next);
  code.place(done);
  for (let index = 0; index < 8; index += 2) code.loadFloatPair(index, index + 1, block, INVOKE.floats + 8 * index);
  for (let index = 0; index < 8; index += 2) code.loadPair(index, index + 1, block, INVOKE.integers + 8 * index);
  code.load(X16, block, INVOKE.target);
  code.callRegister(X16);
  code.store(0, block, INVOKE.result);
  code.storeFloat(0, block, INVOKE.floatResult);
  code.movStack(SP, FP);
  code.load(block, SP, 16);
  code.leave(32);
  code.ret();
}
