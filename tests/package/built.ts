import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { writePackage } from "../../tools/build/package.ts";
import { isFile } from "../../tools/setup/files.ts";
import { CACHE } from "../../tools/setup/parts.ts";
import { walk } from "../../tools/walk.ts";
import config from "../../deno.json" with { type: "json" };

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const FOLDER = `${CACHE}/package`;
/** The sources that decide about the package beside the files that it is made of. */
const TOOLS = ["tools/build", "tools/walk.ts", "tools/offline_import_map.json"];
/** Packages of other sources are removed when they are so old, in milliseconds, that nobody copies them. */
const OLD = 3_600_000;

/** Writes the package as it is published into a folder that is not there. Tests of the same sources build the package once. */
export async function putPackage(out: string): Promise<void> {
  const built = `${FOLDER}/${keyOfSources()}`;
  if (!isFile(`${built}/deno.json`)) await build(built);
  cpSync(built, out, { recursive: true });
}

async function build(built: string): Promise<void> {
  removeOld();
  const fresh = `${built}.${Deno.pid}`;
  await writePackage(ROOT, fresh);
  try {
    Deno.renameSync(fresh, built);
  } catch (error) {
    Deno.removeSync(fresh, { recursive: true });
    if (!isFile(`${built}/deno.json`)) throw error; // otherwise another process was faster
  }
}

function keyOfSources(): string {
  const paths = ["deno.json", ...config.publish.include, ...TOOLS].map((path) => `${ROOT}${path}`);
  const files = paths.flatMap((path) => isFile(path) ? [path] : [...walk(path)]).sort();
  const hash = createHash("sha256").update(Deno.version.deno);
  for (const path of files) hash.update(`\0${path}\0`).update(Deno.readFileSync(path));
  return hash.digest("hex").slice(0, 32);
}

function removeOld(): void {
  Deno.mkdirSync(FOLDER, { recursive: true });
  for (const { name } of Deno.readDirSync(FOLDER)) {
    const path = `${FOLDER}/${name}`;
    if (Date.now() - Deno.statSync(path).mtime!.getTime() > OLD) Deno.removeSync(path, { recursive: true });
  }
}
