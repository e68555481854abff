import type { DispatchTable } from "../../chain/dispatch_table.ts";
import type { Finding } from "../../driver/finding.ts";
import { answerDeviceExtensions, type DeviceExtensions } from "./device_extensions.ts";
import { deviceLayerFindings, withLayerNames } from "./layer_names.ts";

/** What Android's loader does to an instance, beside putting its layers above each other. */
export interface InstanceRules {
  /** The VkInstanceCreateInfo that layers see, in which all of them are named; it may lie in the arena. */
  createInfo(info: bigint): bigint;
  /** Puts above the chain of the new instance what the loader answers itself. Close it when the instance is gone. */
  answerAbove(table: DispatchTable): Disposable;
  /** What there is to say of the layers that a VkDeviceCreateInfo names. */
  aboutDevice(info: bigint): Finding[];
}

/** The layers of one instance, and those around. */
export interface InstanceLayerLists {
  /** Names that the instance was asked for. */
  readonly requested: readonly string[];
  /** Layers that a script gave. */
  readonly given: readonly DeviceExtensions[];
  /** Layers that were found and are in the chain, top to bottom. */
  readonly active: readonly DeviceExtensions[];
  /** All that were found. */
  readonly found: readonly DeviceExtensions[];
  /** Those whose extensions are listed without being asked for by name, top to bottom. */
  readonly first: readonly DeviceExtensions[];
}

/** The rules for one instance. */
export function instanceRules({ requested, given, active, found, first }: InstanceLayerLists): InstanceRules {
  const asked = given.filter(({ name }) => requested.includes(name));
  const names = [...asked, ...active].map(({ name }) => name);
  return {
    createInfo: (info) => withLayerNames(info, names),
    answerAbove: (table) => answerDeviceExtensions(table, [...given, ...found], first),
    aboutDevice: (info) => deviceLayerFindings(info, names),
  };
}
