import { Library, RTLD_LAZY, RTLD_NODELETE, RTLD_NOLOAD } from "../../../ffi/library/library.ts";
import type { Finding } from "../report/finding.ts";
import type { Host } from "../host/host.ts";
import { Variables } from "./variables.ts";

const VARIABLE = "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING";

/**
 * Whether drivers and layers stay loaded after they are closed, for tools that
 * name functions by their addresses. The reason is appended to `report`.
 */
export function libraryStays(host: Host, report: Finding[]): boolean {
  return new Variables(host, report).honour(VARIABLE, "libraries stay loaded when they are closed") === "1";
}

/** Keeps loaded libraries loaded. */
export function keepLoaded(paths: readonly string[]): void {
  for (const path of paths) Library.open(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE).close();
}
