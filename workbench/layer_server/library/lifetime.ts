import type { Variable } from "../../../ffi/emit/routine.ts";
import { VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY } from "../../../loader/gen/native_gen.ts";
import { RECORD } from "../layout.ts";
import { recordSize } from "./find.ts";
import { beginPart, count, KERNEL, OBJECTS, ownData, type Parts, PRIVATE } from "./parts.ts";

/** Offsets of `vk_layer.h`: of the node in the struct with the links, and of the functions below the layer in a node. */
const NODE_AT = 24, NODE = { next: 0, instance: 8, device: 16 } as const;

/** The differences between instances and devices. */
interface Kind {
  readonly create: "vkCreateInstance" | "vkCreateDevice";
  readonly destroy: "vkDestroyInstance" | "vkDestroyDevice";
  /** `sType` of the struct with the links. */
  readonly type: 47 | 48;
  /** Index of the create info among the arguments; the allocator and the output follow. */
  readonly info: 0 | 1;
  /** The function below that finds functions of the new object. */
  readonly procAddr: number;
}

const KINDS: readonly Kind[] = [
  { create: "vkCreateInstance", destroy: "vkDestroyInstance", type: 47, info: 0, procAddr: NODE.instance },
  { create: "vkCreateDevice", destroy: "vkDestroyDevice", type: 48, info: 1, procAddr: NODE.device },
];

/** Writes the functions that create and destroy instances and devices. */
export function writeLifetime(parts: Parts): void {
  for (const kind of KINDS) {
    writeCreate(parts, kind);
    writeDestroy(parts, kind);
  }
}

/** Cells of a creation: the arguments first. */
const CELL = { info: 4, node: 5, instanceProcAddr: 6, procAddr: 7, call: 8, parent: 9, count: 10 } as const;

/**
 * Creates through the function below, whose address the loader passes in a
 * struct; the link there is advanced for the next layer, and put back after a
 * failure, for layers above that try again.
 */
function writeCreate(parts: Parts, kind: Kind): void {
  const { code, functions } = parts, a = 0, b = 1, c = 2, d = 3;
  beginPart(parts, `own ${kind.create}`, CELL.count);
  for (let index = 0; index < kind.info + 3; index++) {
    code.argument(a, index);
    code.storeCell(index, a);
  }
  const failed = code.label(), ready = code.label(), created = code.label(), kept = code.label();
  code.set(a, 0);
  code.storeCell(CELL.parent, a);
  if (kind.info === 1) writeParent(parts, a, b);
  code.loadCell(a, kind.info);
  code.load(a, a, 8); // pNext
  code.pass(0, a);
  code.passNumber(1, kind.type);
  code.call(functions.findLink);
  code.wideResult(a);
  code.ifZero(a, failed); // the call did not come through a loader
  code.load(b, a, NODE_AT);
  code.ifNotZero(b, ready);
  code.place(failed);
  code.finish(VK_ERROR_INITIALIZATION_FAILED >>> 0);
  code.place(ready);
  code.storeCell(CELL.info, a);
  code.storeCell(CELL.node, b);
  code.load(c, b, NODE.next);
  code.store(a, NODE_AT, c);
  code.load(c, b, NODE.instance);
  code.storeCell(CELL.instanceProcAddr, c);
  code.load(c, b, kind.procAddr);
  code.storeCell(CELL.procAddr, c);
  code.loadCell(a, CELL.parent);
  writeLookUp(parts, { by: CELL.instanceProcAddr, handle: a, name: kind.create, to: b });
  code.ifZero(b, failed);
  code.storeCell(CELL.call, b);
  for (let index = 0; index < kind.info + 3; index++) {
    code.loadCell(a, index);
    code.pass(index, a);
  }
  code.cellAddress(a, CELL.call);
  code.callAt(a, 0);
  code.result(d);
  code.ifZero(d, created);
  code.loadCell(a, CELL.info);
  code.loadCell(b, CELL.node);
  code.store(a, NODE_AT, b);
  code.finish({ variable: d });
  code.place(created);
  code.loadCell(a, kind.info + 2);
  code.load(a, a);
  writeLookUp(parts, { by: CELL.procAddr, handle: a, name: kind.destroy, to: b });
  code.storeCell(CELL.call, b);
  code.loadCell(c, CELL.procAddr);
  code.pass(0, a);
  code.pass(1, c);
  code.pass(2, b);
  code.passNumber(3, kind.info);
  code.call(functions.addObject);
  code.wideResult(c);
  code.ifNotZero(c, kept);
  code.loadCell(b, kind.info + 1);
  code.pass(0, a);
  code.pass(1, b);
  code.cellAddress(b, CELL.call);
  code.callAt(b, 0);
  code.finish(VK_ERROR_OUT_OF_HOST_MEMORY >>> 0);
  code.place(kept);
  if (kind.info === 0) {
    writeLookUp(parts, { by: CELL.procAddr, handle: a, name: "vkEnumerateDeviceExtensionProperties", to: b });
    code.store(c, RECORD.list, b);
    writeCount(parts, a, b, c);
  }
  code.finish(0);
}

