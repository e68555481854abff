import type { Host } from "../../loader/driver/host/host.ts";

/** The kind of file at a path; `"hidden"` if Deno may not look, although the dynamic linker may still load the file. */
export type Seen = "file" | "folder" | "other" | "nothing" | "hidden";

/** Finds the kind of file at a path, after links. */
export function lookAt(path: string, host: Host): Seen {
  try {
    return host.exists(path) ?? "nothing";
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return "hidden";
    throw error;
  }
}

/** Whether a visible file or folder is at a path. */
export function isThere(path: string, host: Host): boolean {
  const seen = lookAt(path, host);
  return seen !== "nothing" && seen !== "hidden";
}
