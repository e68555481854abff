import { readLines } from "../../ffi/file/file_descriptor.ts";
import { libc } from "../../ffi/libc.ts";
import { type BufferMemory, PAGE } from "./memory.ts";

const PROT_NONE = 0, MAP_FIXED = 0x10, MAP_PRIVATE_ANONYMOUS = 0x22, MAP_FIXED_NOREPLACE = 0x10_0000;
/** The mapping of the first thread's stack, which grows into the gap below. */
const STACK = "[stack]";

/** The guards behind a buffer in the mappings of others. At the end of the scope, those behind their ends are gone. */
export interface Guards extends Disposable {
  /** The number of mappings of the buffer's file beside the buffer's own, such as a driver's. */
  readonly mappings: number;
  /** The number of those without a guard, because other memory follows at once. */
  readonly bare: number;
}

/**
 * Puts a page that nobody may touch behind the buffer's memory in each other mapping of its file in this process: in
 * the mapping, if it reaches further, otherwise behind its end. Mappings that are made later have none.
 */
export function guardOthers({ address, size }: BufferMemory): Guards {
  const all = mappingsOfProcess(), own = all.find(({ start }) => start === address);
  const others = all.filter((each) => own && each !== own && each.file === own.file && each.file !== "");
  const pages = new DisposableStack();
  let bare = 0;
  for (const { start, end, offset } of others) {
    const last = start + BigInt(size) - offset; // where the buffer ends in this mapping
    // The end of a mapping stays forbidden until its owner unmaps it all: others may map what is unmapped before.
    if (last < end) libc().mmap(last, end - last, PROT_NONE, MAP_PRIVATE_ANONYMOUS | MAP_FIXED, -1, 0n);
    else if (last === end && !forbid(end, pages) && !all.some((each) => each.start === end && each.isForbidden)) bare++;
  }
  return { mappings: others.length, bare, [Symbol.dispose]: () => pages.dispose() };
}

/**
 * Puts a page that nobody may touch at the end of each gap between mappings that has room for so many bytes, until the
 * end of the scope. The system puts a new mapping at the end of a gap, often directly below memory of somebody else:
 * below such a page, the mapping has a guard.
 */
export function guardGaps(size: number): Disposable {
  const all = mappingsOfProcess(), pages = new DisposableStack();
  all.forEach(({ start, name }, index) => {
    const room = index === 0 ? 0n : start - all[index - 1].end;
    if (room >= BigInt(size) && name !== STACK) forbid(start - BigInt(PAGE), pages);
  });
  return pages;
}

/** Maps a page that nobody may touch until `pages` is disposed of. Returns `false` if there is memory already. */
function forbid(at: bigint, pages: DisposableStack): boolean {
  const flags = MAP_PRIVATE_ANONYMOUS | MAP_FIXED_NOREPLACE;
  const isMapped = libc().mmap(at, BigInt(PAGE), PROT_NONE, flags, -1, 0n) === at;
  if (isMapped) pages.defer(() => void libc().munmap(at, BigInt(PAGE)));
  return isMapped;
}

/** The mappings of this process: their addresses, which part of which file they are, and whether nobody may touch them. */
function mappingsOfProcess() {
  const lines = readLines("/proc/self/maps").map((line) => line.split(/ +/));
  return lines.map(([range, rights, offset, device, inode, name]) => {
    const [start, end] = range.split("-").map((each) => BigInt(`0x${each}`));
    const isForbidden = rights.startsWith("---"), file = inode === "0" ? "" : `${device} ${inode}`;
    return { start, end, offset: BigInt(`0x${offset}`), file, isForbidden, name };
  });
}
