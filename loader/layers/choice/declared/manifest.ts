import { type Finding, Refusal, type Said, saidOf } from "../../../driver/report/finding.ts";
import type { Host } from "../../../driver/host/host.ts";
import {
  isObject,
  locateLibrary,
  packed,
  parseVersion,
  readManifest,
  requireText,
  shortened,
} from "../../../driver/manifest/manifest.ts";
import { DriverError } from "../../../error.ts";
import type { LayerExtension } from "../../../layer.ts";
import { VK_MAX_EXTENSION_NAME_SIZE } from "../../../gen/native_gen.ts";

/** A layer as its manifest declares it. */
export interface ManifestLayer {
  /** The layer's name. */
  readonly name: string;
  /** The manifest file. */
  readonly manifest: string;
  /** The manifest's file_format_version, if it has one. */
  readonly fileVersion?: string;
  /** The library: absolute, or a bare name for the system's search path; `""` for a meta-layer. */
  readonly library: string;
  /** The components of a meta-layer, top to bottom; empty for others. */
  readonly components: readonly string[];
  /** Whether it counts without being named. */
  readonly isImplicit: boolean;
  /** The packed Vulkan version that it was written for. */
  readonly apiVersion: number;
  /** The version of the layer. */
  readonly implementationVersion: number;
  /** A description in words. */
  readonly description: string;
  /** Other names of its interface functions, by their usual names. */
  readonly functions: ReadonlyMap<string, string>;
  /** The instance extensions that it provides. */
  readonly instanceExtensions: readonly LayerExtension[];
  /** The device extensions that it provides. */
  readonly deviceExtensions: readonly LayerExtension[];
  /** For an implicit layer, the variable and the value that turn it on; absent if it needs none. */
  readonly enable?: readonly [variable: string, value: string];
  /** For an implicit layer, the variable that turns it off. */
  readonly disable?: string;
  /** Functions of an implicit layer for commands that need no instance, by command. */
  readonly preInstance: ReadonlyMap<string, string>;
  /** For the override layer: the programs it is for; empty for all. */
  readonly appKeys: readonly string[];
  /** For the override layer: layers that do not count. */
  readonly blacklist: readonly string[];
  /** For the override layer: the folders to search for explicit layers instead. */
  readonly overridePaths: readonly string[];
  /** For a layer that Android's search found without a manifest: its owner, and whether it takes part in devices. */
  readonly android?: { readonly owner: "application" | "platform" | "oem"; readonly onDevices: boolean };
}

/** Takes a sentence about a part that does not count or is odd, and the Khronos loader's message about it. */
export type Remark = (
  reason: string,
  said?: Pick<Finding, "message" | "level" | "category"> & { taken?: boolean },
) => void;

/** The most bytes of a name and of a description, with the NUL. */
const MOST_BYTES = VK_MAX_EXTENSION_NAME_SIZE;
/** file_format_version 1.1.2, three digits a part. pre_instance_functions count from this version on. */
const PRE_INSTANCE_FORMAT = 1_001_002;
/** From version 1.1.0 on, a layer negotiates and need not name these functions. */
const NEGOTIATING_FORMAT = 1_001_000, NEGOTIATED = ["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"];
/** The meta-layer with which the old Vulkan Configurator set up layers for all programs or some. */
export const OVERRIDE = "VK_LAYER_LUNARG_override";
/** From version 1.1.0 on, there are meta-layers: members of theirs, and the Khronos loader's words for each. */
const META_FORMAT = NEGOTIATING_FORMAT;
const META_MEMBERS = [["component_layers", "component_layers"], ["override_paths", "override paths"]] as const;
const FORMATS: readonly string[] = ["1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.1.2", "1.2.0", "1.2.1"];
/** The Khronos loader's words about layers that do not count. */
const SKIPPING = "skipping this layer";
function noLibrary(name: unknown): string {
  return `Layer "${name}" is missing both library_path and component_layers fields.  One or the other MUST be defined.  ` +
    "Skipping this layer";
}

