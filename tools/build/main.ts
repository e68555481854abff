/**
 * `deno task build [--out=FOLDER]`: makes the package as it is published. Types
 * and documentation come from declarations, a file for each module that an entry
 * names. Code comes from a bundle, split so that each entry loads what it needs
 * in a few files. An entry is a stub that names both.
 *
 * @module
 */
import { readOptions, runTask } from "../task.ts";
import { writePackage } from "./package.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

const HELP = `deno task build [--out=FOLDER]

  --out  where the package is written; without it, out/package`;

async function main(): Promise<number> {
  const { values: { out } } = readOptions(HELP, {
    options: { out: { type: "string", default: `${ROOT}out/package` } },
  });
  const files = await writePackage(ROOT, out);
  console.log(
    `${out}: bundled into ${files.bundled} files of ${
      Math.round(files.bytes / 1024)
    } KiB; ${files.declared} declarations`,
  );
  return 0;
}

if (import.meta.main) await runTask(HELP, main);
