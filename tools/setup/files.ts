/**
 * Small questions to the file system, all synchronous and none that throws.
 *
 * @module
 */

/** Whether `path` names a readable file; a missing permission gives `false`, too. */
export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** The first of `paths` that is a file. */
export function firstFile(paths: Iterable<string>): string | undefined {
  for (const path of paths) if (isFile(path)) return path;
}

/** Full paths of the files in `directory` whose name matches, sorted; empty when there is no such directory. */
export function filesIn(directory: string, name: RegExp): string[] {
  try {
    return [...Deno.readDirSync(directory)]
      .filter((entry) => name.test(entry.name))
      .map((entry) => `${directory}/${entry.name}`)
      .sort();
  } catch {
    return [];
  }
}

/** The place of `program` on `PATH`. */
export function onPath(program: string): string | undefined {
  const directories = (Deno.env.get("PATH") ?? "").split(":").filter((directory) => directory !== "");
  return firstFile(directories.map((directory) => `${directory}/${program}`));
}

/** The library `name` in the directories where Debian, Fedora and Arch keep theirs. */
export function systemLibrary(name: string): string | undefined {
  const triple = `${Deno.build.arch}-linux-gnu`;
  const directories = [`/usr/lib/${triple}`, `/lib/${triple}`, "/usr/lib64", "/usr/lib", "/usr/local/lib"];
  return firstFile(directories.map((directory) => `${directory}/${name}`));
}