/**
 * Reads a layer manifest of any version: one `layer`, or several `layers`. An
 * unusable layer in it is left out and passed to `remark`. Throws a
 * {@linkcode DriverError} for a file without any layer.
 */
export function readLayerManifest(
  path: string,
  isImplicit: boolean,
  host: Host,
  remark: Remark,
): ManifestLayer[] {
  const file = readManifest(path, "layer", host), { text: fileVersion, format } = formatOf(path, file);
  const layers = Array.isArray(file.layers) ? file.layers : [file.layer];
  if (fileVersion !== undefined) checkFormat(path, fileVersion, remark);
  if (layers.length === 0) throw refusal(path, "it lists no layer; mend the file");
  return layers.flatMap((layer) => {
    try {
      return [layerOf({ path, isImplicit, format, fileVersion, host, remark }, layer)];
    } catch (error) {
      if (layers.length === 1 || !(error instanceof DriverError)) throw error;
      remark(error.message, saidOf(error));
      return [];
    }
  });
}

/** The data of the whole file. */
interface File {
  readonly path: string;
  readonly isImplicit: boolean;
  readonly format: number;
  readonly fileVersion?: string;
  readonly host: Host;
  readonly remark: Remark;
}

function layerOf(file: File, layer: unknown): ManifestLayer {
  const { path, isImplicit, format, fileVersion, remark } = file;
  if (!isObject(layer)) {
    throw refusal(path, `it has no "layer" object; is it a driver's manifest?`, {
      message:
        `loader_add_layer_properties: Can not find 'layer' object in manifest JSON file ${path}.  Skipping this file.`,
    });
  }
  const name = requireName(path, layer), source = sourceOf(file, layer);
  checkKind(path, layer);
  if (!name.startsWith("VK_LAYER_")) {
    const message = `Layer name ${name} does not conform to naming standard (Policy #LLP_LAYER_3)`;
    remark(`layer name ${shortened(name)} does not begin with VK_LAYER_`, { message });
  }
  const disable = isObject(layer.disable_environment) ? Object.keys(layer.disable_environment)[0] : undefined;
  if (isImplicit && disable === undefined) {
    throw refusal(path, `implicit layer ${name} has no disable_environment`, {
      message:
        `Layer "${name}" doesn't contain required layer object disable_environment in the manifest JSON file, ${SKIPPING}`,
      category: "none",
    });
  }
  return {
    name,
    manifest: path,
    fileVersion,
    ...source,
    isImplicit,
    apiVersion: versionOf(path, requireKey(path, layer, "api_version"), name),
    implementationVersion: numberOf(path, layer),
    description: descriptionOf(path, layer),
    functions: functionsOf(name, layer, format, remark),
    instanceExtensions: extensionList(layer, "instance_extensions", remark),
    deviceExtensions: extensionList(layer, "device_extensions", remark),
    enable: isImplicit ? [...textMap(layer.enable_environment)][0] : undefined,
    disable,
    preInstance: isImplicit && format >= PRE_INSTANCE_FORMAT ? textMap(layer.pre_instance_functions) : new Map(),
    appKeys: appKeysOf(name, layer, remark),
    blacklist: texts(layer.blacklisted_layers),
    overridePaths: texts(layer.override_paths),
  };
}

/** Returns the programs that an override layer is for. Other layers are for all. */
function appKeysOf(name: string, { app_keys: keys }: Record<string, unknown>, remark: Remark): readonly string[] {
  const programs = texts(keys);
  if (programs.length > 0 && name !== OVERRIDE) {
    remark("app_keys count in the override layer alone", {
      message: `Layer ${name} contains app_keys, but any app_keys can only be provided by the override meta layer. ` +
        "These will be ignored.",
      taken: true,
    });
  }
  return programs;
}

