import type { AndroidSearch } from "../../driver/android/options.ts";
import { type Host, isElevated } from "../../driver/host/host.ts";
import type { Finding } from "../../driver/report/finding.ts";

/** The rights of an application to load layers beside its own. */
export interface DebugRights {
  /** Whether layers of other packages may be loaded. Their code could read everything. */
  readonly granted: boolean;
  /** The reason for the answer. */
  readonly reason: string;
  /** Whether even properties may not name layers, because the process has other rights than the user who started it. */
  readonly isElevated?: boolean;
}

/** The part of the global settings that is meant for an application. */
export interface DebugSettings {
  /** Layers for all instances of the application, top to bottom. */
  readonly layers: readonly string[];
  /** The packages whose layers the application may load. */
  readonly packages: readonly string[];
}

const ENABLE = "enable_gpu_debug_layers", APP = "gpu_debug_app";
const PACKAGES = "gpu_debug_layer_app";

/** The setting that names layers: for Vulkan, or for GLES. */
export type LayersSetting = "gpu_debug_layers" | "gpu_debug_layers_gles";

/**
 * Decides whether an application may load layers of other packages. A process
 * with more rights than the user who started it may never do so.
 */
export function debugRights(
  { app = {} }: AndroidSearch,
  property: (name: string) => string,
  host: Host,
): DebugRights {
  if (isElevated(host)) {
    return { granted: false, reason: "this process has other rights than who started it", isElevated: true };
  }
  if (app.debuggable) return { granted: true, reason: "the application may be debugged" };
  if (app.injectLayers) return { granted: true, reason: "the application lets layers in" };
  if (property("ro.debuggable") === "1") return { granted: true, reason: "this build of Android may be debugged" };
  return { granted: false, reason: "the application may not be debugged and lets no layers in" };
}

/**
 * Returns the layer settings, if they are meant for this application and it may
 * use them; otherwise `undefined`. `keepsEmpty`: an empty text between two
 * colons counts as a name. `named`: the setting that has the names.
 */
export function debugSettings(
  { settings = {}, app = {} }: AndroidSearch,
  rights: DebugRights,
  keepsEmpty: boolean,
  report: Finding[],
  named: LayersSetting = "gpu_debug_layers",
): DebugSettings | undefined {
  const layers = settings[named] ?? "", packages = settings[PACKAGES] ?? "";
  if (settings[ENABLE] === undefined && layers === "" && packages === "") return undefined;
  const say = (path: string, taken: boolean, reason: string) =>
    report.push({ subject: "setting", path, ...valueOf(settings, path), origin: "settings option", taken, reason });
  const refuse = (path: string, reason: string) => void say(path, false, `${reason}, so no layer comes by settings`);
  if (!parseInt(settings[ENABLE] ?? "", 10)) return refuse(ENABLE, "debug layers are off");
  if (!app.packageName) return refuse(APP, "nobody said which application this is (app.packageName)");
  if (settings[APP] !== app.packageName) return refuse(APP, `this application is ${app.packageName}`);
  if (!rights.granted) return refuse(ENABLE, rights.reason);
  say(ENABLE, true, `debug layers are on, as ${rights.reason}`);
  if (layers !== "") say(named, true, "names layers for every instance of this application");
  if (packages !== "") say(PACKAGES, true, "names packages that bring layers");
  const names = (text: string) => text === "" ? [] : text.split(":").filter((name) => keepsEmpty || name !== "");
  return { layers: names(layers), packages: names(packages).filter((name) => name !== "") };
}

function valueOf(settings: Readonly<Record<string, string>>, name: string): { value?: string } {
  return settings[name] === undefined ? {} : { value: settings[name] };
}

/** The property that lists layers, and the prefix of those that name one layer each. */
const LIST = "debug.vulkan.layers", SINGLE = "debug.vulkan.layer.";
/** The last numbered property that is read even if the one before it is not set. */
const LAST_ALWAYS = 9;
/** PROP_VALUE_MAX: the first position of the list, so that the whole list comes before the numbered properties. */
const LIST_PRIORITY = -92;

/** A layer named by a property. */
interface Named {
  readonly priority: number;
  readonly name: string;
}

/** Returns the layers that properties name for every application, top to bottom. */
export function debugPropertyLayers(property: (name: string) => string, report: Finding[]): string[] {
  const read = (path: string) => {
    const value = property(path), reason = "names layers for every application";
    if (value !== "") report.push({ subject: "property", path, value, origin: "properties", taken: true, reason });
    return value;
  };
  const listed = read(LIST).split(":").map((name, index): Named => ({ priority: LIST_PRIORITY + index, name }));
  const all = [...listed.filter(({ name }) => name !== ""), ...numbered(read)];
  return all.sort((one, other) => one.priority - other.priority).map(({ name }) => name);
}

function numbered(read: (path: string) => string): Named[] {
  const found: Named[] = [];
  for (let priority = 0;; priority++) {
    const name = read(`${SINGLE}${priority}`);
    if (name !== "") found.push({ priority, name });
    else if (priority >= LAST_ALWAYS) return found;
  }
}
