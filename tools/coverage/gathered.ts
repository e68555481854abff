import { mergeScriptCovs } from "@bcoe/v8-coverage";

/** The counts of one script, as the engine writes them. */
interface Script {
  readonly url: string;
  /** Each function's name and ranges with their counts, which only the library reads. */
  readonly functions: readonly unknown[];
}

/**
 * The counts of many processes, one script at a time. Each process of Deno writes a file for each script that it loads,
 * and so do the programs that it starts: hundreds of thousands of files, which are read and removed batch by batch.
 *
 * @example
 * ```ts ignore
 * const gathered = new Gathered((url) => url.endsWith("/mod.ts"));
 * gathered.take("/tmp/of_one_batch");
 * gathered.write("/tmp/of_all");
 * ```
 */
export class Gathered {
  readonly #scripts = new Map<string, Script>();
  #cut = 0;

  /** Counts scripts whose URLs `counts` accepts. */
  constructor(readonly counts: (url: string) => boolean) {}

  /** The number of files that could not be read: a process was ended while it wrote them. */
  get cut(): number {
    return this.#cut;
  }

  /** The paths of the scripts that a report in the format of lcov leaves out: it does so without a word. */
  leftOut(report: string): string[] {
    const paths = [...this.#scripts.keys()].map((url) => decodeURIComponent(new URL(url).pathname));
    return paths.filter((path) => !report.includes(`SF:${path}\n`));
  }

  /** Adds what the processes of a batch wrote to `folder`, and removes the folder. */
  take(folder: string): void {
    const found = namesIn(folder).flatMap((name) => this.#read(`${folder}/${name}`));
    for (const [url, scripts] of Map.groupBy(found, (script) => script.url)) {
      const before = this.#scripts.get(url);
      this.#scripts.set(url, mergeScriptCovs(before ? [before, ...scripts] : scripts));
    }
    if (isThere(folder)) Deno.removeSync(folder, { recursive: true });
  }

  /** Writes the sums into `folder`, for `deno coverage`. */
  write(folder: string): void {
    Deno.mkdirSync(folder, { recursive: true });
    for (const [index, script] of [...this.#scripts.values()].entries()) {
      Deno.writeTextFileSync(`${folder}/${index}.json`, JSON.stringify({ ...script, scriptId: `${index}` }));
    }
  }

  #read(path: string): Script[] {
    try {
      const script: Script = JSON.parse(Deno.readTextFileSync(path));
      return this.counts(script.url) ? [script] : [];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#cut++;
      return [];
    }
  }
}

function isThere(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  return isThere(folder) ? [...Deno.readDirSync(folder)].map(({ name }) => name) : [];
}
