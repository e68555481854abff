import { WrongUse } from "../../process/exit_code.ts";
import { isThere, textIn, writeReport } from "../../process/files.ts";
import { toldAs } from "./findings.ts";
import { countOf, endOf, joined, type Seeds, without } from "./seeds.ts";

/** A difference that programs of one or several runs have shown, by any worker. */
export interface KeptFinding {
  /** The names of the drivers. */
  readonly drivers: readonly [string, string];
  /** The line that tells this difference from others. */
  readonly signature: string;
  /** The seed of the first program; absent for a driver that ended before any. */
  readonly seed?: number;
  /** The time when the difference was found, in ISO 8601. */
  readonly found: string;
  /** The number of programs that showed it. */
  count: number;
  /** The files of the program that was made smaller, below the campaign's folder. */
  files?: readonly string[];
}

/** The state of a campaign, as its file has it. */
interface Kept {
  /** The version of the file's format. */
  readonly version: 1;
  /** The first seed behind all that runs have tried, by the drivers' names. */
  readonly next: Record<string, number>;
  /** Seeds before the next one of which nothing is known, by the drivers' names. */
  left?: Record<string, readonly Seeds[]>;
  readonly findings: KeptFinding[];
}

/** The file of a campaign in its folder. */
const FILE = "campaign.json";

/** The differences that the runs of a campaign have found, each once. */
export class KeptFindings {
  readonly #path: string | undefined;
  readonly #kept: Kept;
  readonly #before: ReadonlySet<KeptFinding>;

  /** Reads the campaign of a folder, or begins one. Throws {@linkcode WrongUse} for a file that is none. */
  constructor(folder?: string) {
    this.#path = folder === undefined ? undefined : `${folder}/${FILE}`;
    this.#kept = this.#path === undefined || !isThere(this.#path) ? fresh() : read(this.#path);
    this.#before = new Set(this.#kept.findings);
  }

  /** The differences that this run found first. */
  get fresh(): readonly KeptFinding[] {
    return this.#kept.findings.filter((each) => !this.#before.has(each));
  }

  /** The number of differences that earlier runs have found. */
  get earlier(): number {
    return this.#before.size;
  }

  /** The first seed behind all that runs have tried on two drivers. */
  next(drivers: readonly [string, string]): number {
    return this.#kept.next[drivers.join(", ")] ?? 0;
  }

  /** Returns the number of programs before the next seed that earlier runs have left without a result. */
  left(drivers: readonly [string, string]): number {
    return countOf(this.#leftOf(drivers));
  }

  /** Returns the seeds of the next programs: those that earlier runs have left, and then new ones. */
  wanted(drivers: readonly [string, string], programs: number): Seeds[] {
    const all = [...this.#leftOf(drivers), { first: this.next(drivers), count: programs }];
    let rest = programs;
    return all.map(({ first, count }) => {
      const taken = Math.min(count, rest);
      rest -= taken;
      return { first, count: taken };
    }).filter(({ count }) => count > 0);
  }

  /** Notes seeds that a run has taken on, and those of them that the run has left without a result. */
  tried(drivers: readonly [string, string], taken: readonly Seeds[], left: readonly Seeds[]): void {
    const name = drivers.join(", "), whole = joined(taken), before = without(this.#leftOf(drivers), whole);
    const all = joined([...before, ...left]), last = all.at(-1);
    const next = Math.max(this.next(drivers), ...whole.slice(-1).map(endOf));
    const isAtEnd = last !== undefined && endOf(last) === next; // nothing lies behind
    this.#kept.next[name] = isAtEnd ? last.first : next;
    this.#kept.left = { ...this.#kept.left, [name]: isAtEnd ? all.slice(0, -1) : all };
  }

  #leftOf(drivers: readonly [string, string]): readonly Seeds[] {
    return this.#kept.left?.[drivers.join(", ")] ?? [];
  }

  /** Adds a difference that programs have shown. Returns the finding if it is new. */
  add(
    drivers: readonly [string, string],
    { signature: exact, seed, count }: Pick<KeptFinding, "signature" | "seed" | "count">,
  ): KeptFinding | undefined {
    const own = this.#kept.findings.filter((each) => each.drivers.join() === drivers.join());
    const signature = toldAs(exact, own.map((each) => each.signature));
    const before = own.find((each) => each.signature === signature);
    if (before) {
      before.count += count;
      return undefined;
    }
    const finding: KeptFinding = { drivers, signature, seed, count, found: new Date().toISOString() };
    this.#kept.findings.push(finding);
    return finding;
  }

  /** Writes the file, whole or not at all. Without a folder nothing is kept. */
  write(): void {
    if (this.#path !== undefined) writeReport("--out", this.#path, `${JSON.stringify(this.#kept, null, 2)}\n`);
  }
}

function fresh(): Kept {
  return { version: 1, next: {}, findings: [] };
}

function read(path: string): Kept {
  const kept = parsed(textIn("fuzz", path)) as Partial<Kept> | null | undefined;
  const isOne = kept?.version === 1 && isRecord(kept.next) && Object.values(kept.next).every(Number.isSafeInteger) &&
    isRecord(kept.left ?? {}) && Object.values(kept.left ?? {}).every(areSeeds) &&
    Array.isArray(kept.findings) && kept.findings.every(isFinding);
  if (isOne) return kept as Kept;
  throw new WrongUse(`fuzz: "${path}" is no campaign of this version; give another --out, or move the file away`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFinding(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { drivers, signature, count } = value as Partial<KeptFinding>;
  return Array.isArray(drivers) && drivers.length === 2 && typeof signature === "string" && Number.isSafeInteger(count);
}

function areSeeds(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isRecord(each) && [each.first, each.count].every(isCount));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
