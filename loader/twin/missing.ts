import type { StructObject } from "../codec/codec.ts";
import { findExtension } from "../command/registry/extension.ts";
import { evaluateProfile } from "../requirements/profiles/evaluate.ts";
import { missText } from "../requirements/profiles/report.ts";
import type { FactsBelow } from "./facts_below.ts";
import type { MemoryMap } from "./memory_map.ts";
import type { Twin } from "./twin.ts";
import { profileOf } from "./write_profile.ts";

/** The structs that a program of Vulkan 1.0 asks for. */
const OF_1_0 = ["VkPhysicalDeviceProperties", "VkPhysicalDeviceFeatures"];

/**
 * Returns what a twin has and a driver cannot do, as clauses. A smaller heap
 * and fewer queues are no loss, because the twin keeps account itself.
 */
export function missingBelow(
  { model, offer, emulated }: Twin,
  driver: FactsBelow,
  memory: MemoryMap | undefined,
): string[] {
  const none = () => {
    throw new TypeError("a model requires no profile");
  };
  const told = [...offer.structs].filter(([name]) => driver.hasChains || OF_1_0.includes(name));
  const profile = profileOf({ ...model, structs: new Map(told), queueFamilies: [] });
  const { misses } = evaluateProfile(profile, driver, none);
  const device = misses.filter(({ kind, name }) =>
    kind !== "extension" || findExtension(name)?.kind !== "instance" && !emulated.includes(name)
  );
  return [
    ...device.map(missText),
    ...missingQueues(model.queueFamilies ?? [], driver.queueFamilies),
    ...memory?.missing ?? [],
  ];
}

/** A family of the twin is the family of the driver with the same index. */
function missingQueues(wanted: readonly StructObject[], found: readonly StructObject[]): string[] {
  return wanted.flatMap((family, index) => {
    const clause = missingQueue(family, found[index]);
    return clause === undefined ? [] : [`queue family ${index}: ${clause}`];
  });
}

/** Returns what a family lacks; `undefined` if nothing. */
export function missingQueue(wanted: StructObject, found: StructObject | undefined): string | undefined {
  if (!found) return "the driver has no such family";
  const flags = Number(wanted.queueFlags) & ~Number(found.queueFlags), count = Number(wanted.queueCount);
  if (flags !== 0) return `the driver's lacks VkQueueFlags 0x${(flags >>> 0).toString(16)}`;
  return count > Number(found.queueCount) ? `wanted ${count} queues, found ${found.queueCount}` : undefined;
}
