import { NativeBlock } from "../../ffi/block.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { fillTable, NameBlob } from "../../ffi/machine.ts";
import type { Api } from "./features.ts";
import type { EntrySource } from "./source.ts";

const blobs = new WeakMap<readonly string[], NameBlob>();

/** Names in native memory, placed once: the lists are those of the tables, and as constant. */
function blobOf(names: readonly string[]): NameBlob {
  const known = blobs.get(names) ?? new NameBlob(names);
  blobs.set(names, known);
  return known;
}

/**
 * The addresses of functions by their names, in order: what the libraries
 * export, else what the driver's eglGetProcAddress knows, else 0n. Two native
 * calls, where the driver has a handle to ask. The list is kept in native memory for
 * good: give the same one each time.
 */
export function resolveAll(source: EntrySource, api: Api, names: readonly string[]): bigint[] {
  const blob = blobOf(names);
  using memory = new NativeBlock(8 * names.length);
  const table = memory.address, handle = source.handle?.(api);
  const entries = new BigUint64Array(memory.bytes.buffer, memory.bytes.byteOffset, names.length);
  if (handle !== undefined) fillTable({ getProcAddr: libcAddress("dlsym"), handle, names: blob, table });
  else names.forEach((name, index) => entries[index] = source.findExported(name, api));
  const getProcAddr = source.find("eglGetProcAddress", "egl");
  if (getProcAddr !== 0n) fillTable({ getProcAddr, names: blob, table });
  const found = new Array<bigint>(names.length);
  for (let index = 0; index < found.length; index++) found[index] = entries[index];
  return found;
}

/** What a GL function may be called otherwise: with OES at its end, or without. */
export function otherName(name: string): string {
  return name.endsWith("OES") ? name.slice(0, -3) : `${name}OES`;
}
