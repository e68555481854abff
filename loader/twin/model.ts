import type { StructObject } from "../codec/codec.ts";
import { inStep } from "../layers/define/device_changes.ts";
import type { FormatFeatures } from "../layers/shipped/limits/settings.ts";

/** The facts that a device tells of a surface. Members that are left out are the driver's. */
export interface SurfaceFacts {
  /** Members of VkSurfaceCapabilitiesKHR. */
  readonly capabilities: StructObject;
  /** VkSurfaceFormatKHR; `undefined` for the driver's. */
  readonly formats?: readonly StructObject[];
  /** VkPresentModeKHR; `undefined` for the driver's. */
  readonly presentModes?: readonly number[];
}

/** All that is known of a device. */
export interface DeviceModel {
  /** The source of the facts, for people: a path with the device, or a profile's name. */
  readonly origin: string;
  /** The packed version of vkEnumerateInstanceVersion; `undefined` if nothing is known. */
  readonly instanceVersion?: number;
  /** Structs of features and properties by their names in the tables, with the members that are known. */
  readonly structs: ReadonlyMap<string, StructObject>;
  /** Device extensions and their revisions. */
  readonly extensions: ReadonlyMap<string, number>;
  /** Instance extensions and their revisions. */
  readonly instanceExtensions: ReadonlyMap<string, number>;
  /** The capabilities of formats, by VkFormat. */
  readonly formats: ReadonlyMap<number, FormatFeatures>;
  /** Whether a format that `formats` lacks has no capabilities; otherwise nothing is known of such a format. */
  readonly hasAllFormats: boolean;
  /** VkExternalFenceProperties by handle type; `undefined` if nothing is known. */
  readonly fences?: ReadonlyMap<number, StructObject>;
  /** VkExternalSemaphoreProperties by handle type; `undefined` if nothing is known. */
  readonly semaphores?: ReadonlyMap<number, StructObject>;
  /** VkQueueFamilyProperties; `undefined` if nothing is known. */
  readonly queueFamilies?: readonly StructObject[];
  /** VkPhysicalDeviceMemoryProperties; `undefined` if nothing is known. */
  readonly memory?: StructObject;
  /** The facts about surfaces; `undefined` if nothing is known. */
  readonly surface?: SurfaceFacts;
  /** Members of the source that the model does not have. */
  readonly unread: readonly string[];
}

/** Makes a model with members that tell the same fact in step. A fact that the source tells in two ways stays as told. */
export function makeModel(
  facts: Partial<DeviceModel> & Pick<DeviceModel, "origin">,
): DeviceModel {
  return {
    extensions: new Map(),
    instanceExtensions: new Map(),
    formats: new Map(),
    hasAllFormats: false,
    unread: [],
    ...facts,
    structs: inStep(facts.structs ?? new Map()),
  };
}

/** The packed version of a model; 1.0 if nothing is known. */
export function versionOf({ structs }: DeviceModel): number {
  return (structs.get("VkPhysicalDeviceProperties")?.apiVersion as number | undefined) ?? 1 << 22;
}

/** The name of a model's device; the origin if nothing is known. */
export function nameOf({ structs, origin }: DeviceModel): string {
  return (structs.get("VkPhysicalDeviceProperties")?.deviceName as string | undefined) ?? origin;
}

/** The limits of a model. */
export function limitsOf({ structs }: DeviceModel): StructObject {
  return (structs.get("VkPhysicalDeviceProperties")?.limits ?? {}) as StructObject;
}
