import { NativeBlock } from "../../ffi/block.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { fillTable, NameBlob } from "../../ffi/machine.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import type { Api } from "./features.ts";
import type { EntrySource } from "./source.ts";

/**
 * The addresses of functions by their names, in order: what the libraries
 * export, else what the driver's eglGetProcAddress knows, else 0n.
 */
export function resolveAll(source: EntrySource, api: Api, names: readonly string[]): bigint[] {
  using blob = new NameBlob(names);
  const found = exported(source, api, names, blob);
  const getProcAddress = source.find("eglGetProcAddress", "egl");
  if (getProcAddress === 0n) return found;
  const ask = bindByAddress("q:q");
  for (let index = 0, at = blob.address; index < names.length; index++) {
    if (found[index] === 0n) found[index] = ask(at, getProcAddress);
    at += BigInt(names[index].length + 1);
  }
  return found;
}

function exported(source: EntrySource, api: Api, names: readonly string[], blob: NameBlob): bigint[] {
  const handle = source.handle?.(api);
  if (handle === undefined) return names.map((name) => source.findExported(name, api));
  using memory = new NativeBlock(8 * names.length);
  fillTable({ getProcAddr: libcAddress("dlsym"), handle, names: blob, table: memory.address });
  const { buffer, byteOffset } = memory.bytes;
  return Array.from(new BigUint64Array(buffer, byteOffset, names.length));
}

/** What a GL function may be called otherwise: with OES at its end, or without. */
export function otherName(name: string): string {
  return name.endsWith("OES") ? name.slice(0, -3) : `${name}OES`;
}
