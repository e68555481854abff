import { namesIn } from "../../ffi/file/file_descriptor.ts";
import { allocatedBytes } from "../../tests/support/allocated.ts";
import { collectGarbage } from "../../tests/support/collect_garbage.ts";
import { mappingsBesideHeap, openFiles } from "../../tests/support/open_files.ts";

/** Holdings of a process: the names of what is counted → how much there is. */
export type Holdings = Readonly<Record<Held, number>>;

/** Everything that is counted, and its unit. */
export const HELD = {
  files: "",
  mappings: "",
  threads: "",
  native: "KiB",
  heap: "KiB",
  resident: "KiB",
} as const;
export type Held = keyof typeof HELD;

/** Counts what this process has, after scripts have given back what nobody uses. */
export function holdings(): Holdings {
  collectGarbage();
  const { heapUsed, rss } = Deno.memoryUsage();
  return {
    files: openFiles(),
    mappings: mappingsBesideHeap(),
    threads: namesIn("/proc/self/task").length,
    native: Math.round(allocatedBytes() / 1024),
    heap: Math.round(heapUsed / 1024),
    resident: Math.round(rss / 1024),
  };
}
