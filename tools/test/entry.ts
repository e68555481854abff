import { testFiles } from "./batches.ts";

/**
 * Writes a module into `folder` that imports test files one after the other, so that one process evaluates the modules
 * that several of them import only once. `deno test` tells the place of each test as if the file ran alone. The process
 * writes what it noted to `notes`, if that is given; see `Notes`. Returns the path of the module.
 */
export function writeEntry(folder: string, files: readonly string[], notes?: string): string {
  const path = `${folder}/entry_test.ts`, watch = JSON.stringify(import.meta.resolve("./watch.ts"));
  const lines = files.map((file) => `  ${JSON.stringify(file)},\n`).join("");
  const to = notes === undefined ? "" : `, ${JSON.stringify(notes)}`;
  Deno.writeTextFileSync(path, `import { runFiles } from ${watch};\nawait runFiles([\n${lines}]${to});\n`);
  return path;
}

/** Calls `run` with the path of such a module for the test files below files and folders. */
export async function withEntry<T>(names: readonly string[], run: (entry: string) => T | Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync();
  try {
    return await run(writeEntry(folder, testFiles(names)));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
