import { mappings, openFiles } from "../../support/open_files.ts";

/** What a process has of the system's resources. */
export interface Holdings {
  /** Open file descriptors. */
  readonly files: number;
  /** Memory mappings, those of the engine's heap among them. */
  readonly mappings: number;
  /** The engine's heap, KiB: it grows in steps, by 16 MiB when it sees many short-lived objects. */
  readonly heap: number;
  /** Resident memory without it, KiB. */
  readonly resident: number;
}

/** Bytes of one mapping of the engine's heap, in KiB. */
const HEAP_PAGE = 256;

/** Counts them for this process. */
export function holdings(): Holdings {
  const { rss, heapTotal } = Deno.memoryUsage();
  return {
    files: openFiles(),
    mappings: mappings(""),
    heap: Math.round(heapTotal / 1024),
    resident: Math.round((rss - heapTotal) / 1024),
  };
}

/** By how much there is more at the end; mappings of the engine's heap are left out. */
export function growth(warm: Holdings, end: Holdings): Omit<Holdings, "heap"> {
  const heapPages = Math.ceil((end.heap - warm.heap) / HEAP_PAGE);
  return {
    files: end.files - warm.files,
    mappings: end.mappings - warm.mappings - heapPages,
    resident: end.resident - warm.resident,
  };
}
