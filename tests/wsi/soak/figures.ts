import { mappings, openFiles } from "../../support/open_files.ts";

/** What a process has of the system's resources. */
export interface Holdings {
  /** Open file descriptors. */
  readonly files: number;
  /** Memory mappings. */
  readonly mappings: number;
  /** Resident memory, KiB. */
  readonly resident: number;
}

/** Counts them for this process. */
export function holdings(): Holdings {
  return { files: openFiles(), mappings: mappings(""), resident: Math.round(Deno.memoryUsage().rss / 1024) };
}
