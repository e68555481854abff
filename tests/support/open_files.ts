/**
 * Lists the open files of this process, asked of the C library: reading /proc would need every permission there is.
 *
 * @module
 */
import { inFrame } from "../../ffi/arena.ts";
import { cstring, readCString } from "../../ffi/cstring.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { invokeAddress } from "../../ffi/machine.ts";

/** Offsets of the length in bytes, and of the name, in an entry of a folder. */
const LENGTH = 16, NAME = 19;
/** Nameless memory of whole aligned pages of the engine's heap, 256 KiB each: both addresses end in 18 zero bits. */
const HEAP_PAGES = /^[0-9a-f]+[048c]0000-[0-9a-f]+[048c]0000 rw-p 0+ 00:00 0\s*$/;
const SHADER_CACHE = "/mesa_shader_cache";
const O_DIRECTORY = Deno.build.arch === "aarch64" ? 0o40000 : 0o200000;

/** The number of files that this process has open. */
export function openFiles(): number {
  return openTargets().length;
}

/** The file descriptors that this process has open. */
export function openDescriptors(): number[] {
  return inFrame((memory) => {
    const size = 65536;
    const folder = call(libcAddress("open"), "s:qs", memory.place(cstring("/proc/self/fd")), O_DIRECTORY);
    const at = memory.alloc(size), found: number[] = [];
    // ssize_t getdents64(int fd, void *entries, size_t size)
    for (let length; (length = call(libcAddress("getdents64"), "q:soq", folder, at, BigInt(size))) > 0;) {
      for (let entry = at; entry < at + length; entry += memory.view.getUint16(entry + LENGTH, true)) {
        found.push(Number(readCString(memory.address(entry + NAME))));
      }
    }
    call(libcAddress("close"), "s:s", folder);
    return found.filter((fd) => fd >= 0 && fd !== folder); // "." and ".." are no numbers
  });
}

/** The number of them that lead to something whose name contains this text. */
export function openFilesNamed(text: string): number {
  return openDescriptors().filter((fd) => targetOf(`/proc/self/fd/${fd}`).includes(text)).length;
}

/**
 * The targets of each of them, in the order of the descriptors. Mesa's shader cache is no file of ours: a thread
 * of the driver writes entries when nothing else wants the processor, which on a busy machine is long after the frame.
 * A descriptor that leads nowhere was closed between the two looks.
 */
export function openTargets(): string[] {
  return openDescriptors().map((fd) => targetOf(`/proc/self/fd/${fd}`))
    .filter((path) => path !== "" && !path.includes(SHADER_CACHE));
}

/** The target of a symbolic link; "" for none. */
function targetOf(path: string): string {
  return inFrame((memory) => {
    const size = 4096, at = memory.alloc(size);
    // ssize_t readlink(const char *path, char *target, size_t size)
    const length = call(libcAddress("readlink"), "q:qoq", memory.place(cstring(path)), at, BigInt(size));
    return length <= size ? new TextDecoder().decode(memory.bytes.slice(at, at + length)) : ""; // -1 is large
  });
}

/** The number of memory mappings of this process whose line contains all of these. */
export function mappings(...texts: string[]): number {
  const lines = readFile("/proc/self/maps").split("\n");
  return lines.filter((line) => texts.every((text) => line.includes(text))).length;
}

/** Address of the first memory mapping whose line contains a text; 0n for none. */
export function mappedAt(text: string): bigint {
  const line = readFile("/proc/self/maps").split("\n").find((line) => line.includes(text));
  return line === undefined ? 0n : BigInt(`0x${line.split("-")[0]}`);
}

/**
 * The number of memory mappings that this process has beside the pages of the engine's
 * heap. These come and go with the engine's guess of what it will need soon.
 */
export function mappingsBesideHeap(): number {
  return readFile("/proc/self/maps").split("\n").filter((line) => line && !HEAP_PAGES.test(line)).length;
}

/** The text of a file of /proc; `""` for none. */
export function readFile(path: string): string {
  return inFrame((memory) => {
    const size = 65536;
    const fd = call(libcAddress("open"), "s:qss", memory.place(cstring(path)), 0, 0);
    const at = memory.alloc(size), decoder = new TextDecoder();
    let text = "", count: number;
    do {
      count = call(libcAddress("read"), "q:sqq", fd, memory.address(at), BigInt(size));
      text += decoder.decode(memory.bytes.subarray(at, at + count), { stream: true });
    } while (count > 0);
    call(libcAddress("close"), "s:s", fd);
    return text;
  });
}

function call(address: bigint, signature: string, ...args: (number | bigint)[]): number {
  return Number(invokeAddress(address, signature, args));
}