/** Stores the instance of the physical device in {@linkcode CELL.parent}. Newer loaders want it for the look-up. */
function writeParent({ code, functions }: Parts, a: Variable, b: Variable): void {
  const none = code.label();
  code.loadCell(a, 0);
  code.pass(0, a);
  code.call(functions.findObject);
  code.wideResult(b);
  code.ifZero(b, none);
  code.load(a, b, RECORD.handle);
  code.storeCell(CELL.parent, a);
  code.place(none);
}

/** A look-up: the cell with the GetProcAddr, its arguments, and where the address goes. */
interface LookUp {
  readonly by: number;
  readonly handle: Variable;
  readonly name: string;
  readonly to: Variable;
}

function writeLookUp({ code, constants }: Parts, { by, handle, name, to }: LookUp): void {
  code.labelAddress(to, constants.text(name));
  code.pass(0, handle);
  code.pass(1, to);
  code.cellAddress(to, by);
  code.callAt(to, 0);
  code.wideResult(to);
}

function writeCount(parts: Parts, a: Variable, b: Variable, c: Variable, down = false): void {
  ownData(parts, a);
  parts.code.add(a, PRIVATE.instances);
  count(parts.code, a, b, c, down);
}

/** The entry is free before the function below runs: afterwards, another object may have the same key. */
function writeDestroy(parts: Parts, kind: Kind): void {
  const { code, functions } = parts, record = 0, entry = 1, left = 2, value = 3, none = 4;
  beginPart(parts, `own ${kind.destroy}`, 2);
  for (let index = 0; index < 2; index++) {
    code.argument(record, index);
    code.storeCell(index, record);
  }
  const done = code.label(), found = code.label();
  code.loadCell(record, 0);
  code.pass(0, record);
  code.call(functions.findObject);
  code.wideResult(record);
  code.ifZero(record, done);
  ownData(parts, entry);
  code.add(entry, PRIVATE.objects);
  code.set(left, OBJECTS);
  const next = code.here();
  code.load(value, entry, 8);
  code.ifEqual(value, record, found);
  code.add(entry, 16);
  code.decrement(left);
  code.ifNotZero(left, next);
  code.place(found);
  code.set(none, 0);
  code.store(entry, 8, none);
  code.publish(entry, none);
  for (let index = 0; index < 2; index++) {
    code.loadCell(value, index);
    code.pass(index, value);
  }
  code.callAt(record, RECORD.destroy);
  code.pass(0, record);
  code.passNumber(1, recordSize(parts));
  code.systemCall(KERNEL.munmap);
  if (kind.info === 0) writeCount(parts, entry, left, value, true);
  code.place(done);
  code.finish(0);
}
