import type { Finding } from "./finding.ts";
import type { Host } from "./host.ts";
import { isObject, readManifest, shortened } from "./json.ts";
import { parseSettings, type Remark } from "./settings_parse.ts";
import type { LoaderSettings } from "./settings_types.ts";
import { Variables } from "./variables.ts";

export type { DeviceConfiguration, LayerControl, LayerSetting, LoaderSettings } from "./settings_types.ts";

/** Below each folder that is searched. */
const FILE = "vulkan/loader_settings.d/vk_loader_settings.json";

/**
 * What the loader's settings file, as the Vulkan Configurator writes it, says
 * to this program: the first `vk_loader_settings.json` there is. `undefined`
 * without one, and when the file is broken or says nothing to this program;
 * `report` gets why. When there is no file any more, `last` stays in force.
 */
export function readLoaderSettings(
  host: Host,
  report: Finding[],
  last?: LoaderSettings,
): LoaderSettings | undefined {
  const path = settingsPath(host, report);
  if (path === undefined) return last;
  const finding = { subject: "setting", path, origin: "settings file" } as const;
  const remark: Remark = (reason) => report.push({ ...finding, taken: false, reason, level: "warning" });
  try {
    const file = readManifest(path, "settings", host);
    checkFormat(file);
    const entry = entryFor(host.executable(), file, remark);
    if (!entry) return undefined;
    const settings = parseSettings(path, entry, remark);
    report.push({ ...finding, taken: true, reason: summary(settings), level: "debug" });
    return settings;
  } catch (error) {
    remark((error as Error).message);
    return undefined;
  }
}

/** The file that counts: the first of those there could be. */
function settingsPath(host: Host, report: Finding[]): string | undefined {
  const variables = new Variables(host, report), home = variables.read("HOME");
  const roots = [
    variables.read("XDG_CONFIG_HOME") || (home && `${home}/.config`),
    variables.read("XDG_DATA_HOME") || (home && `${home}/.local/share`),
    ...(variables.read("XDG_CONFIG_DIRS") || "/etc/xdg").split(":"),
    "/etc",
    ...(variables.read("XDG_DATA_DIRS") || "/usr/local/share:/usr/share").split(":"),
  ];
  return roots.filter((root) => root !== "").map((root) => `${root}/${FILE}`).find((path) => isThere(path, host));
}

function isThere(path: string, host: Host): boolean {
  try {
    return host.exists(path) !== undefined;
  } catch {
    return false; // may not be looked at: as if there were none
  }
}

function checkFormat({ file_format_version: format }: Record<string, unknown>): void {
  if (typeof format === "string") return;
  throw new TypeError(`"file_format_version" is ${shortened(format)}, the file counts as absent; write "1.0.0"`);
}

/** The entry for a program: the first that names it, else the first that names no program at all. */
function entryFor(
  executable: string,
  file: Record<string, unknown>,
  remark: Remark,
): Record<string, unknown> | undefined {
  const listed = Array.isArray(file.settings_array) ? file.settings_array : [file.settings];
  const entries = listed.filter(isObject);
  if (entries.length === 0) remark(`it has neither a "settings" object nor a "settings_array" of them; add one`);
  const named = entries.find(({ app_keys }) => Array.isArray(app_keys) && app_keys.includes(executable));
  const entry = named ?? entries.find(({ app_keys }) => app_keys === undefined);
  if (!entry && entries.length > 0) remark(`none of its app_keys is ${executable}; leave app_keys out to mean all`);
  return entry;
}

function summary({ layers, additionalDrivers, deviceConfigurations }: LoaderSettings): string {
  const parts = [
    layers ? `${layers.length} layer entries` : "nothing of layers",
    `${additionalDrivers.length} additional drivers`,
    deviceConfigurations ? `${deviceConfigurations.length} device configurations` : "nothing of devices",
  ];
  return `says ${parts.join(", ")}`;
}
