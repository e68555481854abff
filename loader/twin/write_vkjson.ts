import type { StructObject } from "../codec/codec.ts";
import { layoutOf } from "../codec/layout/layout.ts";
import { VK_API_VERSION_MINOR } from "../version.ts";
import { type Json, type JsonObject, structJson } from "../vkjson/json_value.ts";
import { type NamedStruct, Schema } from "../vkjson/schema.ts";
import { type DeviceModel, versionOf } from "./model.ts";

/** Returns a device in the schema of vkjson, without a driver. Members of which nothing is known are left out. */
export function vkjsonOf(model: DeviceModel): JsonObject {
  const minor = VK_API_VERSION_MINOR(versionOf(model)), schema = new Schema(undefined);
  const blocks = (named: readonly NamedStruct[]) =>
    known(Object.fromEntries(named.map(([key, struct]) => [key, block(model, struct)])));
  const cores = schema.cores.filter(({ from }) => from <= minor).map(({ minor }) =>
    [
      `core${minor}`,
      known({
        features: block(model, `VkPhysicalDeviceVulkan${minor}Features`),
        properties: block(model, `VkPhysicalDeviceVulkan${minor}Properties`),
      }),
    ] as const
  );
  const extensions = [...model.extensions.keys()].map((name) => [name, blocks(schema.structsOf(name))] as const);
  return known({
    ...Object.fromEntries(cores.filter(([, core]) => Object.keys(core).length > 0)),
    ...minor >= 1 ? blocks(schema.since11) : {},
    externalFenceProperties: model.fences && pairs("VkExternalFenceProperties", model.fences),
    externalSemaphoreProperties: model.semaphores && pairs("VkExternalSemaphoreProperties", model.semaphores),
    properties: block(model, "VkPhysicalDeviceProperties") ?? {},
    features: block(model, "VkPhysicalDeviceFeatures") ?? {},
    memory: model.memory && partJson("VkPhysicalDeviceMemoryProperties", model.memory),
    queues: model.queueFamilies?.map((each) => partJson("VkQueueFamilyProperties", each)),
    extensions: extensionsJson(model.extensions),
    layers: [],
    formats: formatsJson(model),
    ...Object.fromEntries(extensions.filter(([, structs]) => Object.keys(structs).length > 0)),
  });
}

function known(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((each): each is [string, Json] => each[1] !== undefined));
}

function block({ structs }: DeviceModel, name: string): JsonObject | undefined {
  const values = structs.get(name);
  return values && partJson(name, values);
}

/** Returns the members of a struct that are known, as vkjson writes them. */
export function partJson(name: string, values: StructObject): JsonObject {
  const whole = structJson(name, values);
  for (const { name: member, kind, type, dims } of layoutOf(name).fields) {
    const value = values[member];
    if (value === undefined) delete whole[member];
    else if (kind === "struct" && dims.length === 0) whole[member] = partJson(type, value as StructObject);
  }
  return whole;
}

/** VkExtensionProperties of extensions. */
export function extensionsJson(extensions: ReadonlyMap<string, number>): JsonObject[] {
  return Array.from(extensions, ([extensionName, specVersion]) => ({ extensionName, specVersion }));
}

function pairs(struct: string, values: ReadonlyMap<number, StructObject>): Json {
  return Array.from(values, ([type, each]) => [type, partJson(struct, each)]);
}

/** Formats by rising number, with the features that have 32 bits. */
function formatsJson({ formats }: DeviceModel): Json {
  const narrow = (bits: bigint) => Number(BigInt.asUintN(32, bits));
  return [...formats].sort(([one], [other]) => one - other).map(([format, features]) => [format, {
    linearTilingFeatures: narrow(features.linearTilingFeatures),
    optimalTilingFeatures: narrow(features.optimalTilingFeatures),
    bufferFeatures: narrow(features.bufferFeatures),
  }]);
}
