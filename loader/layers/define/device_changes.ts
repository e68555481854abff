import { codecBySType } from "../../codec/codec.ts";
import { layoutOf } from "../../codec/layout.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { apply, eachLink, type Patch, patchOf } from "../patch.ts";
import type { DeviceChanges } from "./definition.ts";

/** Where the struct of the first version is in the one of a query that ends in 2. */
const INNER = 16n;

/** Changes in the form in which hooks use them. */
interface Patches {
  readonly properties: Patch;
  readonly limits: Patch;
  readonly features: Patch;
  readonly chain: ReadonlyMap<string, Patch>;
}

/**
 * The hooks by which physical devices say something else of themselves. Throws
 * a `TypeError` when a member does not exist or a value does not fit; changes
 * by a function are checked when it is asked.
 */
export function changeHooks(changes: NonNullable<DeviceChanges | ((gpu: bigint) => DeviceChanges)>): Layer["commands"] {
  const fixed = typeof changes === "function" ? undefined : patchesOf(changes);
  const patches = (gpu: bigint) => fixed ?? patchesOf((changes as (gpu: bigint) => DeviceChanges)(gpu));
  const query = (put: (patches: Patches, out: bigint) => void): AnyHook => (next, gpu, out) => {
    next(gpu, out);
    put(patches(gpu), out);
  };
  const properties2 = query((patches, out) => {
    putProperties(patches, out + INNER);
    putChain(patches, out);
  });
  const features2 = query((patches, out) => {
    apply(patches.features, out + INNER);
    putChain(patches, out);
  });
  return {
    vkGetPhysicalDeviceProperties: query(putProperties),
    vkGetPhysicalDeviceProperties2: properties2,
    vkGetPhysicalDeviceProperties2KHR: properties2,
    vkGetPhysicalDeviceFeatures: query(({ features }, out) => apply(features, out)),
    vkGetPhysicalDeviceFeatures2: features2,
    vkGetPhysicalDeviceFeatures2KHR: features2,
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

/** What to change in the struct that an item of a chain is, and its name. Throws a `TypeError` for an unknown `sType`. */
export function chainPatch(item: { readonly sType: number }): [string, Patch] {
  const name = codecBySType(item.sType)?.name;
  if (name !== undefined) return [name, patchOf(name, item)];
  throw new TypeError(`Cannot change properties of sType ${item.sType}: the registry knows none; give a known sType`);
}

function putProperties({ properties, limits }: Patches, out: bigint): void {
  apply(properties, out);
  apply(limits, out + limitsOffset());
}

/** Where VkPhysicalDeviceProperties has its limits. */
export function limitsOffset(): bigint {
  return BigInt(layoutOf("VkPhysicalDeviceProperties").fields.find(({ name }) => name === "limits")!.offset);
}

function putChain({ chain }: Patches, out: bigint): void {
  eachLink(out, (name, address) => apply(chain.get(name), address));
}
