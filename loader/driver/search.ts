/** Where driver manifests are looked for: a file that was named, or one found in a directory. */
export interface ManifestCandidate {
  /** The manifest file. */
  readonly path: string;
  /** Why it was looked at, such as `VK_DRIVER_FILES` or the directory that holds it. */
  readonly origin: string;
}

/** Reads an environment variable; one we may not read counts as unset. */
export function environment(name: string): string {
  try {
    return Deno.env.get(name) ?? "";
  } catch {
    return "";
  }
}

/** The folders Linux searches for `vulkan/<leaf>`, in the Khronos loader's order, without repeats. */
export function searchFolders(leaf: string, get: (name: string) => string = environment): string[] {
  const home = get("HOME");
  const roots = [
    get("XDG_CONFIG_HOME") || (home && `${home}/.config`),
    ...(get("XDG_CONFIG_DIRS") || "/etc/xdg").split(":"),
    "/etc",
    get("XDG_DATA_HOME") || (home && `${home}/.local/share`),
    ...(get("XDG_DATA_DIRS") || "/usr/local/share:/usr/share").split(":"),
  ];
  return [...new Set(roots.filter((root) => root !== ""))].map((root) => `${root}/vulkan/${leaf}`);
}

/**
 * Every driver manifest to look at, in order: those VK_DRIVER_FILES (or its
 * old name VK_ICD_FILENAMES) lists, else VK_ADD_DRIVER_FILES and then the
 * search folders. Within a folder names are sorted, so that the order is the
 * same on every file system.
 */
export function driverManifests(get: (name: string) => string = environment): ManifestCandidate[] {
  for (const variable of ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]) {
    if (get(variable)) return listed(get(variable), variable);
  }
  const found = searchFolders("icd.d", get).flatMap((folder) => manifestsIn(folder, folder));
  return [...listed(get("VK_ADD_DRIVER_FILES"), "VK_ADD_DRIVER_FILES"), ...found];
}

/** The manifests a `:`-separated list of files and folders leads to. */
export function listed(value: string, origin: string): ManifestCandidate[] {
  const entries = value.split(":").filter((entry) => entry !== "");
  return entries.flatMap((entry) => entry.endsWith(".json") ? [{ path: entry, origin }] : manifestsIn(entry, origin));
}

/** The `.json` files of a folder, sorted; none when it does not exist or may not be read. */
export function manifestsIn(folder: string, origin: string): ManifestCandidate[] {
  try {
    const names = [...Deno.readDirSync(folder)].map((entry) => entry.name).filter((name) => name.endsWith(".json"));
    return names.sort().map((name) => ({ path: `${folder}/${name}`, origin }));
  } catch {
    return [];
  }
}
