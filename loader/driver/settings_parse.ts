import { isObject, shortened } from "./json.ts";
import { LOG, parseLogMask } from "./log.ts";
import type { DeviceConfiguration, LayerControl, LayerSetting, LoaderSettings } from "./settings_types.ts";

/** Takes a sentence about what is wrong with some part, which then does not count. */
export type Remark = (reason: string) => void;

const CONTROLS: readonly LayerControl[] = ["auto", "on", "off", "unordered_layer_location"];
/** Bytes of a UUID. */
const UUID = 16;

/** Reads one entry of the settings file. What is malformed is left out, and `remark` told. */
export function parseSettings(path: string, entry: Record<string, unknown>, remark: Remark): LoaderSettings {
  const list = <T>(key: string, parse: (item: unknown, remark: Remark) => T | undefined) =>
    listOf(entry, key, parse, remark);
  return {
    path,
    layers: list("layers", layerOf),
    stderrLog: logMask(entry.stderr_log, remark),
    additionalDrivers: list("additional_drivers", driverOf) ?? [],
    additionalDriversExclusively: entry.additional_drivers_use_exclusively === true,
    deviceConfigurations: list("device_configurations", deviceOf),
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
  if (!Array.isArray(value)) return void remark(`"${key}" is ${shortened(value)}, ignored; write it as an array`);
  return value.flatMap((item, index) => {
    const skip: Remark = (reason) => remark(`"${key}" entry ${index + 1} ${reason}, skipped; mend it`);
    return parse(item, skip) ?? [];
  });
}

function layerOf(item: unknown, skip: Remark): LayerSetting | undefined {
  if (!isObject(item)) return void skip(`is ${shortened(item)}`);
  const control = CONTROLS.find((each) => each === item.control);
  if (!control) return void skip(`has control ${shortened(item.control)}`);
  if (control === "unordered_layer_location") return { name: "", path: "", control, implicit: false };
  const { name, path } = item;
  if (!isText(name) || !isText(path)) return void skip(`needs "name" and "path" as strings`);
  return { name, path, control, implicit: item.treat_as_implicit_manifest === true };
}

function driverOf(item: unknown, skip: Remark): string | undefined {
  const path = isObject(item) ? item.path : undefined;
  return isText(path) ? path : void skip(`needs "path" as a string`);
}

function deviceOf(item: unknown, skip: Remark): DeviceConfiguration | undefined {
  if (!isObject(item)) return void skip(`is ${shortened(item)}`);
  const deviceUUID = uuidOf(item.deviceUUID), driverUUID = uuidOf(item.driverUUID);
  if (!deviceUUID || !driverUUID) return void skip(`needs "deviceUUID" and "driverUUID" as ${UUID} bytes each`);
  const driverVersion = item.driverVersion;
  if (typeof driverVersion !== "number") return void skip(`needs "driverVersion" as a number`);
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

/** One word or several; a word the loader does not know means nothing. */
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
