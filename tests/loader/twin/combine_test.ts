import { assert, assertEquals } from "@std/assert";
import { knownProfiles } from "../../../loader/requirements/profiles/profile_set.ts";
import { isAsGood, limitTypeOf } from "../../../loader/requirements/profiles/struct_demands.ts";
import { evaluateProfile } from "../../../loader/requirements/profiles/evaluate.ts";
import { readProfiles } from "../../../loader/requirements/profiles/profile.ts";
import { combineModels } from "../../../loader/twin/combine_models.ts";
import { modelDifferences } from "../../../loader/twin/model_differences.ts";
import { parseJson, readSource } from "../../../loader/twin/read_source.ts";
import { profileFileOf } from "../../../loader/twin/write_profile.ts";
import { vkjsonOf } from "../../../loader/twin/write_vkjson.ts";
import { vkjson } from "../../../loader/vkjson/vkjson.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { madeReports } from "./made_reports.ts";

const BOTH = needs("Mesa lavapipe, SwiftShader and ANGLE", lavapipePath() && swiftshaderPath());

function drivers() {
  return [lavapipePath()!, swiftshaderPath()!].map((driver) => readSource(vkjson({ driver })));
}

Deno.test("what devices have in common, each has; what any has, none exceeds", BOTH, () => {
  const models = drivers(), common = combineModels(models, "common"), either = combineModels(models, "either");
  let compared = 0;
  for (const model of models) {
    for (const name of common.extensions.keys()) assert(model.extensions.has(name), name);
    for (const name of model.extensions.keys()) assert(either.extensions.has(name), name);
    const pairs = [[common, model], [model, either]] as const;
    for (const [less, more] of pairs) {
      const [low, high] = [less, more].map(({ structs }) =>
        structs.get("VkPhysicalDeviceProperties")!.limits
      ) as Record<string, unknown>[];
      for (const [name, value] of Object.entries(low)) {
        const how = limitTypeOf("VkPhysicalDeviceLimits", name).filter((word) => word !== "mul" && word !== "pot");
        if (how.length > 0) assert(isAsGood(high[name], value, how), `${name}: ${value} and ${high[name]}`);
        compared++;
      }
      for (const [format, { optimalTilingFeatures: bits }] of less.formats) {
        assertEquals(bits & ~(more.formats.get(format)?.optimalTilingFeatures ?? 0n), 0n);
      }
    }
  }
  assert(compared > 400);
});

Deno.test("a combination of a device with itself is the device, in each order", BOTH, () => {
  const [one, other] = drivers();
  for (const how of ["common", "either"] as const) {
    const same = combineModels([one, one], how);
    const differences = modelDifferences({
      ...one,
      memory: undefined,
      instanceVersion: undefined,
      fences: undefined,
      semaphores: undefined,
    }, same);
    assertEquals(differences.map(({ path }) => path), ["structs.VkPhysicalDeviceProperties.deviceName"]);
    const [forth, back] = [combineModels([one, other], how), combineModels([other, one], how)];
    assertEquals(new Map([...forth.formats].sort()), new Map([...back.formats].sort()));
    assertEquals([...forth.extensions.keys()].sort(), [...back.extensions.keys()].sort());
  }
});

Deno.test("a device written as a profile reads back as the same demands, and the device meets them", BOTH, () => {
  for (const model of drivers()) {
    const text = JSON.stringify(profileFileOf(model)), file = parseJson(text) as object, read = readSource(file);
    assertEquals(read.unread, []);
    const told = modelDifferences({ ...read, structs: withoutNames(read.structs) }, model);
    assertEquals(told.filter(({ path }) => !/^instance|apiVersion/.test(path)), []);
    assertEquals(read.formats.size, model.formats.size);
    const [profile] = readProfiles(file, "made"), all = [...model.extensions, ...model.instanceExtensions];
    const report = evaluateProfile(profile, {
      apiVersion: profile.apiVersion,
      extensions: new Map(all),
      struct: (name: string) => model.structs.get(name),
      format: (format: number) => model.formats.get(format)!,
      queueFamilies: model.queueFamilies!,
    } as never, () => profile);
    assertEquals([report.misses, report.asked > 500], [[], true]);
  }
});

function withoutNames(structs: ReadonlyMap<string, Record<string, unknown>>): Map<string, Record<string, unknown>> {
  const { deviceName: _, apiVersion: _v, ...properties } = structs.get("VkPhysicalDeviceProperties")!;
  return new Map([...structs, ["VkPhysicalDeviceProperties", properties]]);
}

Deno.test("a source written as vkjson reads back as the same facts", () => {
  const sources = [...knownProfiles().keys(), ...madeReports().map(([, report]) => report)];
  for (const source of sources) {
    const model = readSource(source), written = { devices: [vkjsonOf(model)] };
    const read = readSource(JSON.parse(JSON.stringify(written)));
    const { instanceExtensions: _, instanceVersion: _v, ...told } = model;
    assertEquals(modelDifferences({ ...told, instanceExtensions: new Map() }, read), [], model.origin);
  }
});
