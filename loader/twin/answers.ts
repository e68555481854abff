import type { StructObject } from "../codec/codec.ts";
import { layoutOf, nameOfSType } from "../codec/layout/layout.ts";
import { allExtensions, findExtension } from "../command/registry/extension.ts";
import { findCommand } from "../command/registry/table.ts";
import { putArrays, scalarsAt, withoutArrays } from "./counted_arrays.ts";
import { apply, inStep, type Patch, patchOf, placesOf } from "../layers/define/device_changes.ts";
import {
  type FormatFeatures,
  isFeatures,
  NO_FENCE,
  NO_SEMAPHORE,
  type Settings,
} from "../layers/shipped/limits/settings.ts";
import { VK_API_VERSION_MINOR } from "../version.ts";
import { combineStruct } from "./combine.ts";
import { type DeviceModel, limitsOf, versionOf } from "./model.ts";

/**
 * The treatment of facts that the driver below cannot keep. `"exact"`: the twin
 * tells the facts of its source, and no device is created if the driver lacks
 * one of them. `"used"`: the same, but a device is created, and each use of what
 * the driver lacks is refused. `"common"`: the twin tells what its source and
 * the driver have in common.
 */
export type TwinStrictness = "exact" | "used" | "common";

/** The values of {@linkcode TwinStrictness}. */
export const STRICTNESSES: readonly TwinStrictness[] = ["exact", "used", "common"];

const PROPERTIES = "VkPhysicalDeviceProperties", FEATURES = "VkPhysicalDeviceFeatures";
/** The structs that have all features and properties of a version, and the minor version that has the struct itself. */
const OF_VERSIONS = [[11, 1, 2], [12, 2, 2], [13, 3, 3], [14, 4, 4]] as const;

/** The structs that a device answers, and the facts in them. */
export class Offer {
  /** Structs by name. Features that the source does not tell are false. */
  readonly structs: ReadonlyMap<string, StructObject>;
  /** Device-level commands that the device does not have. */
  readonly missingCommands: readonly string[];
  readonly #unknown: ReadonlySet<string>;

  /** Completes a model. */
  constructor(model: DeviceModel) {
    const minor = VK_API_VERSION_MINOR(versionOf(model));
    this.#unknown = unknownStructs(model, minor);
    const all = inStep(withoutUnsaid(model.structs, minor));
    this.structs = new Map([...all].filter(([struct]) => !this.ignores(struct)));
    this.missingCommands = missingCommands(model, minor);
  }

  /** Whether the device does not know a struct. */
  ignores(struct: string): boolean {
    return this.#unknown.has(struct);
  }

  /** Whether the device lacks a feature. A struct of which nothing is known has the driver's features. */
  lacks(struct: string, feature: string): boolean {
    return isFeatures(struct) && (this.ignores(struct) || this.structs.get(struct)?.[feature] === false);
  }
}

/** A source that tells some features of a version lacks the others. */
function withoutUnsaid(structs: ReadonlyMap<string, StructObject>, minor: number): Map<string, StructObject> {
  const versions = OF_VERSIONS.filter(([, own]) => own <= minor).map(([number]) =>
    `VkPhysicalDeviceVulkan${number}Features`
  );
  const told = [...structs.keys()].filter((name) => isFeatures(name));
  const whole = new Map(structs);
  for (const name of new Set([FEATURES, ...versions, ...told])) {
    const flags = layoutOf(name).fields.filter(({ kind }) => kind === "bool");
    whole.set(name, { ...Object.fromEntries(flags.map(({ name }) => [name, false])), ...structs.get(name) });
  }
  return whole;
}

/** Returns the structs of versions and extensions that the device does not have. */
function unknownStructs({ extensions, instanceExtensions }: DeviceModel, minor: number): Set<string> {
  const unknown = new Set<string>(), known = new Set<string>(), promoted = promotedStructs();
  for (const { name, structs } of allExtensions()) {
    const has = extensions.has(name) || instanceExtensions.has(name);
    for (const { sType } of structs) (has ? known : unknown).add(nameOfSType(sType)!);
  }
  for (const [struct, since] of promoted) (since <= minor ? known : unknown).add(struct);
  return unknown.difference(known);
}

