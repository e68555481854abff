/** At most this many names of files are told. */
const MOST_NAMES = 20;

/** Others may look for names in a folder, as in the system's folder for temporary files. */
const SHARED = 0o755;

/**
 * Makes a folder for the temporary files of a batch, in which programs of other users find theirs. Its path is short, as
 * the path of a socket has 107 bytes at most.
 */
export function makeFolder(): string {
  const folder = Deno.makeTempDirSync({ prefix: "t-" });
  Deno.chmodSync(folder, SHARED);
  return folder;
}

/** Removes a batch's folder. Returns the paths below the folder that were still there. */
export function emptied(folder: string): string[] {
  const left = [...below(folder)].map((path) => path.slice(folder.length + 1));
  Deno.removeSync(folder, { recursive: true });
  const more = left.length - MOST_NAMES;
  return more > 0 ? [...left.slice(0, MOST_NAMES), `and ${more} more`] : left;
}

function* below(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    yield `${folder}/${name}`;
    if (isDirectory) yield* below(`${folder}/${name}`);
  }
}
