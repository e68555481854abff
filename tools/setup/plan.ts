import { CATALOGUE, type Part, type Purpose } from "./catalogue.ts";
import { debianObstacle, installDebian } from "./debian.ts";
import { type Print, withProgress } from "./progress.ts";
import { installSwiftshader } from "./swiftshader.ts";

/** What became of one part. */
export interface Outcome {
  /** The part's name. */
  part: string;
  /** `present` was there before, `installed` is new, `missing` could not be had. */
  state: "present" | "installed" | "missing";
  /** Where it lies. */
  path?: string;
  /** For a missing part: what is lost and what to do. */
  note?: string;
}

/** Finds or installs every part that `purpose` needs (all of them without a purpose). Never throws. */
export async function setUp(purpose: Purpose | undefined, print: Print): Promise<Outcome[]> {
  const wanted = CATALOGUE.filter((part) => purpose === undefined ? part.for.length > 0 : part.for.includes(purpose));
  const before = new Set(wanted.filter((part) => part.find() !== undefined));
  const missing = wanted.filter((part) => !before.has(part));
  const failures = missing.length > 0 ? await install(missing, print) : [];
  return wanted.map((part) => outcome(part, before.has(part), failures));
}

/** npm and apt run side by side: one waits for the network while the other unpacks. */
async function install(missing: Part[], print: Print): Promise<string[]> {
  const failures: string[] = [];
  const keep = (error: unknown) => void failures.push(error instanceof Error ? error.message : String(error));
  await Promise.all([fromNpm(missing, print).catch(keep), fromDebian(missing, print).catch(keep)]);
  return failures;
}

async function fromNpm(missing: Part[], print: Print): Promise<void> {
  if (!missing.some((part) => part.packages.length === 0)) return;
  await withProgress("npm: SwiftShader and ANGLE (68 MB)", print, installSwiftshader);
}

async function fromDebian(missing: Part[], print: Print): Promise<void> {
  const packages = missing.flatMap((part) => part.packages);
  if (packages.length === 0 || debianObstacle() !== undefined) return;
  await withProgress(`apt: ${packages.join(" ")}`, print, () => installDebian(packages));
}

function outcome(part: Part, wasPresent: boolean, failures: string[]): Outcome {
  const path = part.find();
  if (path !== undefined) return { part: part.name, state: wasPresent ? "present" : "installed", path };
  return { part: part.name, state: "missing", note: `${part.why}; ${remedy(part, failures)}` };
}

function remedy(part: Part, failures: string[]): string {
  if (part.packages.length === 0) return failures.find((failure) => failure.includes("npm")) ?? "see above";
  const install = `apt-get install ${part.packages.join(" ")}`;
  const obstacle = debianObstacle();
  if (obstacle !== undefined) return `${obstacle}: ask an administrator for \`${install}\``;
  return failures.find((failure) => failure.includes(part.packages[0])) ?? `\`${install}\` did not bring it`;
}
