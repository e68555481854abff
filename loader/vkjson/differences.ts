import { ENUM_NAMES } from "../gen/enum_names_gen.js";
import { Names } from "../layers/shipped/trace/names.ts";
import type { Json, JsonObject } from "./json_value.ts";

/** A difference between two reports. */
export interface VkjsonDifference {
  /** The place, such as `devices[0].formats[VK_FORMAT_R8_UNORM].bufferFeatures`. */
  readonly path: string;
  /** The value in the first report; `undefined` for none. */
  readonly one: Json | undefined;
  /** The value in the second report; `undefined` for none. */
  readonly other: Json | undefined;
}

/** Members that identify an object in a list, wherever it is in the list. */
const IDENTITIES = ["extensionName", "layerName", "EGL_CONFIG_ID", "version", "id"];
const formats = new Names(ENUM_NAMES);

/**
 * Returns the differences between two capability reports: vkjson, or what
 * `cli.ts info --json` prints about EGL and composers. Extensions, layers,
 * formats and configurations are compared by name, in any order. Comments do
 * not count. Returns an empty list for equal reports.
 *
 * @example One limit and one extension
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const extension = { extensionName: "VK_KHR_swapchain", specVersion: 70 };
 * const one = { limits: { maxViewports: 16 }, extensions: [extension] };
 * const other = { limits: { maxViewports: 1 }, extensions: [] };
 * assertEquals(vkjsonDifferences(one, other), [
 *   { path: "limits.maxViewports", one: 16, other: 1 },
 *   { path: "extensions[VK_KHR_swapchain]", one: extension, other: undefined },
 * ]);
 * ```
 */
export function vkjsonDifferences(one: object, other: object): VkjsonDifference[] {
  return [...compare("", one as Json, other as Json)];
}

function* compare(path: string, one: Json | undefined, other: Json | undefined): Generator<VkjsonDifference> {
  const ours = parts(path, one), others = parts(path, other);
  if (!ours || !others || Array.isArray(one) !== Array.isArray(other)) {
    if (!isSame(one, other)) yield { path, one, other };
    return;
  }
  for (const key of new Set([...ours.keys(), ...others.keys()])) {
    if (key === "_comment") continue;
    const inner = Array.isArray(one) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    yield* compare(inner, ours.get(key), others.get(key));
  }
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the parts of a value by name; `undefined` for a value that is compared as a whole. */
function parts(path: string, value: Json | undefined): Map<string, Json> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  if (value.some((each) => typeof each === "number")) return undefined;
  return new Map(value.map((each, index) => part(path, each, index)));
}

function part(path: string, value: Json, index: number): [string, Json] {
  if (typeof value === "string") return [value, true];
  if (Array.isArray(value) && value.length === 2) return [pairName(path, value[0]), value[1]];
  return [nameOf(value) ?? String(index), value];
}

function pairName(path: string, key: Json): string {
  return path.endsWith("formats") ? formats.of("VkFormat", key as number) ?? String(key) : String(key);
}

function nameOf(value: Json): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  for (const name of IDENTITIES) if (name in value) return String(value[name]);
  return "properties" in value ? layerName(value.properties as JsonObject) : undefined;
}

function layerName({ layerName }: JsonObject): string | undefined {
  return typeof layerName === "string" ? layerName : undefined;
}
