import { type VkjsonDifference, vkjsonDifferences } from "../vkjson/differences.ts";
import type { Json, JsonObject } from "../vkjson/json_value.ts";
import { Offer } from "./answers.ts";
import type { DeviceModel } from "./model.ts";
import { extensionsJson, partJson, vkjsonOf } from "./write_vkjson.ts";

/**
 * Returns the facts of a model of which another model tells something else:
 * members of structs in all places, extensions, formats, queue families, memory
 * and handle types. Facts that the first model does not tell, and structs that its
 * device would not answer, are not compared.
 */
export function modelDifferences(told: DeviceModel, other: DeviceModel): VkjsonDifference[] {
  const offer = new Offer(told), offered = new Map([...told.structs].filter(([struct]) => !offer.ignores(struct)));
  const one = factsOf({ ...told, structs: offered }), two = factsOf(other);
  return vkjsonDifferences(one, narrowed(one, two, told) as JsonObject);
}

/** All facts of a model as JSON. */
function factsOf(model: DeviceModel): JsonObject {
  const { memory, queues, formats, externalFenceProperties, externalSemaphoreProperties } = vkjsonOf(model);
  const facts: Readonly<Record<string, Json | undefined>> = {
    instanceVersion: model.instanceVersion,
    structs: Object.fromEntries(Array.from(model.structs, ([name, values]) => [name, partJson(name, values)])),
    extensions: extensionsJson(model.extensions),
    instanceExtensions: model.instanceExtensions.size > 0 ? extensionsJson(model.instanceExtensions) : undefined,
    formats,
    memory,
    queues,
    externalFenceProperties,
    externalSemaphoreProperties,
  };
  return Object.fromEntries(Object.entries(facts).filter((each): each is [string, Json] => each[1] !== undefined));
}

/** Leaves out the facts of which the first model tells nothing. Lists count whole, except partly known formats. */
function narrowed(one: Json, other: Json | undefined, { hasAllFormats }: DeviceModel, path = ""): Json {
  if (path === "formats" && !hasAllFormats) {
    const keys = new Set((one as [number, Json][]).map(([format]) => format));
    return (other as [number, Json][]).filter(([format]) => keys.has(format));
  }
  if (typeof one !== "object" || one === null || Array.isArray(one)) return other as Json;
  if (typeof other !== "object" || other === null || Array.isArray(other)) return other as Json;
  const parts = Object.entries(one).filter(([key]) => key in other);
  return Object.fromEntries(
    parts.map((
      [key, value],
    ) => [key, narrowed(value, other[key], { hasAllFormats } as DeviceModel, path === "" ? key : "-")]),
  );
}