/** Returns the library, or the components in its place. */
function sourceOf({ path, format, host, remark }: File, layer: Record<string, unknown>) {
  const components = texts(layer.component_layers);
  if (layer.component_layers === undefined) {
    const named = requireKey(path, layer, "library_path");
    if (!textOf(named)) throw refusal(path, `"library_path" holds a NUL; mend the file`);
    const notes: string[] = [], library = locateLibrary(path, named, host, notes);
    notes.forEach((note) => remark(note));
    return { library, components };
  }
  if (layer.library_path !== undefined) {
    throw refusal(path, "it has library_path and component_layers; keep one", {
      message: "Indicating meta-layer-specific component_layers, but also defining layer library path.  Both are not " +
        "compatible, so skipping this layer",
      category: "none",
    });
  }
  if (components.length === 0) throw refusal(path, `"component_layers" lists no layer; name some`);
  if (format < META_FORMAT) {
    META_MEMBERS.filter(([key]) => layer[key] !== undefined).forEach(([key, words]) =>
      remark(`${key} counts, although file_format_version is older than 1.1.0`, {
        message: `Layer "${layer.name}" contains meta-layer-specific ${words}, but using older JSON file version.`,
        category: "none",
        taken: true,
      })
    );
  }
  return { library: "", components };
}

/** Returns the Khronos loader's message about a type that does not count, if there is one. */
function kindWords(path: string, { name, type }: Record<string, unknown>): Said | undefined {
  if (type === "DEVICE") return { message: `Device layers are deprecated. Skipping layer ${name}` };
  return type === undefined ? missingKey(path, "type") : undefined;
}

function checkKind(path: string, layer: Record<string, unknown>): void {
  const { type, library_arch: width } = layer;
  if (type !== "INSTANCE" && type !== "GLOBAL") {
    throw refusal(
      path,
      `layer type ${shortened(type)} is neither "INSTANCE" nor "GLOBAL"; device layers are no more`,
      kindWords(path, layer),
    );
  }
  if (width !== undefined && width !== "64") {
    throw refusal(path, `library_arch is ${shortened(width)}, this process is 64-bit; name the 64-bit manifest`, {
      message: `The library architecture in layer ${path} doesn't match the current running architecture, ${SKIPPING}`,
      level: "info",
      category: "none",
    });
  }
}

function requireName(path: string, layer: Record<string, unknown>): string {
  const name = requireKey(path, layer, "name");
  if (textOf(name) && new TextEncoder().encode(name).length < MOST_BYTES) return name;
  throw refusal(path, `layer name ${shortened(name)} has a NUL in it or ${MOST_BYTES} bytes and more; shorten it`);
}

function versionOf(path: string, text: string, layer: string): number {
  const { variant, major, minor, patch } = parseVersion(text);
  if (variant !== 0) {
    throw refusal(path, `api_version ${shortened(text)} has variant ${variant}, not 0`, {
      message: `Layer "${layer}" has an 'api_version' field which contains a non-zero variant value of ${variant}. ` +
        " Skipping Layer.",
      level: "info",
    });
  }
  return ((major & 0x7f) << 22 | (minor & 0x3ff) << 12 | patch & 0xfff) >>> 0;
}

/** Returns the implementation_version, a number in a string or a bare number. */
function numberOf(path: string, { implementation_version: version }: Record<string, unknown>): number {
  if (typeof version === "number") return version >>> 0;
  return parseInt(requireKey(path, { implementation_version: version }, "implementation_version")) >>> 0;
}

/** A description may be empty, but must be there. */
function descriptionOf(path: string, layer: Record<string, unknown>): string {
  return layer.description === "" ? "" : requireKey(path, layer, "description");
}

