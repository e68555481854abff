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
import { apply, chainPatches, type Patch, patchOf } from "../../define/device_changes.ts";

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

/** The possible uses of a format's tilings and buffers: VkFormatFeatureFlags2. */
export interface FormatFeatures {
  /** VkFormatProperties3.linearTilingFeatures */
  readonly linearTilingFeatures: bigint;
  /** VkFormatProperties3.optimalTilingFeatures */
  readonly optimalTilingFeatures: bigint;
  /** VkFormatProperties3.bufferFeatures */
  readonly bufferFeatures: bigint;
}

/** The facts that hooks put in the place of a driver's. */
export interface Settings {
  /** Whether an extension is hidden. */
  isHidden(extension: string): boolean;
  /** Extensions that are listed whatever the driver has. */
  readonly shown: readonly LayerExtension[];
  /** Names of hidden commands. */
  readonly commands: readonly string[];
  /**
   * Changes a struct of features, properties or limits that the driver has filled. `before` has the bytes of the struct
   * before the driver filled it, if the struct is in a chain.
   */
  put(struct: string, address: bigint, before?: Patch): void;
  /** Whether the device leaves a struct of a chain alone, as drivers do with a struct that they do not know. */
  ignores(struct: string): boolean;
  /** Whether a member of a struct of features is hidden. */
  lacks(struct: string, feature: string): boolean;
  /** The given limits. */
  readonly limits: Partial<VkPhysicalDeviceLimits>;
  /** Whether a format has no more capabilities than with the driver. */
  readonly onlyLowers: boolean;
  /** The capabilities of a format; `undefined` for the driver's. */
  format(format: number): FormatFeatures | undefined;
  /** Returns the changes to VkExternalSemaphoreProperties of a handle type. */
  semaphores(handleType: number): Patch | undefined;
  /** Returns the changes to VkExternalFenceProperties of a handle type. */
  fences(handleType: number): Patch | undefined;
}

/** Returns the settings of a physical device; those that hold for all devices for 0n. */
export type SettingsOf = (gpu: bigint) => Settings;

/** Checks the options. Throws a `TypeError` that names the feature, limit or struct that does not exist. */
export function settingsOf(options: DeviceLimitsOptions): Settings {
  for (const name of options.hideFeatures ?? []) checkFeature(name);
  for (const name of options.hideCommands ?? []) checkCommand(name);
  const formats = new Map(
    Object.entries(options.formats ?? {}).map(([format, values]) => [Number(format), featuresOf(values)]),
  );
  const shown = Object.entries(options.showExtensions ?? {});
  const semaphores = patchesOf("VkExternalSemaphoreProperties", options.externalSemaphores, NO_SEMAPHORE);
  const fences = patchesOf("VkExternalFenceProperties", options.externalFences, NO_FENCE);
  const extensions = new Set(options.hideExtensions), features = new Set(options.hideFeatures);
  const patches = structPatches(options, features);
  return {
    isHidden: (name) => extensions.has(name),
    shown: shown.map(([extensionName, specVersion]) => ({ extensionName, specVersion })),
    commands: options.hideCommands ?? [],
    put: (struct, address) => apply(patches(struct), address),
    ignores: () => false,
    lacks: (_, feature) => features.has(feature),
    limits: options.limits ?? {},
    onlyLowers: false,
    format: (format) => formats.get(format),
    semaphores: (type) => semaphores.get(type),
    fences: (type) => fences.get(type),
  };
}

/** Returns the function that gives the changes to a struct. A feature is hidden in all structs that have it. */
function structPatches(
  { physicalDevice, limits, properties = [] }: DeviceLimitsOptions,
  hidden: ReadonlySet<string>,
): (struct: string) => Patch | undefined {
  const chain = chainPatches(properties);
  const ofDevice = [
    ...patchOf("VkPhysicalDeviceProperties", physicalDevice ?? {}),
    ...insideOf("VkPhysicalDeviceProperties", "limits", patchOf("VkPhysicalDeviceLimits", limits ?? {})),
  ];
  const known = new Map([...chain, ["VkPhysicalDeviceProperties", ofDevice]]);
  return (struct) => {
    let found = known.get(struct);
    if (!found && isFeatures(struct)) known.set(struct, found = hidingPatch(struct, hidden));
    return found;
  };
}

/** Moves a patch of a member that is a struct to that member's place. */
function insideOf(struct: string, member: string, patch: Patch): Patch {
  const { offset: start } = layoutOf(struct).fields.find(({ name }) => name === member)!;
  return patch.map(({ offset, bytes }) => ({ offset: start + offset, bytes }));
}

function hidingPatch(struct: string, hidden: ReadonlySet<string>): Patch {
  const fields = layoutOf(struct).fields.filter(({ name, kind }) => kind === "bool" && hidden.has(name));
  return patchOf(struct, Object.fromEntries(fields.map(({ name }) => [name, false])));
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

/** No capabilities of semaphores. Capabilities that are not given are absent. */
export const NO_SEMAPHORE = {
  exportFromImportedHandleTypes: 0,
  compatibleHandleTypes: 0,
  externalSemaphoreFeatures: 0,
};
/** No capabilities of fences. */
export const NO_FENCE = { exportFromImportedHandleTypes: 0, compatibleHandleTypes: 0, externalFenceFeatures: 0 };

function patchesOf(struct: string, byType: Readonly<Record<number, object>> = {}, none: object): Map<number, Patch> {
  const all = Object.entries(byType);
  return new Map(all.map(([type, values]) => [Number(type), patchOf(struct, { ...none, ...values })]));
}

function checkCommand(name: string): void {
  if (findCommand(name)) return;
  throw new TypeError(`Cannot hide command "${name}": there is no such Vulkan command; check the spelling`);
}

/** Capabilities that are not given are absent. */
function featuresOf(values: Partial<VkFormatProperties>): FormatFeatures {
  const none = { linearTilingFeatures: 0n, optimalTilingFeatures: 0n, bufferFeatures: 0n };
  patchOf("VkFormatProperties", values); // checks the values
  const given = Object.entries(values).map(([name, bits]) => [name, BigInt((bits as number) >>> 0)]);
  return { ...none, ...Object.fromEntries(given) };
}
