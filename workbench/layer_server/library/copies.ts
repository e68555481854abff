import type { Label } from "../../../ffi/asm/code.ts";
import { COPIES, NOTE, PLANS_AT } from "../layout.ts";
import { writeOpen } from "./identity.ts";
import { addScaled, beginPart, type ChannelPlace, KERNEL, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/** Cells: two `iovec`s, of the note and of the program's memory, and whether something was not copied. */
const TO = 0, FROM = 2, LACKS = 4;
/** Errors of a kernel, or of a container's filter, that copies nothing for anybody: ENOSYS, EPERM. */
const REFUSALS = [-38n, -1n];
const O_RDONLY_CLOEXEC = 0x80000;

/**
 * u32 copies(note): copies into a note what the plan of the command names. The
 * kernel copies, since an address may be wrong, and says how many bytes there
 * were. Nothing here waits for anybody. Where the kernel copies nothing between
 * processes, it reads the file of the program's memory. Returns 0 if all was copied.
 */
export function writeCopies(parts: Parts, place: ChannelPlace): void {
  const { code } = parts, note = 0, step = 1, value = 2, other = 3, left = 4;
  const done = code.label(), one = code.label(), fits = code.label(), times = code.label(), sized = code.label();
  const none = code.label(), said = code.label(), refused = code.label(), lacks = code.label(), whole = code.label();
  beginPart(parts, "copies", 5);
  code.argument(note, 0);
  code.set(value, 0);
  code.storeCell(LACKS, value);
  setNumber(parts, value, place.channel + BigInt(PLANS_AT));
  code.load(step, note, NOTE.command);
  addScaled(code, value, step, 3);
  code.load(step, value);
  code.ifZero(step, done);

  const next = code.here();
  code.load(value, step, COPIES.size);
  code.ifZero(value, done);
  code.load(other, step, COPIES.address);
  code.addVariable(other, note);
  code.load(other, other);
  code.storeCell(FROM, other);
  code.ifZero(other, none);
  code.load(left, step, COPIES.count);
  code.ifZero(left, one);
  code.addVariable(left, note);
  code.load32(left, left);
  code.load(other, step, COPIES.elements);
  code.ifBelow(left, other, fits);
  code.ifEqual(left, other, fits);
  code.storeCell(LACKS, other);
  code.copy(left, other);
  code.jump(fits);
  code.place(one);
  code.set(left, 1);
  code.load(other, step, COPIES.elements);
  code.ifNotZero(other, fits);
  code.storeCell(LACKS, left);
  code.jump(none);
  code.place(fits);
  code.set(other, 0);
  code.place(times);
  code.ifZero(left, sized);
  code.addVariable(other, value);
  code.decrement(left);
  code.jump(times);
  code.place(sized);
  code.ifZero(other, none);
  code.storeCell(TO + 1, other);
  code.storeCell(FROM + 1, other);
  code.load(other, step, COPIES.to);
  code.addVariable(other, note);
  code.storeCell(TO, other);
  ownData(parts, value);
  code.load(value, value, PRIVATE.process);
  code.pass(0, value);
  code.passCell(1, TO);
  code.passNumber(2, 1);
  code.passCell(3, FROM);
  code.passNumber(4, 1);
  code.passNumber(5, 0);
  code.systemCall(KERNEL.processVmReadv);
  code.wideResult(other);
  for (const error of REFUSALS) {
    setNumber(parts, value, BigInt.asUintN(64, error));
    code.ifEqual(other, value, refused);
  }
  code.jump(said);
  code.place(refused);
  writeReadFile(parts, said);
  code.jump(said);
  code.place(none);
  code.set(other, 0);
  code.storeCell(TO + 1, other);
  code.place(said);
  code.load(value, step, COPIES.result);
  code.addVariable(value, note);
  code.store(value, 0, other);
  code.loadCell(value, TO + 1);
  code.ifEqual(value, other, whole);
  code.set(value, 1);
  code.storeCell(LACKS, value);
  code.place(whole);
  writeStruct(parts);
  code.add(step, COPIES.bytes);
  code.jump(next);
  code.place(done);
  code.loadCell(value, LACKS);
  code.ifNotZero(value, lacks);
  code.finish(0);
  code.place(lacks);
  code.finish(1);
}

/** Looks whether a copied struct is the one of the plan, and alone in its chain. Otherwise zeros are in its place. */
function writeStruct({ code }: Parts): void {
  const note = 0, step = 1, value = 2, other = 3, left = 4;
  const checked = code.label(), another = code.label(), clear = code.label();
  code.load(value, step, COPIES.struct);
  code.ifZero(value, checked);
  code.load(other, step, COPIES.to);
  code.addVariable(other, note);
  code.loadCell(left, FROM);
  code.ifZero(left, clear);
  code.load32(left, other);
  code.ifNotEqual(left, value, another);
  code.load(left, other, 8); // pNext
  code.ifZero(left, checked);
  code.place(another);
  code.set(left, 1);
  code.storeCell(LACKS, left);
  code.place(clear);
  code.load(left, step, COPIES.words);
  code.set(value, 0);
  const next = code.here();
  code.ifZero(left, checked);
  code.store(other, 0, value);
  code.add(other, 8);
  code.decrement(left);
  code.jump(next);
  code.place(checked);
}

/**
 * Reads from the program's memory as a file. Goes to a label if there is no such file; the earlier error is in `other`
 * then.
 */
function writeReadFile(parts: Parts, failed: Label): void {
  const { code } = parts, value = 2, other = 3, file = 4;
  writeOpen(parts, { path: "/proc/self/mem", flags: O_RDONLY_CLOEXEC }, [file, value], failed);
  code.pass(0, file);
  [TO, TO + 1, FROM].forEach((cell, index) => {
    code.loadCell(value, cell);
    code.pass(index + 1, value);
  });
  code.systemCall(KERNEL.pread64);
  code.wideResult(other);
  code.pass(0, file);
  code.systemCall(KERNEL.close);
}
