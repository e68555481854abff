import { type Finding, Refusal, refusedFor, type Said, saidOf } from "../report/finding.ts";
import type { Host } from "../host/host.ts";
import { isObject, readManifest, shortened } from "./manifest.ts";
import { LOG, maskText, parseLogMask } from "../report/log.ts";
import type { DeviceConfiguration, LayerControl, LayerSetting, LoaderSettings } from "./settings_types.ts";
import { Variables } from "../environment/variables.ts";
import { searchRoots } from "../search/search.ts";

export type { DeviceConfiguration, LayerControl, LayerSetting, LoaderSettings } from "./settings_types.ts";

/** The path below each searched folder, and how the Khronos loader writes the path in messages. */
const FILE = "/vulkan/loader_settings.d/vk_loader_settings.json",
  SAID = "/vulkan//loader_settings.d/vk_loader_settings.json";

/**
 * Reads the loader's settings file, as the Vulkan Configurator writes it, for
 * this program: the first `vk_loader_settings.json`. Returns `undefined`
 * without a file, or if the file is broken or has nothing for this program;
 * `report` gets the reason.
 */
export function readLoaderSettings(host: Host, report: Finding[]): LoaderSettings | undefined {
  const path = settingsPath(host, report);
  if (path === undefined) return undefined;
  const finding = { subject: "setting", path, origin: "settings file" } as const;
  const remark: Remark = (reason, words) =>
    report.push({ ...finding, taken: false, reason, level: "warning", ...words && inWords(words) });
  try {
    const file = readManifest(path, "settings", host);
    checkFormat(path, file);
    const entry = entryFor(path, host.executable(), file, remark);
    if (!entry) return undefined;
    const settings = parseSettings(path, entry, remark);
    const message = `Using layer configurations found in loader settings from ${saidPath(path)}`;
    report.push({ ...finding, taken: true, reason: summary(settings), level: "debug", message });
    report.push({ ...finding, ...listedIn(settings), level: "debug", messageLevel: "debug" });
    return settings;
  } catch (error) {
    const words = saidOf(error);
    report.push({ ...finding, ...refusedFor(error), ...words && { level: "warning", ...inWords(words) } });
    return undefined;
  }
}

/** A message that is less loud than the finding: the log and `explain()` warn of a file without effect. */
function inWords({ message, level = "warning" }: Said): Pick<Finding, "message" | "messageLevel"> {
  return { message, messageLevel: level };
}

function saidPath(path: string): string {
  return path.slice(0, -FILE.length) + SAID;
}

/** Returns the first of the possible files that exists. */
function settingsPath(host: Host, report: Finding[]): string | undefined {
  const variables = new Variables(host, report);
  const { configHome, dataHome, configDirs, dataDirs } = searchRoots((name) => variables.read(name));
  return [...configHome, ...dataHome, ...configDirs, "/etc", ...dataDirs].map((root) => `${root}${FILE}`).find((
    path,
  ) => isThere(path, host));
}

function isThere(path: string, host: Host): boolean {
  try {
    return host.exists(path) !== undefined;
  } catch {
    return false; // unreadable: as if there were none
  }
}

/** The Khronos loader's message about a file without effect. */
function said(path: string, what: string): Said {
  const message = `Loader settings file from ${saidPath(path)} ${what} - no loader settings will be active`;
  return { message, level: "debug" };
}

/** The Khronos loader's message about a file that says nothing it understands. */
function nothingValid(path: string): Said {
  const message = `vk_loader_settings.json file found at "${saidPath(path)}" but did not contain any valid settings.`;
  return { message, level: "info" };
}

function checkFormat(path: string, { file_format_version: format }: Record<string, unknown>): void {
  if (typeof format === "string") return;
  throw new Refusal(
    "bad-manifest",
    path,
    `"file_format_version" is ${shortened(format)}, the file counts as absent; write "1.0.0"`,
    said(path, "missing required field file_format_version"),
  );
}

/** Returns the entry for a program: the first that names it, otherwise the first that names no program. */
function entryFor(
  path: string,
  executable: string,
  file: Record<string, unknown>,
  remark: Remark,
): Record<string, unknown> | undefined {
  const { settings, settings_array: array } = file;
  const entries = array === undefined ? [settings].filter(isObject) : Array.isArray(array) ? array.map(objectOf) : [];
  if (entries.length === 0) remark(`it has neither a "settings" object nor a "settings_array" of them; add one`);
  const named = entries.find(({ app_keys }) => Array.isArray(app_keys) && app_keys.includes(executable));
  const entry = named ?? entries.find(({ app_keys }) => app_keys === undefined);
  if (!entry && entries.length > 0) {
    const none = "missing global settings and none of the app specific settings matched the current application";
    remark(`none of its app_keys is ${executable}; leave app_keys out to mean all`, said(path, none));
  }
  return entry;
}

