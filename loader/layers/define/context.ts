import { arena, bytesAt } from "../../../ffi/arena.ts";
import { peek32 } from "../../../ffi/machine.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import { codec, type StructObject, structsAt } from "../../codec/codec.ts";
import { nameOfSType } from "../../codec/layout/layout.ts";
import type { Layer } from "../../layer.ts";
import { commandsBelow } from "../hooks/below.ts";
import type { LayerContext, LayerStates, NumberReader, StateTypes } from "./definition.ts";

/** The most elements of one read: Vulkan's counts are u32. */
const MOST = 0xffffffff;
/** A text is searched in steps of this size. No page is smaller. */
const STEP = 4096;

/** Makes the `this` of a layer's hooks. */
export function contextOf(layer: () => Layer, states: LayerStates<StateTypes>): LayerContext<StateTypes> {
  const context = {
    state: states,
    below: (handle: bigint) => commandsBelow(layer(), handle),
    ...READERS,
    write: (name: string, value: StructObject) => writeAll(name, [value]),
    writeAll,
  };
  return context as unknown as LayerContext<StateTypes>;
}

/** The reading methods of a hook's `this`, by name. */
const READERS = {
  read: (name: string, address: bigint): StructObject | null => readStructs(name, address, 1)?.[0] ?? null,
  readAll: readStructs,
  handles: (address: bigint, count: number): bigint[] | null => readElements("handle", address, count, 8, getU64),
  u32: numberReader("u32", 4, (view, at) => view.getUint32(at, true)),
  i32: numberReader("i32", 4, (view, at) => view.getInt32(at, true)),
  u64: numberReader("u64", 8, getU64),
  f32: numberReader("f32", 4, (view, at) => view.getFloat32(at, true)),
  bytes: readBytes,
  text: readText,
} as const;

function readStructs(name: string, address: bigint, count: number): StructObject[] | null {
  const { size, sType } = codec(name), types = sType < 0 ? 0 : count;
  if (!isPlace(name, address, count, Math.min(size, 4))) return null;
  if (types > 0) checkType(name, sType, address); // before the size, which is that of a struct of the right type
  isPlace(name, address, count, size);
  for (let index = 1; index < types; index++) checkType(name, sType, address + BigInt(size * index));
  return structsAt(name, address, count);
}

type Get<Value> = (view: DataView, at: number) => Value;

function getU64(view: DataView, at: number): bigint {
  return view.getBigUint64(at, true);
}

function numberReader<Value>(what: string, size: number, get: Get<Value>): NumberReader<Value> {
  return ((address: bigint, count?: number) => {
    const values = readElements(what, address, count ?? 1, size, get);
    return count === undefined ? values?.[0] ?? null : values;
  }) as NumberReader<Value>;
}

function readElements<Value>(
  what: string,
  address: bigint,
  count: number,
  size: number,
  get: Get<Value>,
): Value[] | null {
  if (!isPlace(what, address, count, size)) return null;
  const view = new DataView(bytesAt(address, count * size).buffer);
  return Array.from({ length: count }, (_, index) => get(view, index * size));
}

function readBytes(address: bigint, size: number): Uint8Array<ArrayBuffer> | null {
  return isPlace("byte", address, size, 1) ? bytesAt(address, size) : null;
}

/** The length of the memory behind a text is unknown, so that no step may cross into the next page unchecked. */
function readText(address: bigint): string | null {
  if (address === 0n) return null;
  const decoder = new TextDecoder();
  for (let at = address, text = "";;) {
    const size = STEP - Number(BigInt.asUintN(64, at) % BigInt(STEP)), bytes = readBytes(at, size)!;
    const end = bytes.indexOf(0);
    if (end >= 0) return text + decoder.decode(bytes.subarray(0, end));
    text += decoder.decode(bytes, { stream: true });
    at += BigInt(size);
  }
}

/**
 * Whether there is something to read; NULL is nothing. Throws a `TypeError` for
 * a value that is not an address, or without memory.
 */
function isPlace(what: string, address: bigint, count: number, size: number): boolean {
  if (typeof address !== "bigint") {
    throw new TypeError(`Cannot read ${what} at ${String(address)}: give an address, which is a bigint`);
  }
  if (!Number.isInteger(count) || count < 0 || count > MOST) {
    throw new TypeError(`Cannot read ${String(count)} of ${what}: give a whole number from 0 to ${MOST}`);
  }
  if (address === 0n) return false;
  if (count === 0 || isThere(address, count * size)) return true;
  const where = `0x${BigInt.asUintN(64, address).toString(16)}`, much = count === 1 ? what : `${count} of ${what}`;
  throw new TypeError(`Cannot read ${much} at ${where}: no memory is there, or no longer; keep no addresses`);
}

/** Memory above the arena's top belongs to earlier calls. */
function isThere(address: bigint, size: number): boolean {
  const memory = arena(), at = Number(address - memory.base);
  return at >= 0 && at < memory.size ? memory.holds(at, size) : isMapped(address, size);
}

function checkType(name: string, wanted: number, address: bigint): void {
  const found = peek32(address);
  if (found === wanted) return;
  const there = nameOfSType(found) ?? "a struct that the registry does not know";
  throw new TypeError(
    `Cannot read a ${name} (sType ${wanted}): ${there} (sType ${found}) is at 0x${address.toString(16)}`,
  );
}

function writeAll(name: string, values: readonly StructObject[]): bigint {
  const { size, encode } = codec(name), memory = arena(), at = memory.alloc(size * values.length || 1);
  values.forEach((value, index) => encode(value, at + size * index));
  return memory.address(at);
}
