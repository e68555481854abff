import { firstDeviceNumber, OWN } from "../commands.ts";
import { RECORD } from "../layout.ts";
import { NAME_ENTRY, SUM_END } from "./constants.ts";
import { addScaled, beginPart, KERNEL, LINK, OBJECTS, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/** The smallest of the kernel's error numbers, as it returns them in place of an address. */
export const FIRST_ERROR = 0xffff_ffff_ffff_f000n;

/** Writes the functions that find names and objects. */
export function writeFind(parts: Parts): void {
  writeFindNames(parts);
  writeFindObject(parts);
  writeAddObject(parts);
  writeFindLink(parts);
}

/** Writes the functions that find names. */
export function writeFindNames(parts: Parts): void {
  writeSameText(parts);
  writeFindName(parts);
}

/** Bytes of a {@linkcode RECORD}. */
export function recordSize({ names }: Parts): number {
  return RECORD.next + 8 * names.length;
}

/** u32 sameText(one, other): 1 if two texts are equal. */
function writeSameText(parts: Parts): void {
  const { code } = parts, one = 0, other = 1, left = 2, right = 3;
  beginPart(parts, "sameText");
  code.argument(one, 0);
  code.argument(other, 1);
  const next = code.here(), differ = code.label(), same = code.label();
  code.load8(left, one);
  code.load8(right, other);
  code.ifNotEqual(left, right, differ);
  code.ifZero(left, same);
  code.add(one, 1);
  code.add(other, 1);
  code.jump(next);
  code.place(same);
  code.finish(1);
  code.place(differ);
  code.finish(0);
}

/** u32 findName(name): the command's number and 1; 0 for a name that is not known. */
function writeFindName(parts: Parts): void {
  const { code, functions } = parts, at = 0, sum = 1, offset = 2, table = 3, name = 4;
  beginPart(parts, "findName");
  code.argument(at, 0);
  code.copy(name, at);
  code.set(sum, 0);
  const add = code.here(), added = code.label(), small = code.label(), none = code.label(), found = code.label();
  code.load8(offset, at);
  code.ifZero(offset, added);
  code.addVariable(sum, offset);
  code.add(at, 1);
  code.jump(add);
  code.place(added);
  code.set(offset, SUM_END);
  code.ifBelow(sum, offset, small);
  code.place(none);
  code.finish(0);
  code.place(small);
  code.labelAddress(table, parts.nameTable);
  code.copy(at, table);
  addScaled(code, at, sum, 2);
  const entry = code.here();
  code.load32(offset, at); // of a bucket, or NAME_ENTRY.next
  code.ifZero(offset, none);
  code.copy(at, table);
  code.addVariable(at, offset);
  code.copy(sum, at);
  code.add(sum, NAME_ENTRY.name);
  code.pass(0, sum);
  code.pass(1, name);
  code.call(functions.sameText);
  code.result(sum);
  code.ifNotZero(sum, found);
  code.jump(entry);
  code.place(found);
  code.load32(sum, at, NAME_ENTRY.number);
  code.add(sum, 1);
  code.finish({ variable: sum });
}

/** RECORD *findObject(handle): the record of the instance or device of a dispatchable handle; 0 for another value. */
function writeFindObject(parts: Parts): void {
  const { code } = parts, key = 0, entry = 1, end = 2, found = 3;
  beginPart(parts, "findObject");
  const none = code.label(), here = code.label();
  code.argument(key, 0);
  code.ifZero(key, none);
  code.load(key, key);
  ownData(parts, entry);
  code.add(entry, PRIVATE.objects);
  code.copy(end, entry);
  code.add(end, 16 * OBJECTS);
  const next = code.here();
  code.acquire(found, entry);
  code.ifEqual(found, key, here);
  code.add(entry, 16);
  code.ifBelow(entry, end, next);
  code.place(none);
  code.finish(0);
  code.place(here);
  code.load(found, entry, 8);
  code.finish({ variable: found });
}

/**
 * RECORD *addObject(handle, procAddr, destroy, isDevice): makes the record of a new
 * instance or device. In a program that is connected, the record has all
 * functions of its kind: a loader answers with the top of the chain once an
 * instance is finished. Returns 0 if there is no room.
 */
function writeAddObject(parts: Parts): void {
  const { code, names, functions } = parts, record = 0, at = 1, number = 2, value = 3, other = 4;
  beginPart(parts, "addObject", 4);
  for (let index = 0; index < 4; index++) {
    code.argument(at, index);
    code.storeCell(index, at);
  }
  const mapped = code.label(), placed = code.label(), command = code.label(), counted = code.label();
  code.passNumber(0, 0);
  code.passNumber(1, recordSize(parts));
  code.passNumber(2, 3); // PROT_READ | PROT_WRITE
  code.passNumber(3, 0x22); // MAP_PRIVATE | MAP_ANONYMOUS
  code.passNumber(4, 0xffff_ffff);
  code.passNumber(5, 0);
  code.systemCall(KERNEL.mmap);
  code.wideResult(record);
  setNumber(parts, value, FIRST_ERROR);
  code.ifBelow(record, value, mapped);
  code.finish(0);
  code.place(mapped);
  [RECORD.handle, RECORD.procAddr, RECORD.destroy].forEach((offset, cell) => {
    code.loadCell(value, cell);
    code.store(record, offset, value);
  });
  code.load(value, record, RECORD.handle);
  code.load(value, value);
  code.store(record, RECORD.key, value);
  ownData(parts, at);
  code.load(value, at, PRIVATE.link);
  code.set(other, LINK.connected);
  code.set(number, 0);
  if (parts.place) code.ifEqual(value, other, command);
  code.jump(counted);
  if (parts.place) {
    const keep = code.label(), isOwn = code.label(), ofInstance = code.label(), ofDevice = code.label();
    code.place(command);
    code.set(other, OWN.length);
    code.ifBelow(number, other, isOwn);
    code.labelAddress(at, parts.namePlaces);
    code.copy(value, number);
    addScaled(code, at, value, 2);
    code.load32(at, at);
    code.labelAddress(value, parts.nameTable);
    code.addVariable(value, at);
    code.load(other, record, RECORD.handle);
    code.pass(0, other);
    code.pass(1, value);
    code.callAt(record, RECORD.procAddr);
    code.wideResult(value);
    code.jump(keep);
    code.place(isOwn);
    code.labelAddress(value, functions.own);
    code.copy(other, number);
    addScaled(code, value, other, 4);
    code.place(keep);
    code.copy(at, record);
    code.copy(other, number);
    addScaled(code, at, other, 3);
    code.store(at, RECORD.next, value);
    code.add(number, 1);
    code.loadCell(value, 3);
    code.ifZero(value, ofInstance);
    code.set(other, OWN.length);
    code.ifNotEqual(number, other, ofDevice);
    code.set(number, firstDeviceNumber());
    code.place(ofDevice);
    code.set(other, names.length);
    code.ifBelow(number, other, command);
    code.jump(counted);
    code.place(ofInstance);
    code.set(other, firstDeviceNumber()); // loaders make functions for names that they do not know
    code.ifBelow(number, other, command);
  }
  code.place(counted);
  ownData(parts, at);
  code.add(at, PRIVATE.objects);
  code.set(number, OBJECTS);
  const entry = code.here(), taken = code.label();
  code.set(value, 0);
  code.set(other, 1); // no dispatch key
  code.exchange(at, value, other, taken);
  code.jump(placed);
  code.place(taken);
  code.add(at, 16);
  code.decrement(number);
  code.ifNotZero(number, entry);
  code.pass(0, record);
  code.passNumber(1, recordSize(parts));
  code.systemCall(KERNEL.munmap);
  code.finish(0);
  code.place(placed);
  code.store(at, 8, record);
  code.load(value, record, RECORD.key);
  code.publish(at, value);
  code.finish({ variable: record });
}

/** Offsets of `vk_layer.h` in VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo. */
const INFO = { next: 8, layerFunction: 16 } as const;

/** void *findLink(chain, sType): the loader's struct with the links (VK_LAYER_LINK_INFO) in a chain; 0 for none. */
function writeFindLink(parts: Parts): void {
  const { code } = parts, at = 0, type = 1, found = 2;
  beginPart(parts, "findLink");
  code.argument(at, 0);
  code.argument(type, 1);
  const look = code.here(), next = code.label(), done = code.label();
  code.ifZero(at, done);
  code.load32(found, at);
  code.ifNotEqual(found, type, next);
  code.load32(found, at, INFO.layerFunction);
  code.ifZero(found, done);
  code.place(next);
  code.load(at, at, INFO.next);
  code.jump(look);
  code.place(done);
  code.finish({ variable: at });
}
