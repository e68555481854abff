import type { DeqpResult } from "../deqp/options.ts";
import { checkReport, makeFolder, writeReport } from "../../process/files.ts";

/** Runs that a page shows at most. */
const RUNS = 20;

/** One run of a folder of reports. */
export interface PastRun {
  /** The time at which the run began, in ISO 8601. */
  readonly time: string;
  /** The statuses by name. */
  readonly statuses: Readonly<Record<string, string>>;
}

/** A folder of reports: one page about the last run, and the statuses of all runs. */
export class ReportFolder {
  readonly #path: string;

  /** Creates the folder. Throws {@linkcode WrongUse} if it cannot be written, before anything has run. */
  constructor(path: string) {
    this.#path = path;
    makeFolder("--html", path);
    checkReport("--html", this.page);
  }

  /** The path of the page. */
  get page(): string {
    return `${this.#path}/index.html`;
  }

  /** Adds a run, and returns the last runs, the newest first. */
  add(time: string, results: readonly DeqpResult[]): PastRun[] {
    const statuses = Object.fromEntries(results.map(({ name, status }) => [name, status]));
    const run: PastRun = { time, statuses };
    makeFolder("--html", `${this.#path}/runs`);
    writeReport("--html", `${this.#path}/runs/${time.replace(/[^\dTZ]/g, "-")}.json`, `${JSON.stringify(run)}\n`);
    return this.#runs();
  }

  /** Writes the page, whole or not at all. */
  write(html: string): void {
    writeReport("--html", this.page, html);
  }

  #runs(): PastRun[] {
    const names = [...Deno.readDirSync(`${this.#path}/runs`)].map(({ name }) => name).filter((name) =>
      name.endsWith(".json")
    );
    return names.sort().reverse().slice(0, RUNS).flatMap((name) => runIn(`${this.#path}/runs/${name}`) ?? []);
  }
}

/** A file that is no run is passed over. */
function runIn(path: string): PastRun | undefined {
  try {
    const { time, statuses } = JSON.parse(Deno.readTextFileSync(path)) as Partial<PastRun>;
    return typeof time === "string" && typeof statuses === "object" && statuses ? { time, statuses } : undefined;
  } catch {
    return undefined;
  }
}
