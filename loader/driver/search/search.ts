import { PROPERTIES_RULE } from "../../../ffi/android/properties.ts";
import {
  either,
  members,
  object,
  oneOf,
  type OptionRules,
  record,
  text,
  typed,
  yesOrNo,
} from "../../../ffi/check_options.ts";
import type { AndroidApp, AndroidSearch } from "../android/options.ts";
import { denoHost, type Host } from "../host/host.ts";
import { type Finding, MAY_NOT_BE_READ } from "../report/finding.ts";

/** Options of a driver search: places and rules. */
export interface DriverSearch extends AndroidSearch {
  /** The rules to follow: Android's, Linux's, or those of this system. Default `"auto"`. */
  readonly platform?: "auto" | "android" | "linux";
  /** The machine as the search sees it, for tests. Default: this process. */
  readonly host?: Host;
}

/** A driver manifest to read: a named file, or one from a folder. */
export interface ManifestCandidate {
  /** The manifest file. */
  readonly path: string;
  /** The reason for reading it, such as `VK_DRIVER_FILES` or its folder. */
  readonly origin: string;
  /** The finding that a filter excludes the manifest. The Khronos loader reads such a manifest, and leaves its driver out. */
  readonly excluded?: Finding;
}

/** The end of a manifest's path. */
const MANIFEST = ".json";

/**
 * Returns the folders that Linux searches for `vulkan/<leaf>`, in the Khronos loader's order, without repeats; a slash
 * at the end of a root makes no other folder. A root that ends in `.json` is no root but a manifest.
 */
export function searchFolders(leaf: string, get: (name: string) => string): string[] {
  const { configHome, configDirs, dataHome, dataDirs } = searchRoots(get);
  const roots = [...configHome, ...configDirs, "/etc", ...dataHome, ...dataDirs];
  const placeOf = (root: string) => root.endsWith(MANIFEST) ? root : `${root.replace(/\/$/, "")}/vulkan/${leaf}`;
  return [...new Set(roots.map(placeOf))];
}

/** The roots of a search, by the variable that lists them. */
type SearchRoots = Readonly<Record<"configHome" | "configDirs" | "dataHome" | "dataDirs", readonly string[]>>;

/** Returns the roots that the environment gives. Each variable is a `:`-separated list, also those for one home. */
export function searchRoots(get: (name: string) => string): SearchRoots {
  const home = get("HOME"), at = (folder: string) => home && `${home}/${folder}`;
  return {
    configHome: split(get("XDG_CONFIG_HOME") || at(".config")),
    configDirs: split(get("XDG_CONFIG_DIRS") || "/etc/xdg"),
    dataHome: split(get("XDG_DATA_HOME") || at(".local/share")),
    dataDirs: split(get("XDG_DATA_DIRS") || "/usr/local/share:/usr/share"),
  };
}

/** Returns the manifests of a `:`-separated list of files and folders. Findings about its folders go to `report`. */
export function listed(
  value: string,
  origin: string,
  host: Host = denoHost(),
  report: Finding[] = [],
): ManifestCandidate[] {
  return split(value).flatMap((entry) => manifestsIn(entry, origin, host, report));
}

/** Splits a `:`-separated list. */
export function split(value: string): string[] {
  return value.split(":").filter((entry) => entry !== "");
}

/**
 * Returns the `.json` files of a folder; none if it does not exist or may not
 * be read. Names are sorted, so that the order is the same on every file
 * system. A path that ends in `.json` is a manifest itself.
 */
export function manifestsIn(
  folder: string,
  origin: string,
  host: Host = denoHost(),
  report: Finding[] = [],
): ManifestCandidate[] {
  if (folder.endsWith(MANIFEST)) return [{ path: folder, origin }];
  try {
    const names = host.readDir(folder).filter((name) => name.endsWith(MANIFEST)).sort();
    const reason = `holds ${names.length} ${names.length === 1 ? "manifest" : "manifests"}`;
    report.push({ subject: "folder", path: folder, origin, taken: true, reason, level: "debug" });
    return names.map((name) => ({ path: `${folder}/${name}`, origin }));
  } catch (error) {
    report.push({ subject: "folder", path: folder, origin, taken: false, reason: unreadable(error), level: "debug" });
    return [];
  }
}

/** The manifests of a search, and their folder. */
const LEAVES = {
  "driver": "icd.d",
  "implicit layer": "implicit_layer.d",
  "explicit layer": "explicit_layer.d",
} as const;

/** Reports a search, its places and its result, in the Khronos loader's words. */
export function searched(
  kind: keyof typeof LEAVES,
  places: readonly string[],
  found: readonly ManifestCandidate[],
): Finding {
  const files = found.length === 0 ? ["   Found no files"] : ["   Found the following files:", ...indented(found)];
  const message = [
    `Searching for ${kind} manifest files`,
    "   In following locations:",
    ...places.map((place) => `      ${place}`),
    ...files,
  ].join("\n");
  const reason = `${places.length} places searched for ${kind}s, ${found.length} manifests found`;
  const finding = { subject: "folder", path: `vulkan/${LEAVES[kind]}`, origin: "search", taken: true, reason } as const;
  return { ...finding, level: "debug", message, messageLevel: "plain" };
}

function indented(found: readonly ManifestCandidate[]): string[] {
  return found.map(({ path }) => `      ${path}`);
}

function unreadable(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "does not exist";
  if (error instanceof Deno.errors.NotCapable) return `${MAY_NOT_BE_READ}; allow it with --allow-read`;
  return `cannot be read: ${(error as Error).message}`;
}

/** The platform whose rules apply. */
export type Platform = "android" | "linux";

/** Returns the requested platform, or this system's for `"auto"`. Throws a `TypeError` for another word. */
export function platformOf(wanted: Platform | "auto" | undefined, host: Host): Platform {
  if (wanted === undefined || wanted === "auto") return host.system;
  if (wanted === "android" || wanted === "linux") return wanted;
  throw new TypeError(`Cannot use platform ${JSON.stringify(wanted)}: give "auto", "android" or "linux"`);
}

/** Returns the finding about the choice. */
export function platformFinding(platform: Platform, wanted: Platform | "auto" | undefined): Finding {
  const asked = wanted !== undefined && wanted !== "auto";
  const reason = asked ? "asked for by the caller" : "the system this process runs on";
  return { subject: "platform", path: platform, origin: "platform option", taken: true, reason, level: "debug" };
}

const TEXT = typed("a text", "string");
const APP: OptionRules<AndroidApp> = {
  packageName: TEXT,
  debuggable: yesOrNo,
  injectLayers: yesOrNo,
  nativeLibraryDir: TEXT,
  dataDir: TEXT,
  layerPackages: record("an object of folders by the packages' names", TEXT),
  system: yesOrNo,
  developerDriver: yesOrNo,
};
const UPDATABLE = "the path of a folder or package, or { gpuService }";

/** The options of a search for drivers and their rules. */
export const SEARCH_RULES: OptionRules<DriverSearch> = {
  root: typed("the path of a folder", "string"),
  systemProperties: PROPERTIES_RULE,
  settings: record("an object of texts by the settings' names", TEXT),
  app: members("an object that says what application this is", APP),
  updatableDriver: either(text(UPDATABLE), members(UPDATABLE, { gpuService: TEXT })),
  halSearch: oneOf("libvulkan", "hw_get_module"),
  release: oneOf(14, 15, 16, 17),
  windowSystem: record("an object of addresses (bigints) by the commands' names", typed("an address", "bigint")),
  quirks: oneOf("aosp"),
  platform: oneOf("auto", "android", "linux"),
  host: object("what Host describes"),
};
