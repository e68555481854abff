import type { StructObject } from "../codec/codec.ts";
import { layoutOf } from "../codec/layout/layout.ts";
import { shownValue } from "../requirements/profiles/registry_names.ts";
import { type Combination, isOrdered, wordsOf } from "./combine.ts";
import type { DeviceModel } from "./model.ts";

/** The facts of devices that their combination does not tell, by the reason. */
export interface LeftOut {
  /** Parts that have no common measure: memory, surfaces, handle types. */
  readonly parts: readonly string[];
  /** Members that differ and are neither better nor worse; the combination has those of the first device. */
  readonly differing: readonly string[];
  /** Members that some devices do not tell; only of what devices have in common. */
  readonly untold: readonly string[];
  /** Extensions that some devices lack; only of what devices have in common. */
  readonly extensions: readonly string[];
  /** Formats that some devices lack, or that have no features in common. */
  readonly formats: readonly string[];
  /** The number of queue families that only some devices have. */
  readonly queueFamilies: number;
}

const PARTS = { memory: "memory", surface: "surface", fences: "handle types of fences", semaphores: "of semaphores" };
/** Members that a combination tells by itself. */
const OWN: ReadonlySet<string> = new Set([
  "VkPhysicalDeviceProperties.deviceName",
  "VkPhysicalDeviceProperties.apiVersion",
]);

/** Returns what `combineModels` leaves out of devices. */
export function leftOutOf(models: readonly DeviceModel[], combined: DeviceModel, how: Combination): LeftOut {
  const structs = [...new Set(models.flatMap((model) => [...model.structs.keys()]))];
  const found = structs.flatMap((name) => membersIn(name, models.map((model) => model.structs.get(name)), [], name));
  const paths = (kind: Found["kind"]) =>
    found.filter((each) => each.kind === kind && !OWN.has(each.path)).map(({ path }) => path);
  const lost = <Key>(keys: (model: DeviceModel) => Iterable<Key>) => {
    const left = new Set(keys(combined));
    return [...new Set(models.flatMap((model) => [...keys(model)]))].filter((key) => !left.has(key));
  };
  const families = models.map(({ queueFamilies }) => queueFamilies?.length ?? 0);
  return {
    parts: Object.entries(PARTS).filter(([part]) => lacks(part as keyof typeof PARTS, models, combined)).map((
      [, name],
    ) => name),
    differing: paths("differs"),
    untold: how === "common" ? paths("untold") : [],
    extensions: [...lost(({ extensions }) => extensions.keys()), ...lost((model) => model.instanceExtensions.keys())],
    formats: lost(({ formats }) => formats.keys()).map((format) => shownValue("VkFormat", format)),
    queueFamilies: Math.max(...families) - (combined.queueFamilies?.length ?? 0),
  };
}

function lacks(part: keyof typeof PARTS, models: readonly DeviceModel[], combined: DeviceModel): boolean {
  return combined[part] === undefined && models.some((model) => model[part] !== undefined);
}

interface Found {
  readonly path: string;
  readonly kind: "differs" | "untold";
}

/** Compares the members of a struct of several devices as their combination does. */
function membersIn(
  struct: string,
  values: readonly (StructObject | undefined)[],
  inherited: readonly string[],
  path: string,
): Found[] {
  const fields = layoutOf(struct).fields.filter(({ name }) => name !== "sType" && name !== "pNext");
  return fields.flatMap((field): Found[] => {
    const words = [...wordsOf(struct, field), ...inherited], here = `${path}.${field.name}`;
    const own = values.map((each) => each?.[field.name]), told = own.filter((each) => each !== undefined);
    if (field.kind === "struct" && field.dims.length === 0 && told.length > 0) {
      return membersIn(field.type, own as (StructObject | undefined)[], words, here);
    }
    if (told.length > 0 && told.length < own.length) return [{ path: here, kind: "untold" }];
    return !isOrdered(words, field) && new Set(told.map(String)).size > 1 ? [{ path: here, kind: "differs" }] : [];
  });
}

/** The most names in a sentence. */
const MOST = 6;

/** Sentences about what was left out, with counts; none if nothing was. */
export function leftOutTexts({ queueFamilies, ...lists }: LeftOut): string[] {
  const about: Readonly<Record<keyof typeof lists, string>> = {
    parts: "have no common measure",
    differing: "differ and are neither better nor worse: the first device's are kept",
    untold: "are not told by all",
    extensions: "are not of all",
    formats: "are not of all",
  };
  const nouns = {
    parts: "parts",
    differing: "members",
    untold: "members",
    extensions: "extensions",
    formats: "formats",
  };
  const texts = Object.entries(about).flatMap(([key, reason]) => {
    const names = lists[key as keyof typeof lists], noun = nouns[key as keyof typeof nouns];
    if (names.length === 0) return [];
    const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
    return [`${names.length} ${noun} that ${reason}: ${names.slice(0, MOST).join(", ")}${more}`];
  });
  return queueFamilies > 0 ? [...texts, `${queueFamilies} queue families that are not of all`] : texts;
}
