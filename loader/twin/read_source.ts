import { openProfiles } from "../requirements/profiles/profile_set.ts";
import type { JsonObject } from "../vkjson/json_value.ts";
import type { DeviceModel } from "./model.ts";
import { modelOfProfile } from "./read_profile.ts";
import { isReport, modelOfReport } from "./read_report.ts";
import { isObject, modelOfVkjson } from "./read_vkjson.ts";

/** The choice of a device in a source. */
export interface SourceChoice {
  /** Index of a device of vkjson. Default: 0. */
  readonly device?: number;
  /** The name of the profile, if a file has several. Default: the last one, which may require the others. */
  readonly profile?: string;
  /** Capabilities of a profile, by name, to take where one of several is enough. Default: the first of each. */
  readonly variants?: readonly string[];
}

/**
 * A description of a device: the path of a file, its contents, or the name of a
 * profile that comes with this package. A file is vkjson or what `info --json`
 * prints, a Vulkan Profiles file, or a report of the public hardware database.
 */
export type DeviceSource = string | object;

/**
 * Reads a description of a device.
 *
 * @throws {TypeError} if the source cannot be read, or is none of the known
 *   kinds.
 */
export function readSource(source: DeviceSource, choice: SourceChoice = {}): DeviceModel {
  if (typeof source === "string" && !isPath(source)) return profileOf([source], choice);
  const json = typeof source === "string" ? parse(source) : source,
    name = typeof source === "string" ? source : "source";
  if (!isObject(json)) throw unknown(name, "it is no object");
  if (isObject(json.profiles) && isObject(json.capabilities)) return profileOf([json], choice);
  if (Array.isArray(json.devices)) return deviceOf(json, name, choice.device ?? 0);
  if (isReport(json)) return modelOfReport(json, name);
  if (isObject(json.properties) && isObject(json.features)) return modelOfVkjson(json, {}, name); // one device alone
  throw unknown(name, "it has no devices, profiles or properties");
}

function isPath(text: string): boolean {
  return text.includes("/") || text.endsWith(".json");
}

function deviceOf(report: JsonObject, name: string, index: number): DeviceModel {
  const devices = report.devices as unknown[], device = devices[index];
  if (isObject(device) && isObject(device.properties)) {
    return modelOfVkjson(device, report, devices.length > 1 ? `${name}, device ${index}` : name);
  }
  if (index < devices.length) {
    const problem = isObject(device) ? 'it has no object "properties"' : "it is no object";
    throw new TypeError(`Cannot read device ${index} of "${name}": ${problem}; give vkjson`);
  }
  throw new TypeError(`Cannot read device ${index} of "${name}": it has ${devices.length}; give a smaller index`);
}

function profileOf(wanted: (string | object)[], { profile, variants = [] }: SourceChoice): DeviceModel {
  const { asked, find } = openProfiles(wanted);
  const chosen = profile === undefined ? asked.at(-1) : asked.find(({ name }) => name === profile);
  if (chosen) return modelOfProfile(chosen, find, variants);
  if (profile === undefined) throw new TypeError("Cannot read a profile of the source: it has none; give another file");
  const names = asked.map(({ name }) => name).join(", ");
  throw new TypeError(`Cannot find profile "${profile}" in the source: it has ${names || "none"}; give one of them`);
}

/** Bytes of the largest file that is read; the largest descriptions have a few million. */
const MOST_BYTES = 1 << 26;

/** Reads a file of JSON, perhaps with the byte order mark of some editors. */
function parse(path: string): unknown {
  try {
    const { size } = Deno.statSync(path);
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, and a description has ${MOST_BYTES} at most`);
    const text = Deno.readTextFileSync(path).replace(/^\ufeff/, "");
    if (text.trim() === "") throw new Error("it is empty");
    return parseJson(text);
  } catch (cause) {
    const [problem] = (cause as Error).message.split("\n");
    const told = cause instanceof RangeError ? "its lists and objects are nested too deeply" : problem;
    throw new TypeError(`Cannot read the device in "${path}": ${told}; check the path`, { cause });
  }
}

/** Parses JSON in which whole numbers beyond 2^53 stay exact, as bigints. */
export function parseJson(text: string): unknown {
  const exact = (_: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? "") ? BigInt(source!) : value;
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}

function unknown(name: string, problem: string): TypeError {
  return new TypeError(
    `Cannot read the device in "${name}": ${problem}; give vkjson, a Vulkan Profiles file or a hardware report`,
  );
}
