import { ENUM_NAMES } from "../../gen/enum_names_gen.js";
import { Names } from "../../layers/shipped/trace/names.ts";
import { findLine } from "../../codec/layout/layout.ts";
import { isFeatures } from "../../layers/shipped/limits/settings.ts";

/** Earlier names of structs that differ by more than an author's suffix. */
const EARLIER_NAMES: Readonly<Record<string, string>> = {
  VkPhysicalDeviceVariablePointerFeatures: "VkPhysicalDeviceVariablePointersFeatures",
  VkPhysicalDeviceShaderDrawParameterFeatures: "VkPhysicalDeviceShaderDrawParametersFeatures",
  VkPhysicalDeviceFloat16Int8Features: "VkPhysicalDeviceShaderFloat16Int8Features",
  VkPhysicalDeviceBufferAddressFeatures: "VkPhysicalDeviceBufferDeviceAddressFeatures",
};

/**
 * Returns the name of a struct in the registry's tables. Many structs also have
 * the names of the extensions that they came from.
 */
export function structName(name: string): string | undefined {
  if (findLine(name)) return name;
  const plain = name.replace(/(KHR|EXT|NV|AMD|ARM|QCOM|VALVE|INTEL|GOOGLE)$/, ""),
    current = EARLIER_NAMES[plain] ?? plain;
  return [current, ...["KHR", "EXT"].map((author) => current + author)].find(findLine);
}

/** Whether a struct has features or properties. */
export function structKind(name: string): "Features" | "Properties" {
  return isFeatures(name) ? "Features" : "Properties";
}

let names: Names | undefined;

/**
 * Returns the number of a profile's value: lists of bits and names of
 * enumerants become numbers, all else is unchanged. Throws a `TypeError` for an
 * unknown name.
 */
export function enumValue(type: string, value: unknown): unknown {
  if (typeof value === "string" && type.startsWith("Vk")) return numberOf(type, value);
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string") || !type.startsWith("Vk")) return value;
  return value.reduce((sum: bigint, each) => sum | numberOf(type, each), 0n);
}

/** Formats a value for people: bits and enumerants by their names. */
export function shownValue(type: string, value: unknown): string {
  if (typeof value === "bigint" || typeof value === "number") {
    return tables().of(type, String(value)) ?? String(value);
  }
  if (Array.isArray(value)) return `[${value.map((each) => shownValue(type, each)).join(", ")}]`;
  return typeof value === "object" && value !== null && ArrayBuffer.isView(value)
    ? `[${[...value as Uint8Array].join(", ")}]`
    : String(value);
}

/** Returns the number of an enumerant. */
export function numberOf(type: string, name: string): bigint {
  const found = tables().value(type, name);
  if (found !== undefined) return found;
  throw new TypeError(`Cannot compare with a profile: ${type} has no value ${name}; check its spelling`);
}

function tables(): Names {
  return names ??= new Names(ENUM_NAMES);
}
