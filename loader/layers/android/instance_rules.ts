import type { InstanceRules } from "../choice/rules.ts";
import { answerDeviceExtensions, type DeviceExtensions } from "./device_extensions.ts";
import { deviceLayerFindings, withLayerNames } from "./layer_names.ts";

/** The layers of one instance and those around them. */
export interface InstanceLayerLists {
  /** Names that the instance requests. */
  readonly requested: readonly string[];
  /** Layers that a script gave. */
  readonly given: readonly DeviceExtensions[];
  /** Layers that the search found and that are in the chain, top to bottom. */
  readonly active: readonly DeviceExtensions[];
  /** All layers that the search found. */
  readonly found: readonly DeviceExtensions[];
  /** Layers whose extensions are listed without the layer's name, top to bottom. */
  readonly first: readonly DeviceExtensions[];
}

/**
 * What Android's loader does to an instance: the layers below get the names of
 * all layers, and the loader answers for their device extensions.
 */
export function instanceRules({ requested, given, active, found, first }: InstanceLayerLists): InstanceRules {
  const asked = given.filter(({ name }) => requested.includes(name));
  const names = [...asked, ...active].map(({ name }) => name);
  return {
    createInfo: (info) => withLayerNames(info, names),
    answerAbove: (table) => answerDeviceExtensions(table, [...given, ...found], first),
    aboutDevice: (info) => deviceLayerFindings(info, names),
  };
}
