import { list, number, object, type OptionRules, record, text } from "../../../../ffi/check_options.ts";
import type { ChainItem, ExtenderOf } from "../../../base.ts";
import { structNames } from "../../../codec/codec.ts";
import { closest } from "../../../../ffi/closest.ts";
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
import { chainPatch } from "../../define/device_changes.ts";
import { type Patch, patchOf } from "../../define/patch.ts";

/** What a device shall seem to lack, or to have. What is not given is as the driver says. */
export interface LimitsOptions {
  /** Extensions of devices and instances to hide, by name. Only devices are refused to who enables one all the same. */
  readonly hideExtensions?: readonly string[];
  /** Extensions to list with this revision, by name, also where the driver lacks them: it may refuse who enables them. */
  readonly showExtensions?: Readonly<Record<string, number>>;
  /** Commands to hide: vkGetInstanceProcAddr and vkGetDeviceProcAddr have no address of them. */
  readonly hideCommands?: readonly string[];
  /** Features to hide, by member name, such as `geometryShader`: in every struct that has the member. */
  readonly hideFeatures?: readonly string[];
  /** Members of VkPhysicalDeviceProperties, such as `apiVersion` and `deviceType`, and what they shall be. */
  readonly physicalDevice?: Partial<Omit<VkPhysicalDeviceProperties, "limits" | "sparseProperties">>;
  /** Members of VkPhysicalDeviceLimits, and what they shall be. */
  readonly limits?: Partial<VkPhysicalDeviceLimits>;
  /** Structs of the chain of VkPhysicalDeviceProperties2, and what the members that are given shall be. */
  readonly properties?: readonly SomeOf<ChainItem<ExtenderOf<VkPhysicalDeviceProperties2>>>[];
  /** What formats, by their VkFormat, shall be good for; `{}` for nothing. */
  readonly formats?: Readonly<Record<number, Partial<VkFormatProperties>>>;
  /** What semaphores, by their VkExternalSemaphoreHandleTypeFlagBits, shall be exported and imported as; `{}` for nothing. */
  readonly externalSemaphores?: Readonly<Record<number, Partial<VkExternalSemaphoreProperties>>>;
  /** The same of fences, by their VkExternalFenceHandleTypeFlagBits. */
  readonly externalFences?: Readonly<Record<number, Partial<VkExternalFenceProperties>>>;
}

/** Which limits there are, and what fits. */
export const LIMITS_RULES: OptionRules<LimitsOptions> = {
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

/** The options, checked, in the form in which hooks use them. */
export interface Settings {
  /** Names of hidden extensions. */
  readonly extensions: ReadonlySet<string>;
  /** Extensions that are listed whatever the driver has. */
  readonly shown: readonly LayerExtension[];
  /** Names of hidden commands. */
  readonly commands: readonly string[];
  /** Member names of hidden features. */
  readonly features: ReadonlySet<string>;
  /** What to change in VkPhysicalDeviceProperties. */
  readonly properties: Patch;
  /** What to change in VkPhysicalDeviceLimits. */
  readonly limits: Patch;
  /** What to change in structs of a chain, by their names. */
  readonly chain: ReadonlyMap<string, Patch>;
  /** What to change in VkFormatProperties, by format. */
  readonly formats: ReadonlyMap<number, Patch>;
  /** Likewise in VkFormatProperties3. */
  readonly formats3: ReadonlyMap<number, Patch>;
  /** What to change in VkExternalSemaphoreProperties, by handle type. */
  readonly semaphores: ReadonlyMap<number, Patch>;
  /** What to change in VkExternalFenceProperties, by handle type. */
  readonly fences: ReadonlyMap<number, Patch>;
}

/** Checks the options. Throws a `TypeError` that names what does not exist. */
export function settingsOf(options: LimitsOptions): Settings {
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
    chain: new Map(options.properties?.map((each) => chainPatch(each))),
    formats: new Map(formats.map(([format, values]) => [format, patchOf("VkFormatProperties", values)])),
    formats3: new Map(formats.map(([format, values]) => [format, patchOf("VkFormatProperties3", widened(values))])),
    semaphores: patchesOf("VkExternalSemaphoreProperties", options.externalSemaphores, NO_SEMAPHORE),
    fences: patchesOf("VkExternalFenceProperties", options.externalFences, NO_FENCE),
  };
}

/** Whether a struct says which features there are. */
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

/** What a handle type is not said to be good for, it is not good for. */
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

/** What a format is not said to be good for, it is not good for. */
function whole(values: Partial<VkFormatProperties>): VkFormatProperties {
  const none = 0 as VkFormatProperties["bufferFeatures"];
  return { linearTilingFeatures: none, optimalTilingFeatures: none, bufferFeatures: none, ...values };
}

/** The same bits in 64. */
function widened(values: VkFormatProperties): object {
  return Object.fromEntries(Object.entries(values).map(([name, bits]) => [name, BigInt((bits as number) >>> 0)]));
}
