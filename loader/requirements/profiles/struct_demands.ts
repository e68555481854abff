import { layoutOf } from "../../codec/layout/layout.ts";
import type { DeviceFacts } from "../facts.ts";
import { structName } from "../struct_names.ts";
import { isAsGood } from "./compare.ts";
import { enumValue, shownValue } from "./enum_values.ts";
import type { Demand } from "./report.ts";
import { limitTypeOf } from "./limit_types.ts";
import type { Json } from "./profile.ts";

/**
 * Returns what a capability demands of features. A demand for false is ignored,
 * unless the capability is one of several alternatives, where it makes the
 * difference.
 */
export function featureDemands(
  structs: Readonly<Record<string, Json>>,
  device: DeviceFacts,
  isChoice: boolean,
): Demand[] {
  return Object.entries(structs).flatMap(([given, members]) => {
    const struct = existing(given), { values, found } = inside(members, device.struct(struct), "features");
    return Object.entries(values).filter(([, wanted]) => wanted === true || isChoice).map(([name, wanted]): Demand => {
      checkMember(struct.replace(/2$/, ""), name);
      const value = found?.[name];
      return {
        kind: "feature",
        name: `${given}.${name}`,
        met: value === wanted,
        wanted: String(wanted),
        found: value === undefined ? "no way to ask" : String(value),
      };
    });
  });
}

/** Returns what a capability demands of properties. */
export function propertyDemands(structs: Readonly<Record<string, Json>>, device: DeviceFacts): Demand[] {
  return Object.entries(structs).flatMap(([given, members]) => {
    const struct = existing(given), { values, found } = inside(members, device.struct(struct), "properties");
    return memberDemands(struct.replace(/2$/, ""), given, values, found);
  });
}

/** Returns what a capability demands of queue families: for each entry, one family must meet all of it. */
export function queueFamilyDemands(wanted: readonly Record<string, Json>[], device: DeviceFacts): Demand[] {
  return wanted.map((entry, index): Demand => {
    const values = entry.VkQueueFamilyProperties ??
      inside(entry.VkQueueFamilyProperties2 ?? {}, {}, "queueFamilyProperties").values;
    const tried = device.queueFamilies.map((each) => memberDemands("VkQueueFamilyProperties", "", values, each));
    return {
      kind: "queue family",
      name: `queueFamiliesProperties[${index}]`,
      met: tried.some((demands) => demands.every(({ met }) => met)),
      wanted: JSON.stringify(values),
      found: `${tried.length} families, none of which has all of it`,
    };
  });
}

/** A struct whose name ends in 2 contains the struct of the first version. */
function inside(members: Json, found: Json | undefined, key: string): { values: Json; found: Json | undefined } {
  if (!(key in members)) return { values: members, found };
  return { values: members[key] as Json, found: found?.[key] as Json | undefined };
}

function memberDemands(
  struct: string,
  path: string,
  values: Json,
  found: Json | undefined,
  inherited: readonly string[] = [],
): Demand[] {
  return Object.entries(values).flatMap(([name, wanted]) => {
    const { type, kind } = checkMember(struct, name), how = [...limitTypeOf(struct, name), ...inherited];
    const value = found?.[name], place = `${path}.${name}`;
    if (kind === "struct") return memberDemands(type, place, wanted as Json, value as Json | undefined, how);
    const number = enumValue(type, wanted);
    return [{
      kind: "property",
      name: place,
      met: isAsGood(value, number, how.length === 0 && Array.isArray(wanted) && number !== wanted ? ["bitmask"] : how),
      wanted: `${typeof wanted === "boolean" ? "" : words(how)}${shownValue(type, number)}`,
      found: value === undefined ? "no way to ask" : shownValue(type, value),
    }];
  });
}

/** Describes a comparison, where a number alone would not be clear. */
function words(how: readonly string[]): string {
  if (how.includes("max") || how.includes("bits")) return "at least ";
  return how.includes("min") ? "at most " : "";
}

function existing(given: string): string {
  const name = structName(given);
  if (name !== undefined) return name;
  throw new TypeError(`Cannot compare with a profile: the registry has no struct ${given}; check its spelling`);
}

function checkMember(struct: string, name: string): ReturnType<typeof layoutOf>["fields"][number] {
  const found = layoutOf(struct).fields.find((field) => field.name === name);
  if (found) return found;
  throw new TypeError(`Cannot compare with a profile: ${struct} has no member ${name}; check its spelling`);
}
