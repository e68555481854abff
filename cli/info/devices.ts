import { isFeatures } from "../../loader/layers/shipped/limits/settings.ts";
import { combineModels } from "../../loader/twin/combine_models.ts";
import { type LeftOut, leftOutOf, leftOutTexts } from "../../loader/twin/left_out.ts";
import { type DeviceModel, limitsOf, nameOf, versionOf } from "../../loader/twin/model.ts";
import { profileFileOf } from "../../loader/twin/write_profile.ts";
import { extensionsJson, vkjsonOf } from "../../loader/twin/write_vkjson.ts";
import { readSource } from "../../loader/twin/read_source.ts";
import { versionText } from "../../loader/version.ts";
import type { JsonObject } from "../../loader/vkjson/json_value.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { unreadText } from "../../workbench/process/twin_option.ts";
import { atPath, isFolder } from "../../workbench/process/files.ts";
import { inColumns } from "./texts.ts";
import type { Request } from "../command.ts";

/** Whether a request is about descriptions of devices in files, rather than one report or a driver. */
export function isAboutDevices({ operands, values: { merge, intersect, convert } }: Request): boolean {
  return operands.length > 1 || merge === true || intersect === true || convert !== undefined ||
    operands.some((path) => isFolder(path));
}

/** Combines, converts or lists devices. Returns 1 if a file is no description of a device. */
export function devices(request: Request, print: (text: string) => void, warn: (text: string) => void): number {
  const { operands, json, values: { merge, intersect, convert, diff, summary } } = request;
  if (diff !== undefined || summary === true) {
    throw new WrongUse("info: --diff and --summary are about one report: give one file");
  }
  if (merge === true && intersect === true) throw new WrongUse("info: --merge and --intersect exclude each other");
  if (convert !== undefined && convert !== "profile" && convert !== "vkjson") {
    throw new WrongUse(`info: "${convert}" is no form of a device: give --convert=profile or --convert=vkjson`);
  }
  const { models, wrong } = readAll(operands.flatMap(filesIn));
  for (const sentence of wrong) warn(`info: ${sentence}`);
  if (models.length === 0) {
    throw new WrongUse(
      `info: there is no description of a device${inThese(operands)}; give files, or a folder of them`,
    );
  }
  for (const { origin, unread } of models) if (unread.length > 0) warn(`info: ${unreadText(origin, unread)}`);
  const how = merge === true ? "either" : intersect === true ? "common" : undefined;
  const wanted = how && combineModels(models, how), leftOut = how && leftOutOf(models, wanted!, how);
  for (const sentence of leftOut ? leftOutTexts(leftOut) : []) warn(`info: left out: ${sentence}`);
  print(
    wanted || convert
      ? written(wanted ? [wanted] : models, convert, json ? leftOut : undefined)
      : json
      ? JSON.stringify(models.map(rowOf), null, 2)
      : table(models),
  );
  return wrong.length > 0 ? 1 : 0;
}

function inThese(paths: readonly string[]): string {
  return paths.length === 0 ? "" : ` in ${paths.join(", ")}`;
}

/** Returns the JSON files of a folder, by name; a path of another kind as it is. */
function filesIn(path: string): string[] {
  if (!isFolder(path)) return [path];
  const entries = atPath("info", path, () => [...Deno.readDirSync(path)]);
  return entries.filter(({ isFile, name }) => isFile && name.endsWith(".json")).map(({ name }) => `${path}/${name}`)
    .sort();
}

function readAll(paths: readonly string[]): { models: DeviceModel[]; wrong: string[] } {
  const models: DeviceModel[] = [], wrong: string[] = [];
  for (const path of paths) {
    try {
      models.push(readSource(path));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      wrong.push(error.message);
    }
  }
  return { models, wrong };
}

/** Writes devices; a report tells what its combination left out. */
function written(models: readonly DeviceModel[], form: unknown, leftOut?: LeftOut): string {
  if (form === "profile") {
    const files = models.map(profileFileOf);
    return JSON.stringify(files.length === 1 ? files[0] : joined(files), null, 2);
  }
  const [{ instanceExtensions }] = models, extensions = models.length === 1 ? extensionsJson(instanceExtensions) : [];
  const report = {
    layers: [],
    extensions,
    devices: models.map(vkjsonOf),
    _comment: "Made from descriptions of devices.",
    ...leftOut ? { _leftOut: leftOut } : {},
  };
  return JSON.stringify(report, null, 2);
}

/** Returns one file with a profile for each device. */
function joined(files: readonly JsonObject[]): JsonObject {
  const capabilities: JsonObject = {}, profiles: JsonObject = {};
  files.forEach((file, index) => {
    const [[name, profile]] = Object.entries(file.profiles as JsonObject), capability = `device${index}`;
    capabilities[capability] = Object.values(file.capabilities as JsonObject)[0];
    profiles[name in profiles ? `${name}_${index}` : name] = { ...profile as JsonObject, capabilities: [capability] };
  });
  return { ...files[0], capabilities, profiles };
}

/** A line of the table. */
function rowOf(model: DeviceModel): Record<string, string | number> {
  const features = [...model.structs].filter(([name]) => isFeatures(name)).flatMap(([, values]) =>
    Object.values(values)
  );
  const { maxImageDimension2D = "-" } = limitsOf(model) as { maxImageDimension2D?: number };
  const heaps = ((model.memory?.memoryHeaps ?? []) as { size: bigint }[]).map(({ size }) => Number(size / 0x100000n));
  return {
    device: nameOf(model),
    vulkan: versionText(versionOf(model)),
    extensions: model.extensions.size,
    features: features.filter((value) => value === true).length,
    formats: model.formats.size,
    maxImageDimension2D,
    memoryMiB: heaps.length > 0 ? heaps.reduce((sum, size) => sum + size, 0) : "-",
    source: model.origin,
  };
}

function table(models: readonly DeviceModel[]): string {
  const rows = models.map(rowOf);
  return inColumns([Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(String))]);
}
