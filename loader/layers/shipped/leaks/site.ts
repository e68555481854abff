/** Frames that are kept; the loader's own go first. */
const DEPTH = 40;
/** Where this library lies, as stack traces name it. */
const ROOT = new URL("../../../../", import.meta.url).href;

/** Remembers where the program is. Costs little: text is made of it when it is asked for. */
export function currentSite(): Error {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = DEPTH;
  const site = new Error();
  Error.stackTraceLimit = before;
  return site;
}

/** The stack of a site, innermost call first, without this library's own calls. Empty when native code alone was calling. */
export function stackOf(site: Error): string[] {
  return (site.stack ?? "").split("\n").slice(1).map((line) => line.trim().replace(/^at /, ""))
    .filter((line) => !["egl/", "loader/", "ffi/"].some((folder) => line.includes(ROOT + folder)))
    .filter((line) => !/\(pumice\/|<anonymous>|\(?ext:/.test(line));
}
