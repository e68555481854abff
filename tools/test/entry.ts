/** Where the process of a batch leaves its results. */
export interface EntryPaths {
  /** The module that imports the test files. */
  readonly entry: string;
  /** What the process noted; see `Notes`. */
  readonly notes: string;
}

/**
 * Writes a module that imports test files one after the other, so that one process evaluates the modules that several of
 * them import only once. `deno test` tells the place of each test as if the file ran alone.
 */
export function writeEntry({ entry, notes }: EntryPaths, files: readonly string[]): void {
  const watch = import.meta.resolve("./watch.ts");
  const lines = files.map((file) => `  ${JSON.stringify(file)},\n`).join("");
  Deno.writeTextFileSync(
    entry,
    `import { runFiles } from ${JSON.stringify(watch)};\nawait runFiles(${JSON.stringify(notes)}, [\n${lines}]);\n`,
  );
}
