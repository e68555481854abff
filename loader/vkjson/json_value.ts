import { codec } from "../codec/codec.ts";
import type { Field } from "../codec/layout/layout.ts";

/** A value of JSON. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  /** Any member. */
  [name: string]: Json;
}

/** The largest number that Java's JSON reads as finite, with some margin. vkjson writes it for infinity. */
const LARGEST = 0.99 * Number.MAX_VALUE;

/**
 * Returns a struct as vkjson writes it: members by their C names, without
 * `sType` and `pNext`; 64-bit numbers as `"0x%016x"`, booleans as 0 and 1, text
 * as text, arrays no longer than their count. Addresses are left out.
 *
 * @example A heap of 1 GiB
 * ```ts
 * import { VK_MEMORY_HEAP_DEVICE_LOCAL_BIT } from "../gen/enums_core_gen.js";
 * import { assertEquals } from "@std/assert";
 *
 * const heap = structJson("VkMemoryHeap", { size: 1n << 30n, flags: VK_MEMORY_HEAP_DEVICE_LOCAL_BIT });
 * assertEquals(heap, { size: "0x0000000040000000", flags: VK_MEMORY_HEAP_DEVICE_LOCAL_BIT });
 * ```
 */
export function structJson(name: string, value: object): JsonObject {
  const members = value as Readonly<Record<string, unknown>>;
  const fields = codec(name).layout.fields.filter((field) => isShown(field));
  return Object.fromEntries(fields.map((field) => [field.name, memberJson(field, members[field.name])]));
}

function isShown({ name, kind, stars, len }: Field): boolean {
  if (name === "sType" || name === "pNext") return false;
  return stars === 0 ? kind !== "p" && kind !== "h" : stars === 1 && len !== "" && kind !== "void";
}

function memberJson(field: Field, value: unknown): Json {
  if (value === null || value === undefined) return field.stars > 0 ? [] : null;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return Array.from(value as Iterable<unknown>, (each) => memberJson(field, each));
  }
  if (field.kind === "struct") return structJson(field.type, value as object);
  return scalarJson(field, value);
}

function scalarJson({ kind }: Field, value: unknown): Json {
  if (kind === "u64" || kind === "usize") return hex64(BigInt(value as bigint | number));
  if (kind === "i64") return Number(value);
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" ? Math.min(LARGEST, Math.max(-LARGEST, value)) : String(value);
}

/** A 64-bit number as vkjson writes it. */
function hex64(value: bigint): string {
  return `0x${value.toString(16).padStart(16, "0")}`;
}
