/** The oldest Deno that Pumice runs on. README says the same. */
export const OLDEST_DENO = "2.5.0";

/** Members of deno.json that an older Deno does not know in full, and that its programs do not need. */
const NEWER = ["test", "tasks", "lint", "fmt", "publish"];

/** The project's configuration for an older Deno. */
export function olderConfig(config: string): string {
  const members = Object.entries(JSON.parse(config)).filter(([name]) => !NEWER.includes(name));
  return JSON.stringify(Object.fromEntries(members));
}
