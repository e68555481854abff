/** Writes files below `root` and prints what they weigh. */
export function writeFiles(files: ReadonlyMap<string, string>, root: string): number {
  let total = 0;
  for (const [path, text] of files) {
    const full = `${root}/${path}`;
    Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(full, text);
    if (path.endsWith(".ts")) total += text.length;
    console.log(`${String(text.length).padStart(8)} ${path}`);
  }
  console.log(`${String(total).padStart(8)} bytes of source`);
  return 0;
}

/** Compares files with those below `root`; names every difference and returns 1 when there is one. */
export function compareFiles(files: ReadonlyMap<string, string>, root: string): number {
  const stale = [...files].filter(([path, text]) => readIfPresent(`${root}/${path}`) !== text).map(([path]) => path);
  for (const path of stale) console.error(`${path} differs from what the generator writes; run "deno task generate"`);
  return stale.length > 0 ? 1 : 0;
}

function readIfPresent(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

/** The file that names the version of the headers of the generated files. */
const VERSIONED = "loader/gen/enums_core_gen.js";

/** Throws an `Error` where a registry is older than the one the files in place are made from: commands would be lost. */
export function refuseOlder(files: ReadonlyMap<string, string>, directory: string, registry: string): void {
  const found = headerVersion(files.get(VERSIONED) ?? ""),
    there = headerVersion(readIfPresent(`${directory}/${VERSIONED}`) ?? "");
  if (found >= there) return;
  throw new Error(
    `Cannot generate from "${registry}": its header version is ${found}, and the files in place are of ${there}; ` +
      "name a newer registry by --registry",
  );
}

function headerVersion(text: string): number {
  return Number(/^(?:export const )?VK_HEADER_VERSION\b[^=]*= ?(\d+)/m.exec(text)?.[1] ?? 0);
}