/** Returns the structs of versions, and those whose members are all in one of these, with the minor version. */
function promotedStructs(): Map<string, number> {
  const found = new Map<string, number>();
  for (const [number, since, own] of OF_VERSIONS) {
    for (const version of ["Features", "Properties"].map((kind) => `VkPhysicalDeviceVulkan${number}${kind}`)) {
      const places = layoutOf(version).fields.flatMap(({ name }) => placesOf(version, name));
      for (const [struct, members] of Map.groupBy(places, (place) => place.struct)) {
        if (members.length === layoutOf(struct).fields.length - 2 && !found.has(struct)) found.set(struct, since);
      }
      found.set(version, own);
    }
  }
  return found;
}

/** Returns the device-level commands that neither the version nor an extension has. */
function missingCommands({ extensions }: DeviceModel, minor: number): string[] {
  const has = new Set<string>(), all = new Set<string>();
  for (const { name, kind, commands } of allExtensions()) {
    const own = kind === "core" ? Number(name.at(-1)) <= minor : kind === "instance" || extensions.has(name);
    for (const command of commands) (own ? has : all).add(command);
  }
  return [...all.difference(has)].filter((name) => findCommand(name)?.level === "device");
}

/** Returns the facts that a twin puts in the place of the driver's. */
export function answersOf(model: DeviceModel, offer: Offer, strictness: TwinStrictness): Settings {
  const isCommon = strictness === "common", patches = new Map<string, Patch>();
  const listed = isCommon ? [] : [...model.extensions, ...model.instanceExtensions];
  return {
    isHidden: (name) => isHidden(model, name, isCommon),
    shown: listed.map(([extensionName, specVersion]) => ({ extensionName, specVersion })),
    commands: offer.missingCommands,
    put(struct, address, room) {
      const values = offer.structs.get(struct);
      if (!values) return;
      const scalars = withoutArrays(struct, values);
      if (isCommon) return apply(patchOf(struct, commonWith(struct, scalars, scalarsAt(struct, address))), address);
      let patch = patches.get(struct);
      if (!patch) patches.set(struct, patch = patchOf(struct, scalars));
      apply(patch, address);
      putArrays(struct, values, address, room);
    },
    ignores: (struct) => offer.ignores(struct),
    lacks: (struct, feature) => offer.lacks(struct, feature),
    limits: limitsOf(model),
    onlyLowers: isCommon,
    format: (format) => model.formats.get(format) ?? (model.hasAllFormats ? NO_FEATURES : undefined),
    semaphores: handlePatches("VkExternalSemaphoreProperties", model.semaphores, NO_SEMAPHORE),
    fences: handlePatches("VkExternalFenceProperties", model.fences, NO_FENCE),
  };
}

const NO_FEATURES: FormatFeatures = { linearTilingFeatures: 0n, optimalTilingFeatures: 0n, bufferFeatures: 0n };

/** In a twin of what is common, the instance is that of the driver. So is an instance of which nothing is known. */
function isHidden({ extensions, instanceExtensions }: DeviceModel, name: string, isCommon: boolean): boolean {
  if (findExtension(name)?.kind !== "instance") return !extensions.has(name);
  return !isCommon && instanceExtensions.size > 0 && !instanceExtensions.has(name);
}

/**
 * Returns what the source and the driver have in common of a struct. Of values
 * that are neither better nor worse, names and numbers of the device are the
 * source's; all others, such as the size of subgroups, are the driver's.
 */
function commonWith(struct: string, values: StructObject, driver: StructObject): StructObject {
  if (struct !== PROPERTIES) return combineStruct(struct, driver, values, "common");
  const { limits, sparseProperties, ...names } = values;
  const common = combineStruct(struct, driver, { limits, sparseProperties }, "common");
  const versions = [driver.apiVersion, values.apiVersion ?? driver.apiVersion] as number[];
  return { ...common, ...names, apiVersion: Math.min(...versions) };
}

function handlePatches(
  struct: string,
  known: ReadonlyMap<number, StructObject> | undefined,
  none: object,
): (handleType: number) => Patch | undefined {
  return (type) => known && patchOf(struct, { ...none, ...known.get(type) });
}
