import { onPath } from "../files.ts";
import { type Ending, lastWords, runQuietly } from "../command.ts";
import type { Say } from "../progress.ts";

const ENVIRONMENT = { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
/** Waits for another package manager instead of failing, asks nothing, and reports progress on standard output. */
const OPTIONS = ["-qq", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=2", "-o", "APT::Status-Fd=1"];
/** Without it, an update that reached no server counts as a success. */
const STRICT = ["-o", "APT::Update::Error-Mode=any"];
/** A line of apt about its progress: what it is about, per cent, text. */
const STATUS = /^(?:dl|pm)status:[^:]*(?::[^:]*)?:([\d.]+):(.*)$/;
const UNKNOWN = /^E: (?:Unable to locate package (\S+)|Package '(\S+)' has no installation candidate)$/gm;

/** The reason why this process cannot install Debian packages; `undefined` if it can. */
export function debianObstacle(): string | undefined {
  if (onPath("apt-get") === undefined) return "this system has no apt-get";
  if (Deno.uid() !== 0) return "you are not root";
}

/**
 * Installs `packages` without their recommendations, except those that this
 * release of the system lacks. A failing `update` does not stop the
 * installation: the present lists may suffice. Throws an `Error` that names
 * what could not be installed, with apt's words.
 */
export async function installDebian(packages: readonly string[], say: Say = () => {}): Promise<void> {
  say("reading the package lists");
  const update = await apt(["update", ...STRICT], say);
  const first = await install(packages, say);
  if (first.success) return;
  const unknown = unknownPackages(first);
  const rest = packages.filter((name) => !unknown.includes(name));
  const second = unknown.length > 0 && rest.length > 0 ? await install(rest, say) : first;
  const refused = second.success ? unknown : packages;
  const updateWords = update.success ? "" : ` (apt-get update: ${lastWords(update)})`;
  throw new Error(`Cannot install ${refused.join(" ")}: ${lastWords(second.success ? first : second)}${updateWords}`);
}

function install(packages: readonly string[], say: Say): Promise<Ending> {
  return apt(["install", "--yes", "--no-install-recommends", ...packages], say);
}

async function apt(args: string[], say: Say): Promise<Ending> {
  const ending = await runQuietly("apt-get", [...args, ...OPTIONS], {
    env: ENVIRONMENT,
    onLine: (line) => {
      const [, percent, text] = STATUS.exec(line) ?? [];
      if (text !== undefined) say(`${Math.round(Number(percent))} % ${text}`);
    },
  });
  return { ...ending, output: ending.output.replace(/^(dlstatus|pmstatus|pmerror|media-change):.*\n?/gm, "") };
}

/** The packages that apt says it does not know, in its words after a failed installation. */
function unknownPackages(ending: Ending): string[] {
  return [...ending.error.matchAll(UNKNOWN)].map(([, located, candidate]) => located ?? candidate);
}
