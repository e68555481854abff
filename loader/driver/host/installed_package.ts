import type { Host } from "./host.ts";

/** The names of processors in folders of installed packages. */
const ABI: Readonly<Record<string, string>> = { aarch64: "arm64", x86_64: "x86_64" };

/**
 * Returns the folder of an installed package's native libraries, without
 * `root`: below /data/app, in a folder with its name, or its name and a random
 * part. `undefined` if there is none.
 */
export function installedLibraries(name: string, root: string, host: Host): string | undefined {
  const within = (folder: string) => {
    try {
      return host.readDir(root + folder).map((entry) => `${folder}/${entry}`);
    } catch {
      return [];
    }
  };
  const top = within("/data/app");
  const nested = top.filter((path) => /\/~~[^/]*$/.test(path)).flatMap(within);
  const home = [...top, ...nested].find((path) => {
    const last = path.slice(path.lastIndexOf("/") + 1);
    return last === name || last.startsWith(`${name}-`);
  });
  return home && `${home}/lib/${ABI[Deno.build.arch]}`;
}
