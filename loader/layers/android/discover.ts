import { openLibrary, RTLD_NOW } from "../../../ffi/library/library.ts";
import { type AndroidSearch, NEWEST_RELEASE } from "../../driver/android/options.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { Host } from "../../driver/host/host.ts";
import type { CatalogLayer } from "../choice/rules.ts";
import { refusedLayer } from "../choice/declared/manifest.ts";
import { isLayerFile, layerFiles, type LayerFolder } from "./folders.ts";
import { type DeclaredLayer, queryLibrary } from "./query_library.ts";

/**
 * The provider of a layer: applications, developers and packages (`"application"`), or the system, whose layers are not
 * listed.
 */
export type LayerOwner = "application" | "platform" | "oem";

/** The input of a search. */
export interface LayerSearch extends AndroidSearch {
  /** The machine. */
  readonly host: Host;
  /** Returns a system property; `""` if it is not set. */
  readonly property: (name: string) => string;
  /** The findings so far. */
  readonly report: Finding[];
}

/** A library that may contain layers, and who provides them. */
interface Candidate extends LayerFolder {
  readonly file: string;
  readonly owner: LayerOwner;
}

/** Layers of the system, from release 17 on: the property that names their files, and their folder. */
const SYSTEM = [
  { owner: "platform", property: "ro.vulkan.layers.platform", folder: "/system/lib64/vulkan" },
  { owner: "oem", property: "ro.vulkan.layers.oem", folder: "/product/lib64/vulkan" },
] as const;
const SYSTEM_FROM = 17;

/**
 * Returns all layers of these folders, then those of the system, in order of
 * precedence. Of several libraries with one file name, the first usable one
 * counts; of several layers with one name, the first.
 */
export function discoverLayers(folders: readonly LayerFolder[], search: LayerSearch): CatalogLayer[] {
  const { host, report } = search, files = new Map<string, string>(), layers = new Map<string, CatalogLayer>();
  const candidates = folders.flatMap((folder) =>
    layerFiles(folder, host, report).map((file): Candidate => ({ ...folder, file, owner: "application" }))
  );
  for (const candidate of [...candidates, ...systemLibraries(search)]) {
    const before = files.get(candidate.file);
    if (before !== undefined) {
      refuse(candidate, `a library of that name was found before, in ${before}`, report, "debug");
      continue;
    }
    for (const layer of layersOf(candidate, search)) {
      files.set(candidate.file, candidate.path);
      const first = layers.get(layer.name);
      if (first) report.push(refusedLayer(layer, `a layer of that name was found before, in ${first.library}`));
      else layers.set(layer.name, layer);
    }
  }
  return [...layers.values()];
}

function systemLibraries({ release = NEWEST_RELEASE, root = "", property, report }: LayerSearch): Candidate[] {
  if (release < SYSTEM_FROM) return [];
  return SYSTEM.flatMap(({ owner, property: name, folder }) => {
    const value = property(name), files = value.split(":").filter(isLayerFile);
    if (value === "") return [];
    const reason = `names ${files.length} layer libraries of the system`;
    report.push({ subject: "property", path: name, value, origin: "properties", taken: true, reason, level: "debug" });
    return files.map((file): Candidate => ({ path: root + folder, origin: name, file, owner }));
  });
}

/** Opens a library, asks for its layers and closes it again. Returns none if the library cannot be used. */
function layersOf(candidate: Candidate, { report, quirks }: LayerSearch): CatalogLayer[] {
  const path = `${candidate.path}/${candidate.file}`;
  try {
    const library = openLibrary(path, false, RTLD_NOW);
    try {
      const declared = queryLibrary(path, library, quirks === "aosp");
      const reason = `declares ${declared.map(describe).join(", ")}`;
      const level = declared.some(({ remark, onDevices }) => remark !== "" && !onDevices) ? "warning" : "debug";
      report.push({ subject: "layer", path, origin: candidate.origin, taken: true, reason, level });
      return declared.map((layer) => catalogLayer(layer, candidate));
    } finally {
      library.close();
    }
  } catch (error) {
    refuse(candidate, (error as Error).message, report, "warning");
    return [];
  }
}

function describe({ record, onDevices, remark }: DeclaredLayer): string {
  return `${record.name} (${onDevices ? "for instances and devices" : "for instances only"}${remark})`;
}

function catalogLayer(
  { record, onDevices, instanceExtensions, deviceExtensions }: DeclaredLayer,
  { path, file, owner }: Candidate,
): CatalogLayer {
  const { name, specVersion: apiVersion, implementationVersion, description } = record;
  return {
    name,
    apiVersion,
    implementationVersion,
    description,
    instanceExtensions,
    deviceExtensions,
    manifest: path,
    library: `${path}/${file}`,
    android: { owner, onDevices },
    isImplicit: false,
    components: [],
    functions: new Map(),
    preInstance: new Map(),
    appKeys: [],
    blacklist: [],
    overridePaths: [],
  };
}

function refuse({ path, file, origin }: Candidate, reason: string, report: Finding[], level: Finding["level"]): void {
  report.push({ subject: "layer", path: `${path}/${file}`, origin, taken: false, reason, level });
}
