import type { AndroidSearch } from "../../driver/android/options.ts";
import type { Finding } from "../../driver/report/finding.ts";
import { type Host, installedLibraries } from "../../driver/host/host.ts";
import type { DebugRights, DebugSettings } from "./debug_settings.ts";

/** A folder to search for layers. */
export interface LayerFolder {
  /** The folder, including `root`. */
  readonly path: string;
  /** The reason for searching the folder. */
  readonly origin: string;
}

/** The folder in which developers put layers on a device. */
const DEBUG_FOLDER = "/data/local/debug/vulkan";

/**
 * Returns the folders of an application's layers in order of precedence: the
 * developers' folder, then those that the settings allow, then its own.
 */
export function layerFolders(
  search: AndroidSearch,
  rights: DebugRights,
  settings: DebugSettings | undefined,
  host: Host,
  report: Finding[],
  debugFolder: string = DEBUG_FOLDER,
): LayerFolder[] {
  const { root = "", app = {} } = search, own = app.nativeLibraryDir ?? "";
  const debug = rights.granted ? split(debugFolder, "debug layers", root) : [];
  const data = app.dataDir ?? `/data/data/${app.packageName}`;
  const opened = settings ? split(data, "data of the application", root) : [];
  const packages = settings?.packages.flatMap((name) => packageFolders(name, search, host, report)) ?? [];
  return [...debug, ...opened, ...packages, ...split(own, "libraries of the application", root)];
}

function packageFolders(name: string, search: AndroidSearch, host: Host, report: Finding[]): LayerFolder[] {
  const { root = "", app = {} } = search, origin = `gpu_debug_layer_app, ${name}`;
  const folders = app.layerPackages?.[name] ?? installedLibraries(name, root, host);
  if (folders !== undefined) return split(folders, origin, root);
  const reason = `does not hold ${name}; give its folders in app.layerPackages`;
  report.push({ subject: "folder", path: `${root}/data/app`, origin, taken: false, reason, level: "warning" });
  return [];
}

function split(paths: string, origin: string, root: string): LayerFolder[] {
  return paths.split(":").filter((path) => path !== "").map((path) => ({ path: root + path, origin }));
}

/** Returns the names of the layer libraries in a folder, sorted; none if the folder cannot be read. */
export function layerFiles({ path, origin }: LayerFolder, host: Host, report: Finding[]): string[] {
  const finding = { subject: "folder", path, origin } as const;
  const refuse = (reason: string, level: Finding["level"]) => {
    report.push({ ...finding, taken: false, reason, level });
    return [];
  };
  if (path.includes("!/")) return refuse("lies inside a package; unpack it and name the folder", "warning");
  try {
    const all = host.readDir(path), names = all.filter(isLayerFile).sort();
    report.push(...all.filter(isMisspelt).sort().map((name) => misspelt(finding.path, name, origin)));
    report.push({ ...finding, taken: true, reason: `holds ${names.join(", ") || "no layer library"}`, level: "debug" });
    return names;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return refuse("no such folder", "debug");
    return refuse(`cannot be read: ${(error as Error).message}`, "warning");
  }
}

/** Whether a file name is that of a layer library as some documents spell it: `libVKLayer_NAME.so`. */
function isMisspelt(name: string): boolean {
  return /^libvklayer.*\.so$/i.test(name) && !isLayerFile(name);
}

function misspelt(folder: string, name: string, origin: string): Finding {
  const reason = "is not looked at: Android's loader takes libVkLayer*.so, with a small k; rename the file";
  return { subject: "layer", path: `${folder}/${name}`, origin, taken: false, reason, level: "warning" };
}

/** Whether a file name is that of a layer library. */
export function isLayerFile(name: string): boolean {
  return name.startsWith("libVkLayer") && name.endsWith(".so");
}
