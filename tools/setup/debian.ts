import { onPath } from "./files.ts";
import { lastWords, runQuietly } from "./command.ts";

const ENVIRONMENT = { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
/** Waits for another package manager instead of failing, and asks nothing. */
const OPTIONS = ["-qq", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=2"];

/** Why this process cannot install Debian packages, or `undefined` when it can. */
export function debianObstacle(): string | undefined {
  if (onPath("apt-get") === undefined) return "this system has no apt-get";
  if (Deno.uid() !== 0) return "not root";
}

/**
 * Installs `packages` without their recommendations. A failing `update` is no
 * reason to stop, the lists at hand may do. Throws an `Error` with apt's last
 * line when the installation fails.
 */
export async function installDebian(packages: readonly string[]): Promise<void> {
  const update = await runQuietly("apt-get", ["update", ...OPTIONS], { env: ENVIRONMENT });
  const args = ["install", "--yes", "--no-install-recommends", ...OPTIONS, ...packages];
  const install = await runQuietly("apt-get", args, { env: ENVIRONMENT });
  if (install.success) return;
  const updateWords = update.success ? "" : ` (apt-get update: ${lastWords(update)})`;
  throw new Error(`Cannot install ${packages.join(" ")}: ${lastWords(install)}${updateWords}`);
}
