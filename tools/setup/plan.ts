import { CATALOGUE, type Part, type Purpose } from "./catalogue.ts";
import { installFromPackage } from "./packages/chromium_package.ts";
import { debianObstacle, installDebian } from "./packages/debian.ts";
import { type Print, withProgress } from "./progress.ts";

/** The result for one part. */
export interface Outcome {
  /** The part's name. */
  part: string;
  /** `present` was installed before, `installed` is new, `missing` could not be had. */
  state: "present" | "installed" | "missing";
  /** The part's path. */
  path?: string;
  /** For a missing part: the loss without it. */
  note?: string;
}

/** The results for all parts. */
export interface Outcomes {
  /** One for each part, in the order of the catalogue. */
  parts: Outcome[];
  /** The failures, and what to do about the missing parts. */
  hints: string[];
}

/** Finds or installs every part that `purpose` needs (all of them without a purpose). Never throws. */
export async function setUp(purpose: Purpose | undefined, print: Print): Promise<Outcomes> {
  const wanted = CATALOGUE.filter((part) => purpose === undefined ? part.for.length > 0 : part.for.includes(purpose));
  const absent = wanted.filter((part) => part.find() === undefined);
  const failures = absent.length > 0 ? await install(absent, print) : [];
  const parts = wanted.map((part) => outcome(part, absent.includes(part)));
  const missing = wanted.filter((_, index) => parts[index].state === "missing");
  return { parts, hints: [...failures, ...advice(missing.flatMap((part) => part.packages), failures)] };
}

/** npm and apt run side by side: one waits for the network while the other unpacks. */
async function install(absent: Part[], print: Print): Promise<string[]> {
  const failures: string[] = [];
  const keep = (error: unknown) => void failures.push(error instanceof Error ? error.message : String(error));
  await Promise.all([fromNpm(absent, print).catch(keep), fromDebian(absent, print).catch(keep)]);
  return failures;
}

async function fromNpm(absent: Part[], print: Print): Promise<void> {
  const parts = absent.filter((part) => part.npm !== undefined);
  if (parts.length === 0) return;
  const title = `npm: ${parts.map((part) => part.name).join(", ")} (68 MB)`;
  await withProgress(title, print, () => installFromPackage(parts.map((part) => part.npm!)));
}

async function fromDebian(absent: Part[], print: Print): Promise<void> {
  const packages = absent.flatMap((part) => part.packages);
  if (packages.length === 0 || debianObstacle() !== undefined) return;
  const title = `apt: ${packages.length === 1 ? "1 package" : `${packages.length} packages`}`;
  await withProgress(title, print, (say) => installDebian(packages, say), packages.join(" "));
}

function outcome(part: Part, wasAbsent: boolean): Outcome {
  const path = part.find();
  if (path !== undefined) return { part: part.name, state: wasAbsent ? "installed" : "present", path };
  return { part: part.name, state: "missing", note: part.why };
}

/** Advice about missing Debian packages. */
function advice(packages: string[], failures: string[]): string[] {
  if (packages.length === 0) return [];
  const obstacle = debianObstacle();
  if (obstacle !== undefined) return [`${obstacle}: ask an administrator for Debian's ${packages.join(" ")}`];
  return failures.length > 0 ? [] : [`\`apt-get install ${packages.join(" ")}\` did not bring what was looked for`];
}
