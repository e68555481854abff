import { isObject, shortened } from "../driver/json.ts";
import type { LayerExtension } from "../layer.ts";

/** A string that can go to C; `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined;
}

/** The strings of an array; none when it is no array. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((item) => textOf(item) ?? []) : [];
}

/** The members of an object whose values are strings. */
export function textMap(value: unknown): Map<string, string> {
  if (!isObject(value)) return new Map();
  return new Map(Object.entries(value).flatMap(([key, item]) => typeof item === "string" ? [[key, item]] : []));
}

/** A list of extensions, `[{ name, spec_version }]`; what is malformed is left out, and `remark` told. */
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
