/**
 * The number of tries of one kind of thing by a test: `usual`, `full` where `PUMICE_FULL_COUNTS` is `1`, as it is in
 * continuous integration, and `most` times where it is `2`, before a release. The comment beside a full count says which
 * faults such a number has found and no smaller test would find again. Where a fault has a test of its own since, or
 * none was found, the large number is `most`.
 */
export function count(usual: number, full: number, most: number = full): number {
  const wanted = Deno.env.get("PUMICE_FULL_COUNTS");
  return wanted === "2" ? most : wanted === "1" ? full : usual;
}
