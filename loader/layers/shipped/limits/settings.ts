import { closest, list, number, object, type OptionRules, record, text } from "../../../../ffi/check_options.ts";
import type { ChainItem, ExtenderOf } from "../../../base.ts";
import { structNames } from "../../../codec/codec.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
import { findCommand } from "../../../command/registry/table.ts";
import type { LayerExtension } from "../../../layer.ts";
import type {
  VkExternalFenceProperties,
  VkExternalSemaphoreProperties,
  VkFormatProperties,
  VkPhysicalDeviceLimits,
  VkPhysicalDeviceProperties,
  VkPhysicalDeviceProperties2,
} from "../../../gen/types_core_gen.ts";
import type { SomeOf } from "../../define/definition.ts";
import { chainPatches, type Patch, patchOf } from "../../define/device_changes.ts";

/** The values that a device reports. Everything that is left out is reported as by the driver. */
export interface DeviceLimitsOptions {
  /** Device and instance extensions to hide, by name. Only the creation of a device is refused for enabling one. */
  readonly hideExtensions?: readonly string[];
  /**
   * Extensions to list with this revision, by name, even if the driver lacks
   * them. The driver may refuse to enable them.
   */
  readonly showExtensions?: Readonly<Record<string, number>>;
  /** Commands to hide: vkGetInstanceProcAddr and vkGetDeviceProcAddr return NULL for them. */
  readonly hideCommands?: readonly string[];
  /** Features to hide, by member name, such as `geometryShader`, in every struct that has the member. */
  readonly hideFeatures?: readonly string[];
  /** New values for members of VkPhysicalDeviceProperties, such as `apiVersion` and `deviceType`. */
  readonly physicalDevice?: Partial<Omit<VkPhysicalDeviceProperties, "limits" | "sparseProperties">>;
  /** New values for members of VkPhysicalDeviceLimits. No query names a larger image than a limit allows. */
  readonly limits?: Partial<VkPhysicalDeviceLimits>;
  /**
   * Structs of the chain of VkPhysicalDeviceProperties2 with new values for some members. Other structs that tell the
   * same fact tell the same value.
   */
  readonly properties?: readonly SomeOf<ChainItem<ExtenderOf<VkPhysicalDeviceProperties2>>>[];
  /**
   * Format capabilities by VkFormat; `{}` for none. The queries about images agree with them, those about surfaces do
   * not: their formats belong to the window system.
   */
  readonly formats?: Readonly<Record<number, Partial<VkFormatProperties>>>;
  /** Semaphore capabilities by VkExternalSemaphoreHandleTypeFlagBits; `{}` for none. */
  readonly externalSemaphores?: Readonly<Record<number, Partial<VkExternalSemaphoreProperties>>>;
  /** Fence capabilities by VkExternalFenceHandleTypeFlagBits; `{}` for none. */
  readonly externalFences?: Readonly<Record<number, Partial<VkExternalFenceProperties>>>;
}

/** The limits and their rules. */
export const LIMITS_RULES: OptionRules<DeviceLimitsOptions> = {
  hideExtensions: list("a list of extensions", text("a name")),
  showExtensions: record("an object of versions by the extensions' names", number),
  hideCommands: list("a list of commands", text("a name")),
  hideFeatures: list("a list of features", text("a name")),
  physicalDevice: object("an object of members of VkPhysicalDeviceProperties"),
  limits: object("an object of limits"),
  properties: list("a list of structs", object("a struct with its sType")),
  formats: object("an object of VkFormatProperties by format"),
  externalSemaphores: object("an object of VkExternalSemaphoreProperties by handle type"),
  externalFences: object("an object of VkExternalFenceProperties by handle type"),
};

