import { codecBySType } from "../../codec/codec.ts";
import { layoutOf } from "../../codec/layout/layout.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { apply, eachLink, type Patch, patchOf } from "./patch.ts";
import type { DeviceChanges } from "./definition.ts";

/** Offset of the first version's struct in the struct of a query whose name ends in 2. */
export const INNER = 16n;

/** Changes to properties, in the form that hooks use. */
export interface PropertyPatches {
  /** Changes to VkPhysicalDeviceProperties. */
  readonly properties?: Patch;
  /** Changes to VkPhysicalDeviceLimits. */
  readonly limits: Patch;
  /** Changes to structs of a chain, by their names. */
  readonly chain: ReadonlyMap<string, Patch>;
}

interface Patches extends PropertyPatches {
  readonly features: Patch;
}

/**
 * Makes the hooks that change what physical devices report. Throws a
 * `TypeError` if a member does not exist or a value does not fit. Changes by a
 * function are checked when the function is called.
 */
export function changeHooks(changes: DeviceChanges | ((gpu: bigint) => DeviceChanges)): NonNullable<Layer["commands"]> {
  const fixed = typeof changes === "function" ? undefined : patchesOf(changes);
  const patches = (gpu: bigint) => fixed ?? patchesOf((changes as (gpu: bigint) => DeviceChanges)(gpu));
  const features2 = query(patches, ({ features, chain }, out) => {
    apply(features, out + INNER);
    putChain(chain, out);
  });
  return {
    ...propertyHooks(patches),
    vkGetPhysicalDeviceFeatures: query(patches, ({ features }, out) => apply(features, out)),
    vkGetPhysicalDeviceFeatures2: features2,
    vkGetPhysicalDeviceFeatures2KHR: features2,
  };
}

/** Makes the hooks of the queries for properties. Each hook asks for the current patches. */
export function propertyHooks(patches: (gpu: bigint) => PropertyPatches): NonNullable<Layer["commands"]> {
  const properties2 = query(patches, (patches, out) => {
    putProperties(patches, out + INNER);
    putChain(patches.chain, out);
  });
  return {
    vkGetPhysicalDeviceProperties: query(patches, putProperties),
    vkGetPhysicalDeviceProperties2: properties2,
    vkGetPhysicalDeviceProperties2KHR: properties2,
  };
}

function query<Asked>(patches: (gpu: bigint) => Asked, put: (patches: Asked, out: bigint) => void): AnyHook {
  return (next, gpu, out) => {
    const asked = patches(gpu);
    next(gpu, out);
    put(asked, out);
  };
}

function patchesOf({ properties = {}, limits = {}, features = {}, chain = [] }: DeviceChanges): Patches {
  return {
    properties: patchOf("VkPhysicalDeviceProperties", properties),
    limits: patchOf("VkPhysicalDeviceLimits", limits),
    features: patchOf("VkPhysicalDeviceFeatures", features),
    chain: new Map(chain.map(chainPatch)),
  };
}

/** Returns the patch of a chain item, with the struct's name. Throws a `TypeError` for an unknown `sType`. */
export function chainPatch(item: { readonly sType: number }): [string, Patch] {
  const name = codecBySType(item.sType)?.name;
  if (name !== undefined) return [name, patchOf(name, item)];
  throw new TypeError(`Cannot change properties of sType ${item.sType}: the registry knows none; give a known sType`);
}

function putProperties({ properties, limits }: PropertyPatches, out: bigint): void {
  apply(properties, out);
  apply(limits, out + limitsOffset());
}

function limitsOffset(): bigint {
  return BigInt(layoutOf("VkPhysicalDeviceProperties").fields.find(({ name }) => name === "limits")!.offset);
}

function putChain(chain: PropertyPatches["chain"], out: bigint): void {
  eachLink(out, (name, address) => apply(chain.get(name), address));
}
