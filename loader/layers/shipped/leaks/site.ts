/** The most stack frames that are kept, including the loader's own. */
const DEPTH = 40;
/** The folder of this library, as stack traces name it. */
const ROOT = new URL("../../../../", import.meta.url).href;

/** Captures the current stack. Cheap, because the text is made on demand. */
export function currentSite(): Error {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = DEPTH;
  const site = new Error();
  Error.stackTraceLimit = before;
  return site;
}

/**
 * Returns the stack of a site, innermost call first, without this library's own
 * calls. Empty if only native code was calling.
 */
export function stackOf(site: Error): string[] {
  return (site.stack ?? "").split("\n").slice(1).map((line) => line.trim().replace(/^at /, ""))
    .filter((line) => !["egl/", "loader/", "ffi/"].some((folder) => line.includes(ROOT + folder)))
    .filter((line) => !/\(pumice\/|<anonymous>|\(?ext:/.test(line));
}
