/**
 * A layer that makes any driver look like a GPU that has everything Android
 * asks for: what every known profile wants, and what the rules want besides.
 *
 * @module
 */
import { arena } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { poke32 } from "../../../ffi/machine.ts";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import { allExtensions, findExtension } from "../../../loader/command/registry/extension.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { deviceLimits } from "../../../workbench/layers.ts";
import { eachLink } from "../../../loader/layers/define/device_changes.ts";
import type { Layer } from "../../../loader/mod.ts";
import { enumValue, numberOf, structName } from "../../../loader/requirements/profiles/registry_names.ts";
import { limitTypeOf } from "../../../loader/requirements/profiles/struct_demands.ts";
import { knownProfiles } from "../../../loader/requirements/profiles/profile_set.ts";

const CAPABILITIES = [...knownProfiles().values()].flatMap(({ capabilities }) => capabilities.flat());
const DISCRETE_GPU = 2, NEWEST = 0x404000 | 335;
const BOTH_WAYS = 3;

/** The layers, top to bottom. */
export function perfectDevice(): Layer[] {
  const wanted = properties();
  const { layer: numbers } = deviceLimits({
    physicalDevice: { deviceName: "a perfect phone", deviceType: DISCRETE_GPU, apiVersion: NEWEST },
    limits: { ...wanted.get("VkPhysicalDeviceLimits") },
    properties: [...wanted].filter(([name]) => name !== "VkPhysicalDeviceLimits")
      .map(([name, values]) => ({ sType: layoutOf(name).sType, ...values })) as never,
    formats: formats(),
    showExtensions: Object.fromEntries(extensionsOf("device").map((each) => [each.extensionName, each.specVersion])),
    externalSemaphores: { 0x10: { externalSemaphoreFeatures: BOTH_WAYS } },
    externalFences: { 0x8: { externalFenceFeatures: BOTH_WAYS } },
  });
  return [numbers, abilities()];
}

/** Every feature, every extension of the profiles, and an address for every command. */
function abilities(): Layer {
  const features = (name: string, at: bigint) => {
    for (const { kind, offset } of layoutOf(name).fields) if (kind === "bool") poke32(at + BigInt(offset), 1);
  };
  const features2 = (next: (gpu: bigint, out: bigint) => void, gpu: bigint, out: bigint) => {
    next(gpu, out);
    features("VkPhysicalDeviceFeatures", out + 16n);
    eachLink(out, (name, address) => /^VkPhysicalDevice\w*Features/.test(name) && features(name, address));
  };
  const answered = commandsAnswered();
  const address =
    (command: string) => (next: (handle: bigint, name: bigint) => bigint, handle: bigint, name: bigint) => {
      const found = next(handle, name);
      if (found !== 0n || !answered.has(readCString(name))) return found;
      const memory = arena(), mark = memory.mark();
      const any = next(handle, memory.place(cstring(command)));
      memory.release(mark);
      return any;
    };
  return {
    name: "VK_LAYER_TEST_perfect",
    deviceExtensions: extensionsOf("device"),
    instanceExtensions: extensionsOf("instance"),
    commands: {
      vkGetPhysicalDeviceFeatures(next, gpu, out) {
        next(gpu, out);
        features("VkPhysicalDeviceFeatures", out);
      },
      vkGetPhysicalDeviceFeatures2: features2,
      vkGetPhysicalDeviceFeatures2KHR: features2,
      vkGetDeviceProcAddr: address("vkDestroyDevice"),
      vkGetInstanceProcAddr: address("vkDestroyInstance"),
    },
  };
}

/** The extensions of a level that some profile or rule wants. */
function extensionsOf(level: string) {
  const names = new Set(CAPABILITIES.flatMap(({ extensions }) => Object.keys(extensions)));
  const wanted = [...names].map((name) => findExtension(name)!).filter(({ kind }) => kind === level);
  return wanted.map(({ name: extensionName, specVersion }) => ({ extensionName, specVersion }));
}

function commandsAnswered(): Set<string> {
  const core = allExtensions().filter(({ kind }) => kind === "core");
  const brought = extensionsOf("device").map(({ extensionName }) => findExtension(extensionName)!);
  return new Set([...core, ...brought].flatMap(({ commands }) => commands).filter(findCommand));
}

/** By struct, members with values that suit every profile. */
function properties(): Map<string, Record<string, unknown>> {
  const all = new Map<string, Record<string, unknown>>();
  for (const capability of CAPABILITIES) {
    for (const [given, members] of Object.entries(capability.properties)) collect(structName(given)!, members, all);
  }
  return all;
}

function collect(struct: string, members: Record<string, unknown>, all: Map<string, Record<string, unknown>>): void {
  for (const [name, wanted] of Object.entries(members)) {
    const { type, kind } = layoutOf(struct).fields.find((field) => field.name === name)!;
    if (kind === "struct") {
      collect(type, wanted as Record<string, unknown>, all);
      continue;
    }
    const values = all.get(struct) ?? {};
    const merged = better(values[name], enumValue(type, wanted), limitTypeOf(struct, name));
    all.set(struct, { ...values, [name]: fitting(merged, kind) });
  }
}

/** A value that is at least as good as both. */
function better(one: unknown, other: unknown, how: readonly string[]): unknown {
  if (one === undefined) return other;
  if (Array.isArray(other)) {
    const ends = how.includes("range") ? [["min"], ["max"]] : other.map(() => how);
    return other.map((each, index) => better((one as unknown[])[index], each, ends[index]));
  }
  if (how.includes("bitmask")) return BigInt(one as number) | BigInt(other as number);
  if (how.includes("min")) return (one as number) < (other as number) ? one : other;
  return (one as number) > (other as number) ? one : other;
}

/** The JavaScript type that a member takes. */
function fitting(value: unknown, kind: string): unknown {
  if (Array.isArray(value)) return value.map((each) => fitting(each, kind));
  if (typeof value !== "number" && typeof value !== "bigint") return value;
  return kind === "u64" ? BigInt(value) : Number(value);
}

/** By format, every bit that some profile wants. */
function formats(): Record<number, Record<string, number>> {
  const all: Record<number, Record<string, number>> = {};
  for (const capability of CAPABILITIES) {
    for (const [names, { VkFormatProperties: wanted = {} }] of Object.entries(capability.formats)) {
      for (const name of names.split(" ")) {
        const values = all[Number(numberOf("VkFormat", name))] ??= {};
        for (const [member, bits] of Object.entries(wanted)) values[member] = (values[member] ?? 0) | Number(bits);
      }
    }
  }
  return all;
}
