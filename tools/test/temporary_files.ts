/** At most this many names of files are told. */
const MOST_NAMES = 20;

/** Others may look for names in a folder, as in the system's folder for temporary files. */
const SHARED = 0o755;

/** The folder of a batch. */
export interface BatchFolder {
  /** The path of the folder. */
  readonly path: string;
  /** A folder in it for the temporary files of the tests. */
  readonly temporary: string;
}

/**
 * Makes a folder for a batch, in which programs of other users find their files. Paths are short, as the path of a
 * socket has 107 bytes at most.
 */
export function makeFolder(): BatchFolder {
  const path = Deno.makeTempDirSync({ prefix: "t-" }), temporary = `${path}/t`;
  Deno.mkdirSync(temporary);
  for (const folder of [path, temporary]) Deno.chmodSync(folder, SHARED);
  return { path, temporary };
}

/** The paths below a batch's folder for temporary files that are still there. */
export function leftIn({ temporary }: BatchFolder): string[] {
  const left = [...below(temporary)].map((file) => file.slice(temporary.length + 1));
  const more = left.length - MOST_NAMES;
  return more > 0 ? [...left.slice(0, MOST_NAMES), `and ${more} more`] : left;
}

function* below(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    yield `${folder}/${name}`;
    if (isDirectory) yield* below(`${folder}/${name}`);
  }
}
