import { mappings, openFiles } from "../../support/open_files.ts";

/** What a process has of the system's resources. */
export interface Holdings {
  /** Open file descriptors. */
  readonly files: number;
  /** Memory mappings, those of the engine's heap among them. */
  readonly mappings: number;
  /** Of these, the shared ones of memfds: gralloc's buffers and drivers' memory. */
  readonly shared: number;
  /** The engine's heap, KiB: it grows in steps, by 16 MiB when it sees many short-lived objects. */
  readonly heap: number;
  /** Resident memory without it, KiB. */
  readonly resident: number;
}

/** Counts them for this process. */
export function holdings(): Holdings {
  const { rss, heapTotal } = Deno.memoryUsage();
  return {
    files: openFiles(),
    mappings: mappings(""),
    shared: mappings("memfd:"),
    heap: Math.round(heapTotal / 1024),
    resident: Math.round((rss - heapTotal) / 1024),
  };
}

/** By how much there is more at the end, of what nobody but the window system and drivers has. */
export function growth(warm: Holdings, end: Holdings): Pick<Holdings, "files" | "shared" | "resident"> {
  return {
    files: end.files - warm.files,
    shared: end.shared - warm.shared,
    resident: end.resident - warm.resident,
  };
}
