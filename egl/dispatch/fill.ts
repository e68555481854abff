import { NativeBlock } from "../../ffi/block.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { fillTable, NameBlob } from "../../ffi/machine.ts";
import type { CommandApi } from "./names.ts";

/** The source of the addresses of a driver's functions. */
export interface EntrySource {
  /** Returns the address of a function from the libraries' exports or from eglGetProcAddress; 0n if there is none. */
  find(name: string, api: CommandApi): bigint;
  /** Returns the address of a function that the libraries export; 0n if there is none. */
  findExported(name: string, api: CommandApi): bigint;
  /**
   * The dynamic linker's handle of the library that {@linkcode EntrySource.findExported} searches, if it searches a
   * single library; whole tables are then filled in one native call.
   */
  handle?(api: CommandApi): bigint | undefined;
}

/** Names in native memory, and room for their addresses. */
interface Sheet {
  readonly blob: NameBlob;
  readonly table: bigint;
  readonly entries: BigUint64Array;
}

const sheets = new WeakMap<readonly string[], Sheet>();

/** Placed once: the lists are those of the tables, and as constant. */
function sheetOf(names: readonly string[]): Sheet {
  const known = sheets.get(names);
  if (known) return known;
  const { address, bytes } = new NativeBlock(8 * names.length);
  const entries = new BigUint64Array(bytes.buffer, bytes.byteOffset, names.length);
  const sheet = { blob: new NameBlob(names), table: address, entries };
  sheets.set(names, sheet);
  return sheet;
}

/**
 * The addresses of functions by their names, in order: what the libraries
 * export, else what the driver's eglGetProcAddress knows, else 0n. Two native
 * calls, where the driver has a handle to ask. The list is kept in native memory for
 * good: give the same one each time.
 */
export function resolveAll(source: EntrySource, api: CommandApi, names: readonly string[]): bigint[] {
  const { blob, table, entries } = sheetOf(names), handle = source.handle?.(api);
  if (handle !== undefined) fillTable({ getProcAddr: libcAddress("dlsym"), handle, names: blob, table });
  else names.forEach((name, index) => entries[index] = source.findExported(name, api));
  const getProcAddr = source.find("eglGetProcAddress", "egl");
  if (getProcAddr !== 0n) fillTable({ getProcAddr, names: blob, table });
  const found = new Array<bigint>(names.length);
  for (let index = 0; index < found.length; index++) found[index] = entries[index];
  return found;
}

/** Returns a GL function's name with OES added or removed. */
export function otherName(name: string): string {
  return name.endsWith("OES") ? name.slice(0, -3) : `${name}OES`;
}
