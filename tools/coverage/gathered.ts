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
 * console.log(await gathered.report("/tmp/of_all"));
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

  /**
   * The paths of the scripts that a report in the format of lcov leaves out: Deno does so without a word, always
   * where a file is named like a test, such as gpu_test.ts of the product.
   */
  leftOut(report: string): string[] {
    const paths = [...this.#scripts.keys()].map((url) => decodeURIComponent(new URL(url).pathname));
    return paths.filter((path) => !report.includes(`SF:${path}\n`));
  }

  /** Adds what the processes of a batch wrote to `folder`, and removes the folder. */
  take(folder: string): void {
    const found = [...Deno.readDirSync(folder)].flatMap(({ name }) => this.#read(`${folder}/${name}`));
    for (const [url, scripts] of Map.groupBy(found, (script) => script.url)) {
      const before = this.#scripts.get(url);
      this.#scripts.set(url, mergeScriptCovs(before ? [before, ...scripts] : scripts));
    }
    Deno.removeSync(folder, { recursive: true });
  }

  /** Writes the sums into `folder`, which is made, and returns Deno's report of them in the format of lcov. */
  async report(folder: string): Promise<string> {
    Deno.mkdirSync(folder);
    for (const [index, script] of [...this.#scripts.values()].entries()) {
      Deno.writeTextFileSync(`${folder}/${index}.json`, JSON.stringify({ ...script, scriptId: `${index}` }));
    }
    const args = ["coverage", "--lcov", "--quiet", folder], env = { NO_COLOR: "1" };
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env }).output();
    if (!success) throw new Error(`deno coverage failed: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  }

  #read(path: string): Script[] {
    try {
      const script: Script = JSON.parse(Deno.readTextFileSync(path)), [url] = script.url.split("?"); // one file, loaded anew
      return this.counts(url) ? [{ ...script, url }] : [];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#cut++;
      return [];
    }
  }
}
