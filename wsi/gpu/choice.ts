import { versionText, VK_API_VERSION_MINOR, VK_MAKE_API_VERSION } from "../../loader/version.ts";
import type { DeviceFacts, DriverFacts } from "./facts.ts";
import { type DeviceCriteria, type DeviceType, DRAWS_AND_COMPUTES, type GpuRequirements } from "./requirements.ts";

/** The reason for skipping a driver that has no device on this machine. */
export const NO_DEVICE = "has no device";

const VULKAN_1_0 = VK_MAKE_API_VERSION(0, 1, 0, 0), MIB = 2 ** 20;

/**
 * The index of the device that meets all requirements: the first one of the first type that is wanted. If there is
 * none, the reason in words that follow the driver's name; with several devices, the reason of each.
 */
export function chooseDevice(facts: DriverFacts, wanted: GpuRequirements): number | string {
  const { instanceExtensions, devices } = facts, { device } = wanted;
  const missing = wanted.instanceExtensions?.find((name) => !instanceExtensions.includes(name));
  if (missing) return `lacks ${missing}`;
  if (typeof device === "number" && !devices[device] && devices.length > 0) return `has ${devices.length} devices only`;
  const reasons = devices.map((each, at) => {
    return typeof device === "number" && at !== device ? "is another one" : unmetByDevice(each, wanted);
  });
  const fitting = devices.map((_, at) => at).filter((at) => reasons[at] === undefined);
  if (fitting.length > 0) return preferred(fitting, devices, wanted);
  if (devices.length === 0) return NO_DEVICE;
  if (devices.length === 1) return `${reasons[0]} (${devices[0].name})`;
  if (typeof device === "number") return `${reasons[device]}, as its device ${device}, ${devices[device].name}`;
  const list = devices.map(({ name }, at) => `${at}, ${name}, ${reasons[at]}`).join("; ");
  return `has ${devices.length} devices, of which none fits: ${list}`;
}

/** The reason of {@linkcode chooseDevice}; `undefined` if a device meets all requirements. */
export function unmetByDriver(facts: DriverFacts, wanted: GpuRequirements): string | undefined {
  const chosen = chooseDevice(facts, wanted);
  return typeof chosen === "string" ? chosen : undefined;
}

/** Returns the first device of the type that is wanted most, among the devices that fit. */
function preferred(fitting: readonly number[], devices: readonly DeviceFacts[], { device }: GpuRequirements): number {
  const types = typesOf(criteriaOf(device)) ?? [];
  const rank = (at: number) => types.indexOf(devices[at].type);
  return fitting.reduce((best, at) => rank(at) < rank(best) ? at : best);
}

function criteriaOf(device: GpuRequirements["device"]): DeviceCriteria {
  return typeof device === "object" ? device : {};
}

function typesOf({ type }: DeviceCriteria): readonly DeviceType[] | undefined {
  return typeof type === "string" ? [type] : type;
}

/** The first requirement that a device does not meet, in words that follow its name. */
function unmetByDevice(facts: DeviceFacts, wanted: GpuRequirements): string | undefined {
  const { apiVersion = VULKAN_1_0, extensions = [], features = {}, device } = wanted;
  const other = unmetCriterion(facts, criteriaOf(device));
  if (other) return other;
  if (facts.apiVersion < apiVersion) {
    return `is of Vulkan ${versionText(facts.apiVersion)}, not 1.${VK_API_VERSION_MINOR(apiVersion)}`;
  }
  const extension = extensions.find((name) => !facts.extensions.includes(name));
  if (extension) return `lacks ${extension}`;
  const feature = Object.entries(features).find(([name, wanted]) => wanted && !facts.features.includes(name));
  return feature && `lacks the feature ${feature[0]}`;
}

function unmetCriterion(facts: DeviceFacts, criteria: DeviceCriteria): string | undefined {
  const { name = "", memory = 0, queueFlags = DRAWS_AND_COMPUTES } = criteria, types = typesOf(criteria);
  if (types && !types.includes(facts.type)) return `is of type ${facts.type}, not ${types.join(" or ")}`;
  if (!facts.name.toLowerCase().includes(name.toLowerCase())) return `is not named "${name}"`;
  if (facts.memory < memory) return `has ${inMiB(facts.memory)} of memory of its own, not ${inMiB(memory)}`;
  if (facts.queueFlags.some((flags) => (flags & queueFlags) === queueFlags)) return undefined;
  return queueFlags === DRAWS_AND_COMPUTES
    ? "has no queue that draws and computes"
    : `has no queue of the flags 0x${queueFlags.toString(16)}, but ${
      facts.queueFlags.map((flags) => `0x${flags.toString(16)}`).join(", ")
    }`;
}

function inMiB(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}
