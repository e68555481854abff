import type { DeviceFacts } from "./device_facts.ts";

/** A range of identifiers, both ends included. */
type Range = readonly [from: number, to: number];

/**
 * What VK_LOADER_DEVICE_ID_FILTER and its like hold: identifiers, decimal or
 * (with `0x`) hexadecimal, or ranges `a:b` of them, separated by commas. What
 * cannot be read is left out; `undefined` when nothing is left.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const matches = parseIdFilter("0x10de,5:7")!;
 * assertEquals([4318, 4, 5, 7, 8].map(matches), [true, false, true, true, false]);
 * ```
 */
export function parseIdFilter(value: string): ((id: number) => boolean) | undefined {
  const ranges = value.split(",").map(parseRange).filter((range) => range !== undefined);
  if (ranges.length === 0) return undefined;
  return (id) => ranges.some(([from, to]) => from <= id && id <= to);
}

/** The three filters of an environment as one: which devices may be seen. Cumulative. */
export function visibleDevices(read: (variable: string) => string): ((facts: DeviceFacts) => boolean) | undefined {
  const device = parseIdFilter(read("VK_LOADER_DEVICE_ID_FILTER"));
  const vendor = parseIdFilter(read("VK_LOADER_VENDOR_ID_FILTER"));
  const driver = parseIdFilter(read("VK_LOADER_DRIVER_ID_FILTER"));
  if (!device && !vendor && !driver) return undefined;
  return ({ deviceID, vendorID, driverID }) =>
    (device?.(deviceID) ?? true) && (vendor?.(vendorID) ?? true) && (driver?.(driverID ?? 0) ?? true);
}

function parseRange(text: string): Range | undefined {
  const parts = text.split(":").map(parseId);
  if (parts.length > 2 || parts.some((part) => part === undefined)) return undefined;
  const [from, to = from] = parts as [number, number?];
  return [from, to];
}

function parseId(text: string): number | undefined {
  const trimmed = text.trim();
  return /^(0x[0-9a-f]+|\d+)$/i.test(trimmed) ? Number(trimmed) : undefined;
}