/** Returns an item of the array as an entry. An item of another kind is an empty entry, for all programs. */
function objectOf(item: unknown): Record<string, unknown> {
  return isObject(item) ? item : {};
}

function summary({ layers, additionalDrivers, deviceConfigurations }: LoaderSettings): string {
  const parts = [
    layers ? `${layers.length} layer entries` : "nothing of layers",
    `${additionalDrivers.length} additional drivers`,
    deviceConfigurations ? `${deviceConfigurations.length} device configurations` : "nothing of devices",
  ];
  return `says ${parts.join(", ")}`;
}

/** Reports the file's layers one by one, in the Khronos loader's words. */
function listedIn(settings: LoaderSettings): Pick<Finding, "taken" | "reason" | "message"> {
  const { layers, stderrLog, additionalDrivers, deviceConfigurations } = settings, words = maskText(stderrLog);
  const names = (layers ?? []).map(({ name, control }) => `${name || "all others"} (${control})`);
  const message = [
    ...(words === "" ? [] : [`Loader Settings Filters for Logging to Standard Error: ${words}`]),
    ...(layers ? [`Layer Configurations count = ${layers.length}`, ...layers.flatMap(configuration)] : []),
    ...(additionalDrivers.length > 0 ? driverLines(settings) : []),
    ...(deviceConfigurations ? deviceLines(deviceConfigurations) : []),
    "---------------------------------",
  ].join("\n");
  return { taken: true, reason: `layers: ${names.join(", ") || "none"}`, message };
}

function driverLines({ additionalDrivers, additionalDriversExclusively }: LoaderSettings): string[] {
  return [
    "----",
    `Use Additional Drivers Exclusively = ${additionalDriversExclusively}`,
    `Additional Driver Configurations count = ${additionalDrivers.length}`,
    ...additionalDrivers.flatMap((path, index) => [`---- Driver Configuration [${index}] ----`, `Path: ${path}`]),
  ];
}

function deviceLines(devices: readonly DeviceConfiguration[]): string[] {
  const one = (
    { deviceUUID, driverUUID, driverVersion, deviceName, driverName }: DeviceConfiguration,
    index: number,
  ) => [
    `---- Device Configuration [${index}] ----`,
    `deviceUUID: ${uuidText(deviceUUID)}`,
    `driverUUID: ${uuidText(driverUUID)}`,
    `driverVersion: ${driverVersion | 0}`,
    ...(deviceName === "" ? [] : [`deviceName: ${deviceName}`]),
    ...(driverName === "" ? [] : [`driverName: ${driverName}`]),
  ];
  return ["----", `Device Configurations count = ${devices.length}`, ...devices.flatMap(one)];
}

/** Formats the 16 bytes of a UUID with the usual hyphens. */
export function uuidText(bytes: Uint8Array): string {
  const digits = bytes.toHex();
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([from, to]) => digits.slice(from, to)).join("-");
}

function configuration({ name, path, control, implicit }: LayerSetting, index: number): string[] {
  const about = [`Name: ${name}`, `Path: ${path}`, `Layer Type: ${implicit ? "Implicit" : "Explicit"}`];
  return [`---- Layer Configuration [${index}] ----`, ...(name === "" ? [] : about), `Control: ${control}`];
}

/** Takes a sentence about a wrong part, which is then ignored. */
export type Remark = (reason: string, words?: Said) => void;

const CONTROLS: readonly LayerControl[] = ["auto", "on", "off", "unordered_layer_location"];
/** Bytes of a UUID. */
const UUID = 16;

/**
 * Parses one entry of the settings file. Malformed parts are ignored and passed
 * to `remark`. Throws a {@linkcode Refusal} if an entry of `layers` is malformed:
 * the order of the others would not be what the file's writer meant.
 */
