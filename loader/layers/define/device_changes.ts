import { inFrame } from "../../../ffi/arena.ts";
import { copyFromArena } from "../../../ffi/machine.ts";
import { codec, codecBySType, structNames, type StructObject } from "../../codec/codec.ts";
import { type Field, layoutOf, nameOfSType } from "../../codec/layout/layout.ts";
import { chain, nextOf } from "../../driver/structs/create_info.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import type { DeviceChanges } from "./definition.ts";

/** Offset of the first version's struct in the struct of a query whose name ends in 2. */
export const INNER = 16n;

/** Changes to properties, in the form that hooks use. */
interface PropertyPatches {
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
function propertyHooks(patches: (gpu: bigint) => PropertyPatches): NonNullable<Layer["commands"]> {
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
    chain: chainPatches(chain),
  };
}

/**
 * Returns the patches of chain items, by the structs' names. Other structs that tell the same facts get patches as
 * well, where the items do not say otherwise. Throws a `TypeError` for an unknown `sType`.
 */
export function chainPatches(items: readonly { readonly sType: number }[]): Map<string, Patch> {
  const given = new Map<string, StructObject>();
  for (const item of items) {
    const name = structOf(item.sType);
    patchOf(name, item); // checks the values
    given.set(name, { ...given.get(name), ...item });
  }
  return new Map(Array.from(inStep(given), ([name, values]) => [name, patchOf(name, values)]));
}

/** Returns structs, and in other structs each member that tells the same fact as a given one and is not given itself. */
export function inStep(given: ReadonlyMap<string, StructObject>): Map<string, StructObject> {
  const all = new Map<string, StructObject>();
  const valuesOf = (struct: string) => {
    let values = all.get(struct);
    if (!values) all.set(struct, values = { ...given.get(struct) });
    return values;
  };
  for (const [struct, values] of given) {
    valuesOf(struct);
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      for (const place of placesOf(struct, name)) {
        const told = valuesOf(place.struct);
        if (!Object.hasOwn(told, place.name)) told[place.name] = value;
      }
    }
  }
  return all;
}

function structOf(sType: number): string {
  const name = codecBySType(sType)?.name;
  if (name !== undefined) return name;
  throw new TypeError(`Cannot change properties of sType ${sType}: the registry knows none; give a known sType`);
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

/** The bytes of some members of a struct, and their offsets. */
export type Patch = readonly { readonly offset: number; readonly bytes: Uint8Array }[];

/**
 * Returns the patch that gives members these values. Members that are left out,
 * also of structs inside, keep their values. Throws a `TypeError` if a member
 * does not exist or a value does not fit.
 */
export function patchOf(name: string, values: object): Patch {
  const { size, encodeOut, layout } = codec(name), given = values as StructObject;
  return inFrame((memory) => {
    const at = memory.alloc(size);
    encodeOut(given, at);
    const changed = layout.fields.filter(({ name }) =>
      given[name] !== undefined && name !== "sType" && name !== "pNext"
    );
    return changed.flatMap(({ name, kind, type, dims, stars, offset, size }): Patch => {
      const isInside = kind === "struct" && dims.length === 0 && stars === 0;
      if (!isInside) return [{ offset, bytes: memory.bytes.slice(at + offset, at + offset + size) }];
      return patchOf(type, given[name] as object).map((each) => ({ ...each, offset: offset + each.offset }));
    });
  });
}

/** Applies a patch to the struct at an address. */
export function apply(patch: Patch | undefined, address: bigint): void {
  if (!patch) return;
  inFrame((memory) => {
    for (const { offset, bytes } of patch) {
      const at = memory.alloc(bytes.length);
      memory.bytes.set(bytes, at);
      copyFromArena(address + BigInt(offset), at, bytes.length);
    }
  });
}

/** Calls `visit` for every struct in the chain of the struct at an address, if the registry has the struct. */
export function eachLink(root: bigint, visit: (name: string, address: bigint) => void): void {
  for (const { sType, address } of chain(nextOf(root))) {
    const name = nameOfSType(sType);
    if (name !== undefined) visit(name, address);
  }
}

/** A member of a struct. */
interface Member {
  /** The struct's name. */
  readonly struct: string;
  /** The member's name. */
  readonly name: string;
}

/** Structs of a version, which tell what structs of extensions tell, and those structs. */
const OF_VERSIONS = /^VkPhysicalDeviceVulkan1\d(Features|Properties)$/,
  ALL = /^VkPhysicalDevice\w+(Features|Properties)/;
/** The struct whose features have the names of another's, and are features of their own. */
const OTHER = "VkPhysicalDeviceBufferDeviceAddressFeaturesEXT";
/** Members that VkPhysicalDeviceSubgroupProperties has under a shorter name. All other copies share their name. */
const RENAMED: Readonly<Record<string, string>> = {
  subgroupSupportedStages: "supportedStages",
  subgroupSupportedOperations: "supportedOperations",
  subgroupQuadOperationsInAllStages: "quadOperationsInAllStages",
};

let places: ReadonlyMap<string, readonly Member[]> | undefined;

/** Returns all members that tell the same fact as a member of a struct, with that member; none if it is told once. */
export function placesOf(struct: string, name: string): readonly Member[] {
  places ??= findPlaces();
  return places.get(`${struct}.${name}`) ?? [];
}

function findPlaces(): Map<string, readonly Member[]> {
  const found = new Map<string, readonly Member[]>();
  const structs = structNames().filter((name) => ALL.test(name) && name !== OTHER).map(layoutOf);
  for (const version of structs.filter(({ name }) => OF_VERSIONS.test(name))) {
    for (const field of version.fields.slice(2)) { // behind sType and pNext
      const all = structs.filter(({ sType }) => sType >= 0).flatMap(({ name, fields }) =>
        fields.filter((other) => isSame(field, other)).map((other): Member => ({ struct: name, name: other.name }))
      );
      if (all.length > 1) { for (const each of all) found.set(`${each.struct}.${each.name}`, all); }
    }
  }
  return found;
}

function isSame(one: Field, other: Field): boolean {
  const isNamed = other.name === one.name || other.name === RENAMED[one.name];
  return isNamed && other.type === one.type && other.size === one.size;
}
