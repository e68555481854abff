import type { ChainItem, ExtenderOf } from "../../../base.ts";
import { structNames } from "../../../codec/codec.ts";
import { closest } from "../../../codec/describe.ts";
import { layoutOf } from "../../../codec/layout.ts";
import type {
  VkFormatProperties,
  VkPhysicalDeviceLimits,
  VkPhysicalDeviceProperties2,
} from "../../../gen/types_core_gen.ts";
import type { SomeOf } from "../../define/definition.ts";
import { chainPatch } from "../../define/device_changes.ts";
import { type Patch, patchOf } from "../../patch.ts";

/** What a device shall seem to lack, or to have. What is not given is as the driver says. */
export interface LimitsOptions {
  /** Device extensions to hide, by name. */
  readonly hideExtensions?: readonly string[];
  /** Features to hide, by member name, such as `geometryShader`: in every struct that has the member. */
  readonly hideFeatures?: readonly string[];
  /** Members of VkPhysicalDeviceLimits, and what they shall be. */
  readonly limits?: Partial<VkPhysicalDeviceLimits>;
  /** Structs of the chain of VkPhysicalDeviceProperties2, and what the members that are given shall be. */
  readonly properties?: readonly SomeOf<ChainItem<ExtenderOf<VkPhysicalDeviceProperties2>>>[];
  /** What formats, by their VkFormat, shall be good for; `{}` for nothing. */
  readonly formats?: Readonly<Record<number, Partial<VkFormatProperties>>>;
}

/** The options, checked, in the form in which hooks use them. */
export interface Settings {
  /** Names of hidden extensions. */
  readonly extensions: ReadonlySet<string>;
  /** Member names of hidden features. */
  readonly features: ReadonlySet<string>;
  /** What to change in VkPhysicalDeviceLimits. */
  readonly limits: Patch;
  /** What to change in structs of a chain, by their names. */
  readonly chain: ReadonlyMap<string, Patch>;
  /** What to change in VkFormatProperties, by format. */
  readonly formats: ReadonlyMap<number, Patch>;
  /** Likewise in VkFormatProperties3. */
  readonly formats3: ReadonlyMap<number, Patch>;
}

/** Checks the options. Throws a `TypeError` that names what does not exist. */
export function settingsOf(options: LimitsOptions): Settings {
  for (const name of options.hideFeatures ?? []) checkFeature(name);
  const formats = Object.entries(options.formats ?? {}).map(([format, values]) =>
    [Number(format), whole(values)] as const
  );
  return {
    extensions: new Set(options.hideExtensions),
    features: new Set(options.hideFeatures),
    limits: patchOf("VkPhysicalDeviceLimits", options.limits ?? {}),
    chain: new Map(options.properties?.map((each) => chainPatch(each))),
    formats: new Map(formats.map(([format, values]) => [format, patchOf("VkFormatProperties", values)])),
    formats3: new Map(formats.map(([format, values]) => [format, patchOf("VkFormatProperties3", widened(values))])),
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

/** What a format is not said to be good for, it is not good for. */
function whole(values: Partial<VkFormatProperties>): VkFormatProperties {
  const none = 0 as VkFormatProperties["bufferFeatures"];
  return { linearTilingFeatures: none, optimalTilingFeatures: none, bufferFeatures: none, ...values };
}

/** The same bits in 64. */
function widened(values: VkFormatProperties): object {
  return Object.fromEntries(Object.entries(values).map(([name, bits]) => [name, BigInt((bits as number) >>> 0)]));
}
