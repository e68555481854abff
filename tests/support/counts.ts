/**
 * How often a test tries one kind of thing: `usual` times, or `full` times where `PUMICE_FULL_COUNTS` is `1`, as it is
 * in continuous integration. The comment beside a full count says which faults such a number has found.
 */
export function count(usual: number, full: number): number {
  return Deno.env.get("PUMICE_FULL_COUNTS") === "1" ? full : usual;
}
