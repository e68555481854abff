/**
 * What this process has open, asked of the C library: reading /proc would need
 * every permission there is.
 *
 * @module
 */
import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { invoke } from "../../ffi/machine.ts";

/** How far file descriptors are looked for: the lowest free one is always given out. */
const MOST_FILES = 4096;
const F_GETFD = 1;

/** How many file descriptors this process has open. */
export function openFiles(): number {
  const fcntl = libcAddress("fcntl");
  let open = 0;
  for (let fd = 0; fd < MOST_FILES; fd++) if (call(fcntl, "s:sss", fd, F_GETFD, 0) >= 0) open++;
  return open;
}

/** How many memory mappings this process has whose line contains all of these. */
export function mappings(...texts: string[]): number {
  const lines = readFile("/proc/self/maps").split("\n");
  return lines.filter((line) => texts.every((text) => line.includes(text))).length;
}

function readFile(path: string): string {
  const memory = arena(), mark = memory.mark(), size = 65536;
  const fd = call(libcAddress("open"), "s:qss", memory.place(cstring(path)), 0, 0);
  const at = memory.alloc(size), decoder = new TextDecoder();
  let text = "", count: number;
  do {
    count = call(libcAddress("read"), "q:sqq", fd, memory.address(at), BigInt(size));
    text += decoder.decode(memory.bytes.subarray(at, at + count), { stream: true });
  } while (count > 0);
  call(libcAddress("close"), "s:s", fd);
  memory.release(mark);
  return text;
}

function call(address: bigint, signature: string, ...args: (number | bigint)[]): number {
  return Number(invoke(address, signature, args));
}
