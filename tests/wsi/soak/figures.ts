import { allocatedBytes } from "../../support/allocated.ts";
import { mappings, openTargets } from "../../support/open_files.ts";

/** The system's resources that a process holds. */
export interface Holdings {
  /** The target of each open file descriptor. */
  readonly files: readonly string[];
  /** Memory mappings, those of the engine's heap among them. */
  readonly mappings: number;
  /** The shared ones of memfds among these: gralloc's buffers and drivers' memory. */
  readonly shared: number;
  /** The engine's heap, KiB: it grows in steps, by 16 MiB when it sees many short-lived objects. */
  readonly heap: number;
  /** The memory that is allocated with malloc, by drivers, by ourselves, and for scripts' buffers, KiB. */
  readonly allocated: number;
}

/** Counts them for this process. */
export function holdings(): Holdings {
  const { heapTotal } = Deno.memoryUsage(), bytes = allocatedBytes(); // before what is read below adds to it
  return {
    files: openTargets(),
    mappings: mappings(""),
    shared: mappings("memfd:"),
    heap: Math.round(heapTotal / 1024),
    allocated: Math.round(bytes / 1024),
  };
}

/** The growth until the end, of what nobody but the window system and drivers has. */
export function growth(warm: Holdings, end: Holdings) {
  return {
    files: newFiles(warm.files, end.files),
    shared: end.shared - warm.shared,
    allocated: end.allocated - warm.allocated,
  };
}

/** The files that are open at the end more often than before, by what they lead to. */
function newFiles(before: readonly string[], after: readonly string[]): string[] {
  if (after.length <= before.length) return [];
  const left = before.map(withoutNumbers);
  return after.filter((file) => {
    const at = left.indexOf(withoutNumbers(file));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function withoutNumbers(file: string): string {
  return file.replaceAll(/\d+/g, "N");
}
