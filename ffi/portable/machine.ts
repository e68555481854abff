import { arenaMemory } from "../arena_memory.ts";
import type { NativeFunction } from "../image/image.ts";
import { libc } from "../libc.ts";
import { portableFunction } from "./call.ts";

function viewAt(address: bigint, size: number): DataView {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) throw new TypeError("Cannot read or write at address 0: the pointer is NULL");
  return new DataView(Deno.UnsafePointerView.getArrayBuffer(pointer, size));
}

/** The helpers of the core image without emitted code. */
export const PORTABLE: Readonly<Record<string, NativeFunction>> = {
  peek8: (address: bigint) => viewAt(address, 1).getUint8(0),
  peek16: (address: bigint) => viewAt(address, 2).getUint16(0, true),
  peek32: (address: bigint) => viewAt(address, 4).getUint32(0, true),
  peek64: (address: bigint) => viewAt(address, 8).getBigUint64(0, true),
  poke8: (address: bigint, value: number) => viewAt(address, 1).setUint8(0, value),
  poke16: (address: bigint, value: number) => viewAt(address, 2).setUint16(0, value, true),
  poke32: (address: bigint, value: number) => viewAt(address, 4).setUint32(0, value, true),
  poke64: (address: bigint, value: bigint) => viewAt(address, 8).setBigUint64(0, value, true),
  publish64: (address: bigint, value: bigint) => viewAt(address, 8).setBigUint64(0, value, true),
  acquire64: (address: bigint) => viewAt(address, 8).getBigUint64(0, true),
  exchange64(address: bigint, value: bigint) {
    const view = viewAt(address, 8), before = view.getBigUint64(0, true);
    view.setBigUint64(0, value, true);
    return before;
  },
  copy: (to: bigint, from: bigint, size: number) => void libc().memcpy(to, from, BigInt(size)),
  copyToArena: (to: number, from: bigint, size: number) =>
    void libc().memcpy(arenaMemory().base + BigInt(to), from, BigInt(size)),
  copyFromArena: (to: bigint, from: number, size: number) =>
    void libc().memcpy(to, arenaMemory().base + BigInt(from), BigInt(size)),
  threadPointer: () => 0n, // unknown, and nothing portable compares it
  fillTable: fillTable,
  fillByName: (getProcAddr, _handle, names, table, sizes) => fillTable(getProcAddr, undefined, names, table, sizes),
};

function fillTable(
  getProcAddr: bigint,
  handle: bigint | undefined,
  names: bigint,
  table: bigint,
  sizes: bigint,
): void {
  const call = portableFunction(getProcAddr, "q:qq");
  let name = names, entry = table;
  for (let size = sizes; PORTABLE.peek32(size) !== 0; entry += 8n, size += 4n) {
    const known = handle === undefined && PORTABLE.peek64(entry) !== 0n;
    if (!known) PORTABLE.poke64(entry, call(handle ?? name, name));
    name += BigInt(PORTABLE.peek32(size));
  }
}
