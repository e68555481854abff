import type { HelperSlots } from "./emitter.ts";
import { CALLER, CLOCK_MONOTONIC, LAST_CALL, LAST_STORES, RING } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** Writes the helper functions of the core image. `writeInvoke` writes `invoke`, which each processor has its own of. */
export function writeHelpers(code: Machine, slots: HelperSlots, writeInvoke: () => void): void {
  writePeeks(code);
  writePokes(code);
  writeCopies(code, slots);
  writeReadString(code, slots.scratch);
  code.begin("threadPointer");
  code.threadPointer(code.result);
  code.ret();
  writeFillTable(code, "fillTable");
  writeFillTable(code, "fillByName");
  writeInvoke();
  writeSetLoaderData(code);
  writeStoreAll(code);
  writeCallLast(code);
  writeNoteCaller(code);
}

/** VkResult setLoaderData(holder, object): the object gets the holder's dispatch key. */
function writeSetLoaderData(code: Machine): void {
  const [holder, object] = code.arguments, [key] = code.scratch;
  code.begin("setLoaderData");
  code.load(key, holder);
  code.store(object, 0, key);
  code.zero(code.result);
  code.ret();
}

/** void storeAll(lists): stores all pairs of the lists; see {@linkcode LAST_STORES}. */
function writeStoreAll(code: Machine): void {
  const [list, value, left, at] = code.arguments, [address] = code.scratch;
  code.begin("storeAll");
  const next = code.here(), done = code.label();
  code.jumpIfZero(list, done);
  code.lea(at, list, LAST_STORES.pairs);
  code.movImmediate32(left, LAST_STORES.count);
  const pair = code.here(), unused = code.label();
  code.load(address, at, LAST_STORES.address);
  code.load(value, at, LAST_STORES.value);
  code.jumpIfZero(address, unused);
  code.publish(address, value);
  code.place(unused);
  code.lea(at, at, LAST_STORES.pairSize);
  code.decrement32(left);
  code.jumpIfNotZero32(left, pair);
  code.load(list, list, LAST_STORES.next);
  code.jump(next);
  code.place(done);
  code.ret();
}

/** void callLast(call): calls a function with two arguments, all read from `call`; see {@linkcode LAST_CALL}. */
function writeCallLast(code: Machine): void {
  const [first, second] = code.arguments, [target] = code.scratch;
  code.begin("callLast");
  code.load(target, first, LAST_CALL.target);
  code.load(second, first, LAST_CALL.second);
  code.load(first, first, LAST_CALL.first); // the call's own memory may be gone from here on
  code.jumpRegister(target);
}

function writePeeks(code: Machine): void {
  const { result, arguments: [address] } = code;
  const peeks: Record<string, () => void> = {
    peek8: () => code.load8(result, address),
    peek16: () => code.load16(result, address),
    peek32: () => code.load32(result, address),
    peek64: () => code.load(result, address),
    acquire64: () => code.acquire(result, address),
  };
  writeLeaves(code, peeks);
}

function writePokes(code: Machine): void {
  const [address, value] = code.arguments;
  writeLeaves(code, {
    poke8: () => code.store8(address, 0, value),
    poke16: () => code.store16(address, 0, value),
    poke32: () => code.store32(address, 0, value),
    poke64: () => code.store(address, 0, value),
    publish64: () => code.publish(address, value),
    exchange64: () => code.exchange64(code.result, address, value),
  });
}

/** Writes functions of one step. */
function writeLeaves(code: Machine, leaves: Readonly<Record<string, () => void>>): void {
  for (const [name, write] of Object.entries(leaves)) {
    code.begin(name);
    write();
    code.ret();
  }
}

/** copy(to, from, size32), and the two functions that take the arena side as an offset. */
function writeCopies(code: Machine, slots: HelperSlots): void {
  const [to, from, size] = code.arguments, [base] = code.scratch;
  for (const [name, offset] of [["copy", undefined], ["copyToArena", to], ["copyFromArena", from]] as const) {
    code.begin(name);
    if (offset !== undefined) {
      code.mov32(offset, offset);
      code.loadSlot(base, slots.arenaBase);
      code.sum(offset, offset, base);
    }
    code.mov32(size, size);
    code.jumpSlot(slots.memcpy);
  }
}

/**
 * u32 readString(from, max32): copies the bytes before the NUL to the scratch
 * area and returns their number. Reads nothing behind the NUL.
 */
function writeReadString(code: Machine, scratch: number): void {
  const [from, most, area, byte] = code.arguments, [count] = code.scratch;
  code.begin("readString");
  code.slotAddress(area, scratch);
  code.zero(count);
  const next = code.here(), done = code.label();
  code.jumpIfEqual32(count, most, done);
  code.load8Indexed(byte, from, count);
  code.jumpIfZero32(byte, done);
  code.store8Indexed(area, count, byte);
  code.lea(count, count, 1);
  code.jump(next);
  code.place(done);
  code.mov32(code.result, count);
  code.ret();
}

/**
 * void fillTable(getProcAddr, handle, names, table, sizes). `names` are
 * NUL-terminated, one after the other; `sizes` has the bytes of each with its
 * NUL as 32 bits, and ends with 0. fillByName is the same for functions that
 * only take the name; it asks only for entries that are 0 in the table.
 */
function writeFillTable(code: Machine, symbol: "fillTable" | "fillByName"): void {
  const { saved, stack, arguments: integers, scratch: [value] } = code, size = 8 * saved.length;
  const [getProcAddr, handle, name, entry, sizes] = saved;
  code.begin(symbol);
  const at = code.openFrame(size);
  saved.forEach((register, index) => code.store(stack, at + 8 * index, register));
  saved.forEach((register, index) => code.mov(register, integers[index]));
  const next = code.here(), known = code.label(), done = code.label();
  code.load32(value, sizes);
  code.jumpIfZero32(value, done);
  if (symbol === "fillByName") {
    code.load(value, entry);
    code.jumpIfNotZero(value, known);
  }
  code.mov(integers[0], symbol === "fillTable" ? handle : name);
  code.mov(integers[1], name);
  code.callRegister(getProcAddr);
  code.store(entry, 0, code.result);
  code.place(known);
  code.lea(entry, entry, 8);
  code.load32(value, sizes);
  code.sum(name, name, value);
  code.lea(sizes, sizes, 4);
  code.jump(next);
  code.place(done);
  saved.forEach((register, index) => code.load(register, stack, at + 8 * index));
  code.closeFrame(size);
  code.ret();
}

/**
 * void noteCaller(slot, ring), for {@linkcode RING.copy}: writes when the call was made and by which thread; see
 * {@linkcode CALLER}. Floating-point arguments, which the caller's function has yet to get, are doubles at most.
 */
function writeNoteCaller(code: Machine): void {
  const [slot, ring] = code.arguments, [clock] = code.scratch, { stack, result } = code;
  const slotAt = 0, ringAt = 8, floats = 16, size = 80;
  code.begin("noteCaller");
  const at = code.openFrame(size);
  code.store(stack, at + slotAt, slot);
  code.store(stack, at + ringAt, ring);
  code.storeFloats(stack, at + floats);
  code.load(clock, ring, RING.clock);
  code.lea(ring, slot, CALLER.time); // the second argument
  code.movImmediate32(slot, CLOCK_MONOTONIC);
  code.callRegister(clock);
  code.load(ring, stack, at + ringAt);
  code.callMemory(ring, RING.tid);
  code.load(ring, stack, at + slotAt);
  code.store(ring, CALLER.tid, result);
  code.loadFloats(stack, at + floats);
  code.closeFrame(size);
  code.ret();
}
