import { structNames } from "../../codec/codec.ts";
import { type Field, layoutOf } from "../../codec/layout/layout.ts";

/** A member of a struct. */
export interface Member {
  /** The struct's name. */
  readonly struct: string;
  /** The member's name. */
  readonly name: string;
}

/** Structs of a version, which tell what structs of extensions tell, and those structs. */
const OF_VERSIONS = /^VkPhysicalDeviceVulkan1\d(Features|Properties)$/,
  ALL = /^VkPhysicalDevice\w+(Features|Properties)/;
/** Its features have the names of others, and are features of their own. */
const OTHER = "VkPhysicalDeviceBufferDeviceAddressFeaturesEXT";
/** Members that VkPhysicalDeviceSubgroupProperties has under a shorter name. All other copies share their name. */
const RENAMED: Readonly<Record<string, string>> = {
  subgroupSupportedStages: "supportedStages",
  subgroupSupportedOperations: "supportedOperations",
  subgroupQuadOperationsInAllStages: "quadOperationsInAllStages",
};

let places: ReadonlyMap<string, readonly Member[]> | undefined;

/** Returns all members that tell the same fact as a member, with the member; none if it is told once. */
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