/** The checked options in the form that hooks use. */
export interface Settings {
  /** Names of hidden extensions. */
  readonly extensions: ReadonlySet<string>;
  /** Extensions that are listed whatever the driver has. */
  readonly shown: readonly LayerExtension[];
  /** Names of hidden commands. */
  readonly commands: readonly string[];
  /** Member names of hidden features. */
  readonly features: ReadonlySet<string>;
  /** Changes to VkPhysicalDeviceProperties. */
  readonly properties: Patch;
  /** Changes to VkPhysicalDeviceLimits. */
  readonly limits: Patch;
  /** Changes to structs of a chain, by their names. */
  readonly chain: ReadonlyMap<string, Patch>;
  /** The given limits. */
  readonly imageLimits: Partial<VkPhysicalDeviceLimits>;
  /** The whole VkFormatProperties of changed formats. */
  readonly formatValues: ReadonlyMap<number, VkFormatProperties>;
  /** Changes to VkFormatProperties, by format. */
  readonly formats: ReadonlyMap<number, Patch>;
  /** Changes to VkFormatProperties3, by format. */
  readonly formats3: ReadonlyMap<number, Patch>;
  /** Changes to VkExternalSemaphoreProperties, by handle type. */
  readonly semaphores: ReadonlyMap<number, Patch>;
  /** Changes to VkExternalFenceProperties, by handle type. */
  readonly fences: ReadonlyMap<number, Patch>;
}

/** Checks the options. Throws a `TypeError` that names the feature, limit or struct that does not exist. */
export function settingsOf(options: DeviceLimitsOptions): Settings {
  for (const name of options.hideFeatures ?? []) checkFeature(name);
  for (const name of options.hideCommands ?? []) checkCommand(name);
  const formats = Object.entries(options.formats ?? {}).map(([format, values]) =>
    [Number(format), whole(values)] as const
  );
  const shown = Object.entries(options.showExtensions ?? {});
  return {
    extensions: new Set(options.hideExtensions),
    shown: shown.map(([extensionName, specVersion]) => ({ extensionName, specVersion })),
    commands: options.hideCommands ?? [],
    properties: patchOf("VkPhysicalDeviceProperties", options.physicalDevice ?? {}),
    features: new Set(options.hideFeatures),
    limits: patchOf("VkPhysicalDeviceLimits", options.limits ?? {}),
    chain: chainPatches(options.properties ?? []),
    imageLimits: options.limits ?? {},
    formatValues: new Map(formats),
    formats: new Map(formats.map(([format, values]) => [format, patchOf("VkFormatProperties", values)])),
    formats3: new Map(formats.map(([format, values]) => [format, patchOf("VkFormatProperties3", widened(values))])),
    semaphores: patchesOf("VkExternalSemaphoreProperties", options.externalSemaphores, NO_SEMAPHORE),
    fences: patchesOf("VkExternalFenceProperties", options.externalFences, NO_FENCE),
  };
}

/** Whether a struct lists features. */
export function isFeatures(name: string): boolean {
  return /^VkPhysicalDevice\w*Features/.test(name);
}

function checkFeature(name: string): void {
  const structs = structNames().filter(isFeatures).map(layoutOf);
  if (structs.some(({ fields }) => fields.some((field) => field.name === name && field.kind === "bool"))) return;
  const names = structs.flatMap(({ fields }) =>
    fields.filter(({ kind }) => kind === "bool").map((field) => field.name)
  );
  const meant = closest(name, names);
  throw new TypeError(
    `Cannot hide feature "${name}": no struct has it; ${meant ? `is it ${meant}?` : "check the name"}`,
  );
}

/** Capabilities that are not given are absent. */
const NO_SEMAPHORE = { exportFromImportedHandleTypes: 0, compatibleHandleTypes: 0, externalSemaphoreFeatures: 0 };
const NO_FENCE = { exportFromImportedHandleTypes: 0, compatibleHandleTypes: 0, externalFenceFeatures: 0 };

function patchesOf(struct: string, byType: Readonly<Record<number, object>> = {}, none: object): Map<number, Patch> {
  const all = Object.entries(byType);
  return new Map(all.map(([type, values]) => [Number(type), patchOf(struct, { ...none, ...values })]));
}

function checkCommand(name: string): void {
  if (findCommand(name)) return;
  throw new TypeError(`Cannot hide command "${name}": there is no such Vulkan command; check the spelling`);
}

/** Capabilities that are not given are absent. */
function whole(values: Partial<VkFormatProperties>): VkFormatProperties {
  const none = 0 as VkFormatProperties["bufferFeatures"];
  return { linearTilingFeatures: none, optimalTilingFeatures: none, bufferFeatures: none, ...values };
}

/** The same flags with 64 bits. */
function widened(values: VkFormatProperties): object {
  return Object.fromEntries(Object.entries(values).map(([name, bits]) => [name, BigInt((bits as number) >>> 0)]));
}