export function parseSettings(path: string, entry: Record<string, unknown>, remark: Remark): LoaderSettings {
  const list = <T>(key: string, parse: (item: unknown, remark: Remark) => T | undefined) =>
    listOf(entry, key, parse, remark);
  const refuse = (reason: string): never => {
    throw new Refusal("bad-manifest", path, `${reason}, the file counts as absent; mend it`, nothingValid(path));
  };
  return {
    path,
    layers: list("layers", (item, remark) => layerOf(item, remark, refuse)),
    stderrLog: logMask(entry.stderr_log, remark),
    additionalDrivers: list("additional_drivers", driverOf) ?? [],
    additionalDriversExclusively: entry.additional_drivers_use_exclusively === true,
    deviceConfigurations: hasOddDevice(entry, remark) ? undefined : list("device_configurations", deviceOf),
  };
}

function listOf<T>(
  entry: Record<string, unknown>,
  key: string,
  parse: (item: unknown, remark: Remark) => T | undefined,
  remark: Remark,
): T[] | undefined {
  const value = entry[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    remark(`"${key}" is ${shortened(value)}, counts as an empty array; write it as an array`);
    return [];
  }
  return value.flatMap((item, index) => {
    const skip: Remark = (reason) => remark(`"${key}" entry ${index + 1} ${reason}; mend it`);
    return parse(item, skip) ?? [];
  });
}

function layerOf(item: unknown, remark: Remark, refuse: (reason: string) => never): LayerSetting | undefined {
  if (!isObject(item)) refuse(`an entry of "layers" is ${shortened(item)}`);
  const { name, path, control: word, treat_as_implicit_manifest: implicit } = item as Record<string, unknown>;
  if (typeof word !== "string") refuse(`an entry of "layers" has control ${shortened(word)}`);
  const known = CONTROLS.find((each) => each === word), control = known ?? "auto";
  if (control === "unordered_layer_location") return { name: "", path: "", control, implicit: false };
  if (typeof name !== "string" || typeof path !== "string") {
    return refuse(`an entry of "layers" needs "name" and "path" as strings`);
  }
  if (!isText(name) || !isText(path)) return void remark(`needs "name" and "path" with something in them, skipped`);
  if (!known) remark(`has control ${shortened(word)}, counts as "auto"`);
  return { name, path, control, implicit: implicit === true };
}

/** Whether one of the device configurations is no object: then none counts, as with the Khronos loader. */
function hasOddDevice({ device_configurations: devices }: Record<string, unknown>, remark: Remark): boolean {
  const odd = Array.isArray(devices) ? devices.filter((each) => !isObject(each)) : [];
  if (odd.length > 0) {
    remark(`an entry of "device_configurations" is ${shortened(odd[0])}, all are ignored; mend it`);
  }
  return odd.length > 0;
}

function driverOf(item: unknown, skip: Remark): string | undefined {
  const path = isObject(item) ? item.path : undefined;
  return isText(path) ? path : void skip(`needs "path" as a string, skipped`);
}

function deviceOf(item: unknown, skip: Remark): DeviceConfiguration | undefined {
  if (!isObject(item)) return void skip(`is ${shortened(item)}, skipped`);
  const deviceUUID = uuidOf(item.deviceUUID), driverUUID = uuidOf(item.driverUUID);
  if (!deviceUUID || !driverUUID) {
    return void skip(`needs "deviceUUID" and "driverUUID" as ${UUID} bytes each, skipped`);
  }
  const driverVersion = item.driverVersion;
  if (typeof driverVersion !== "number") return void skip(`needs "driverVersion" as a number, skipped`);
  const text = (value: unknown) => isText(value) ? value : "";
  return {
    deviceUUID,
    driverUUID,
    driverVersion: driverVersion >>> 0,
    deviceName: text(item.deviceName),
    driverName: text(item.driverName),
  };
}

function uuidOf(value: unknown): Uint8Array | undefined {
  const isByte = (each: unknown) => Number.isInteger(each) && (each as number) >= 0 && (each as number) <= 255;
  return Array.isArray(value) && value.length === UUID && value.every(isByte) ? Uint8Array.from(value) : undefined;
}

/** One word or several. An unknown word means nothing. */
function logMask(value: unknown, remark: Remark): number {
  if (value === undefined) return 0;
  const words = Array.isArray(value) ? value : [value];
  if (!words.every((word) => typeof word === "string")) {
    remark(`"stderr_log" is ${shortened(value)}, ignored; write it as an array of words`);
    return 0;
  }
  return parseLogMask(words.join(",")) | (words.includes("validation") ? LOG.validation : 0);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}
