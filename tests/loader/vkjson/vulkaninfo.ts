/**
 * The output of `vulkaninfo --json` about a driver, held against vkjson's: two programs
 * that ask the same driver by themselves.
 *
 * @module
 */
import { codec } from "../../../loader/codec/codec.ts";
import { type Field, nameOfSType } from "../../../loader/codec/layout/layout.ts";
import { findExtension } from "../../../loader/command/registry/extension.ts";
import { ENUM_NAMES } from "../../../loader/gen/enum_names_gen.js";
import { Names } from "../../../loader/layers/shipped/trace/names.ts";
import type { Json, JsonObject } from "../../../loader/vkjson/json_value.ts";
import { Schema } from "../../../loader/vkjson/schema.ts";
import { manifestIn } from "../../support/pasted.ts";
import { withFolder } from "../../support/temporary.ts";

const names = new Names(ENUM_NAMES);

/** The `capabilities.device` of a driver's first device: Khronos' profile schema. */
export function vulkaninfo(driver: string): JsonObject {
  return withFolder((folder) => {
    const manifest = manifestIn(folder, driver), env = { VK_ICD_FILENAMES: manifest, VK_DRIVER_FILES: manifest };
    const { code, stderr } = new Deno.Command("vulkaninfo", { args: ["--json"], cwd: folder, env }).outputSync();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
    const file = [...Deno.readDirSync(folder)].find(({ name }) => name.startsWith("VP_VULKANINFO"))!;
    return JSON.parse(Deno.readTextFileSync(`${folder}/${file.name}`)).capabilities.device;
  });
}

/** Compares what both say; calls back with each pair, normalized to the same form, and returns how many there were. */
export class Comparison {
  /** The number of values that both have. */
  shared = 0;
  /** The places where they are not the same. */
  readonly wrong: string[] = [];
  /** Structs that only vulkaninfo has. */
  readonly missing: string[] = [];

  /** Compares all of a device. */
  constructor(device: JsonObject, theirs: JsonObject) {
    const known = structsByName(device);
    for (const kind of ["properties", "features"]) {
      for (const [struct, members] of Object.entries(theirs[kind] as JsonObject)) {
        this.#struct(struct, known, members as JsonObject);
      }
    }
    this.#extensions(device, theirs.extensions as JsonObject);
    this.#formats(device, theirs.formats as JsonObject);
    this.#queues(device, theirs.queueFamiliesProperties as JsonObject[]);
  }

  #struct(struct: string, known: ReadonlyMap<string, Known>, theirs: JsonObject): void {
    const own = known.get(struct) ?? coreOf(struct, Object.keys(theirs), known);
    if (own) this.#members(own.table, own.members, theirs);
    else this.missing.push(struct);
  }

  #members(struct: string, ours: JsonObject, theirs: JsonObject): void {
    for (const field of codec(struct).layout.fields) {
      const one = ours[field.name], other = theirs[field.name];
      if (one === undefined || other === undefined) continue;
      if (field.kind === "struct" && !Array.isArray(one)) {
        this.#members(field.type, one as JsonObject, other as JsonObject);
      } else this.#value(`${struct}.${field.name}`, shown(field, one), other);
    }
  }

  #value(where: string, one: unknown, other: unknown): void {
    this.shared++;
    if (!isSame(one, other)) this.wrong.push(`${where}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`);
  }

  #extensions({ extensions }: JsonObject, theirs: JsonObject): void {
    const ours = new Map((extensions as JsonObject[]).map((each) => [each.extensionName, each.specVersion]));
    for (const [name, version] of Object.entries(theirs)) this.#value(name, ours.get(name), version);
  }

  #formats({ formats }: JsonObject, theirs: JsonObject): void {
    const pairs = formats as [number, JsonObject][];
    const ours = new Map(pairs.map(([number, found]) => [names.of("VkFormat", number), found]));
    for (const [name, found] of Object.entries(theirs) as [string, JsonObject][]) {
      const own = ours.get(name);
      if (own) this.#members("VkFormatProperties", own, found.VkFormatProperties as JsonObject);
      else this.missing.push(name);
    }
  }

  #queues({ queues }: JsonObject, theirs: JsonObject[]): void {
    for (const [index, each] of theirs.entries()) {
      const other = each.VkQueueFamilyProperties as JsonObject;
      this.#members("VkQueueFamilyProperties", (queues as JsonObject[])[index], other);
    }
  }
}

/** A struct that vkjson has: its name in the tables, and its members there. */
interface Known {
  readonly table: string;
  readonly members: JsonObject;
}

/** The structs that vkjson has of a device, by name. */
function structsByName(device: JsonObject): Map<string, Known> {
  const schema = new Schema(undefined), known = new Map<string, Known>();
  const add = (name: string, members: Json | undefined, table = name) => {
    if (members) known.set(name, { table, members: members as JsonObject });
  };
  add("VkPhysicalDeviceProperties", device.properties);
  add("VkPhysicalDeviceFeatures", device.features);
  for (const [key, struct] of schema.since11) add(struct, device[key]);
  for (const { minor } of schema.cores) {
    const core = device[`core${minor}`] as JsonObject | undefined;
    add(`VkPhysicalDeviceVulkan${minor}Properties`, core?.properties);
    add(`VkPhysicalDeviceVulkan${minor}Features`, core?.features);
  }
  for (const { extensionName } of device.extensions as JsonObject[]) {
    const block = Object.values(device[extensionName as string] ?? {});
    for (const [index, { name, sType }] of (findExtension(extensionName as string)?.structs ?? []).entries()) {
      const table = nameOfSType(sType)!;
      add(name, block[index], table);
      add(table, block[index]);
    }
  }
  return known;
}

/** The struct of a version that has a promoted struct's members, where its extension is not offered. */
function coreOf(struct: string, [first]: readonly string[], known: ReadonlyMap<string, Known>): Known | undefined {
  const kind = struct.includes("Features") ? "Features" : "Properties";
  const cores = [11, 12, 13, 14].map((minor) => known.get(`VkPhysicalDeviceVulkan${minor}${kind}`));
  return cores.find((core) => core && first in core.members);
}

/** A value of vkjson as a Khronos profile writes it. */
function shown(field: Field, value: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => shown(field, each));
  if (field.kind === "bool") return value === 1;
  if (field.kind === "u64" && field.type === "u64" || field.kind === "usize") return Number(value);
  if (field.kind === "f32" || field.kind === "str") return value;
  const text = names.of(field.type, value as number | string);
  if (text === undefined) return value;
  return field.kind === "i32" ? text : text === "0" ? [] : text.split(" | ");
}

/** Floats are printed with few digits, and bits may have several names. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  if (typeof one === "number" && typeof other === "number") {
    return Math.abs(one - other) <= Math.abs(one) * 1e-5;
  }
  return withoutAuthor(one) === withoutAuthor(other);
}

/** A name of an extension without its author, as some have it with one and some without. */
function withoutAuthor(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/_(EXT|KHR)$/, "") : value;
}
