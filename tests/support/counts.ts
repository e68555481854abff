/**
 * How often a test tries one kind of thing: `usual` times, or `full` times where `PUMICE_FULL_COUNTS` is `1`, as it is
 * in continuous integration. The comment beside a full count says which faults such a number has found. Where none was
 * found, `hasFound` is false, and `full` times are for `2`, before a release.
 */
export function count(usual: number, full: number, hasFound = true): number {
  const wanted = Deno.env.get("PUMICE_FULL_COUNTS");
  return wanted === "2" || wanted === "1" && hasFound ? full : usual;
}