/** Returns the file's version. A missing one counts as the oldest. */
function formatOf(
  path: string,
  { file_format_version: format }: Record<string, unknown>,
): { text?: string; format: number } {
  if (format === undefined) return { format: 0 };
  if (typeof format !== "string") throw refusal(path, `"file_format_version" is ${shortened(format)}; write "1.2.1"`);
  return { text: format, format: packed(format) };
}

function checkFormat(path: string, format: string, remark: Remark): void {
  const { major, minor, patch } = parseVersion(format), version = `${major}.${minor}.${patch}`;
  if (FORMATS.includes(version)) return;
  remark(`file_format_version ${version} is none the loader knows, read as if it were ${FORMATS.at(-1)}`, {
    message:
      `loader_add_layer_properties: ${path} has unknown layer manifest file version ${version}.  May cause errors.`,
    level: "info",
    taken: true,
  });
}

/** Returns the names of a layer's functions. Only old loaders need names for those that negotiation returns. */
function functionsOf(
  name: string,
  { functions }: Record<string, unknown>,
  format: number,
  remark: Remark,
): ReadonlyMap<string, string> {
  const named = textMap(functions);
  for (const tag of format < NEGOTIATING_FORMAT ? [] : NEGOTIATED.filter((each) => named.has(each))) {
    const message =
      `Layer "${name}" using deprecated '${tag}' tag which was deprecated starting with JSON file version ` +
      "1.1.0. The new vkNegotiateLoaderLayerInterfaceVersion function is preferred, though for compatibility reasons " +
      "it may be desirable to continue using the deprecated tag.";
    remark(`${name} names its ${tag}, which only loaders need that do not negotiate`, {
      message,
      level: "info",
      category: "none",
      taken: true,
    });
  }
  return named;
}

function refusal(path: string, what: string, said?: Said): Refusal {
  return new Refusal("bad-manifest", path, `Cannot read layer manifest "${path}": ${what}`, said);
}

/** Returns the required string under a key. */
function requireKey(path: string, layer: Record<string, unknown>, key: string): string {
  return requireText(path, "layer", layer, key, (value) => {
    if (value !== undefined) {
      return { message: `Problem accessing layer value ${key} in manifest JSON file, ${SKIPPING}`, category: "none" };
    }
    if (key === "library_path") return { message: noLibrary(layer.name), category: "none" };
    return missingKey(path, key);
  });
}

function missingKey(path: string, key: string): Said {
  const message =
    `Layer located at ${path} didn't find required layer value "${key}" in manifest JSON file, ${SKIPPING}`;
  return { message, category: "none" };
}

/** Returns a string that C can take; `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined;
}

/** Returns the strings of an array; none if the value is not an array. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((item) => textOf(item) ?? []) : [];
}

/** Returns the members of an object whose values are strings. */
export function textMap(value: unknown): Map<string, string> {
  if (!isObject(value)) return new Map();
  return new Map(Object.entries(value).flatMap(([key, item]) => typeof item === "string" ? [[key, item]] : []));
}

/** Reads a list of extensions, `[{ name, spec_version }]`. Malformed entries are left out and passed to `remark`. */
export function extensionList(
  layer: Record<string, unknown>,
  key: string,
  remark: (reason: string) => void,
): LayerExtension[] {
  const value = layer[key];
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    remark(`"${key}" is ${shortened(value)}, ignored; write it as an array`);
    return [];
  }
  return value.flatMap((item) => {
    const extensionName = isObject(item) ? textOf(item.name) : undefined;
    if (extensionName) return [{ extensionName, specVersion: Number(item.spec_version) >>> 0 }];
    remark(`"${key}" has an entry ${shortened(item)}, skipped; write { "name", "spec_version" }`);
    return [];
  });
}

/** Returns the finding that a layer does not count. */
export function refusedLayer(
  { name, manifest }: ManifestLayer,
  reason: string,
  level: Finding["level"] = "info",
  message?: string,
): Finding {
  return { subject: "layer", path: name, origin: manifest, taken: false, reason, level, ...message && { message } };
}
