import { assert, assertEquals } from "@std/assert";
import type { StructObject } from "../../../loader/codec/codec.ts";
import { type Layout, layoutOf, nameOfSType } from "../../../loader/codec/layout/layout.ts";
import { allExtensions } from "../../../loader/command/registry/extension.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { ENUM_NAMES } from "../../../loader/gen/enum_names_gen.js";
import { placesOf } from "../../../loader/layers/define/device_changes.ts";
import { isFeatures } from "../../../loader/layers/shipped/limits/settings.ts";
import { VulkanError } from "../../../loader/mod.ts";
import { isOrdered, wordsOf } from "../../../loader/twin/combine.ts";
import * as vk from "../../../loader/vk.ts";
import {
  type Ask,
  DEVICE_EXTENSIONS,
  FEATURES,
  fullModel,
  fullStruct,
  PROPERTIES,
  QUEUES,
  SOME,
  some,
  STRUCTS,
  type Structs,
  Whole,
} from "./whole.ts";

function flagsOf({ fields }: Layout): string[] {
  return fields.filter(({ kind }) => kind === "bool").map(({ name }) => name);
}

/** The places that tell a fact, with the one itself. */
function places(struct: string, member: string): { struct: string; name: string }[] {
  const all = placesOf(struct, member).filter((place) => STRUCTS.includes(place.struct));
  return all.length > 0 ? [...all] : [{ struct, name: member }];
}

/** Changes a member at all places that tell the fact: a source tells the same everywhere. */
function put(structs: Structs, where: readonly { struct: string; name: string }[], value: unknown): void {
  // only the first place says so; the others say nothing, and must follow
  where.forEach(({ struct, name }, index) => {
    const { [name]: _, ...rest } = structs.get(struct)!;
    structs.set(struct, index === 0 ? { ...rest, [name]: value } : rest);
  });
}

Deno.test("each feature of the registry, lowered alone, is false at each place that tells it and refused at each place that enables it", () => {
  using whole = new Whole();
  let reads = 0, refusals = 0;
  const structs = [FEATURES, ...STRUCTS.filter(isFeatures)];
  const found = structs.flatMap((struct) => flagsOf(layoutOf(struct)).map((member) => places(struct, member)));
  const all = new Map(found.map((where) => [where.map((place) => `${place.struct}.${place.name}`).join(), where]));
  const chosen = some([...all]);
  for (const [key, where] of chosen) {
    whole.under(fullModel((structs) => put(structs, where, false)), () => {
      for (const place of where) {
        for (const values of whole.structs(place.struct)) {
          const no = flagsOf(layoutOf(place.struct)).filter((name) => values[name] !== true);
          assertEquals(no, [place.name], `${place.struct} of ${key}`);
          reads++;
        }
        const enabled = { [place.name]: true };
        const info = place.struct === FEATURES
          ? [{ pEnabledFeatures: enabled }, {
            pNext: [{ sType: vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, features: enabled }],
          }]
          : [{ pNext: [{ sType: layoutOf(place.struct).sType, ...enabled }] }];
        for (const each of info) {
          assertEquals(whole.create(each), -8, `${place.struct}.${place.name}`);
          refusals++;
        }
      }
    });
  }
  console.log(`${chosen.length} of ${all.size} features, seen lowered at ${reads} places, refused at ${refusals}`);
  assert(all.size > 500 && reads > chosen.length && refusals >= chosen.length);
});

/** The members of a struct of which one value is better than another, with the path to them. */
function orderedMembers(struct: string, path: readonly string[] = []): { path: string[]; words: readonly string[] }[] {
  return layoutOf(struct).fields.flatMap((field) => {
    const words = wordsOf(struct, field), here = [...path, field.name];
    if (field.stars > 0 || field.dims.length > 0) return [];
    if (field.kind === "struct") return orderedMembers(field.type, here);
    return isOrdered(words, field) && field.kind !== "bool" ? [{ path: here, words }] : [];
  });
}

function at(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as StructObject)[name], values);
}

function changed(values: StructObject, [name, ...rest]: readonly string[], value: unknown): StructObject {
  return { ...values, [name]: rest.length > 0 ? changed(values[name] as StructObject, rest, value) : value };
}

Deno.test("each limit of the registry, lowered alone, is seen lowered at each place that tells it", () => {
  using whole = new Whole();
  let reads = 0;
  const structs = [PROPERTIES, ...STRUCTS.filter((name) => !isFeatures(name))];
  const all = structs.flatMap((struct) => orderedMembers(struct).map((member) => ({ struct, ...member }))),
    chosen = some(all);
  for (const { struct, path, words } of chosen) {
    const before = at(fullStruct(struct), path) as number | bigint, worse = words.includes("min") ? 128 : 32;
    const value = typeof before === "bigint" ? BigInt(worse) : worse;
    const where = path.length === 1 ? places(struct, path[0]) : [{ struct, name: path[0] }];
    const model = fullModel((structs) =>
      path.length === 1 ? put(structs, where, value) : structs.set(struct, changed(structs.get(struct)!, path, value))
    );
    whole.under(model, () => {
      for (const place of where) {
        for (const values of whole.structs(place.struct)) {
          assertEquals(
            BigInt(at(values, path.length === 1 ? [place.name] : path) as number),
            BigInt(value),
            `${place.struct}.${path.join(".")}`,
          );
          reads++;
        }
      }
    });
  }
  console.log(`${chosen.length} of ${all.length} limits, seen lowered at ${reads} places`);
  assert(all.length > 200 && reads >= 2 * chosen.length);
});

Deno.test("each extension of the registry, taken away alone, is listed nowhere, leaves its structs alone, and has no commands", () => {
  using whole = new Whole();
  let lists = 0, structs = 0, commands = 0;
  const chosen = some(DEVICE_EXTENSIONS);
  for (const { name, structs: own, commands: added } of chosen) {
    const model = fullModel(), extensions = new Map(model.extensions);
    extensions.delete(name);
    const others = DEVICE_EXTENSIONS.filter((each) => each.name !== name);
    const core = allExtensions().filter(({ kind }) => kind !== "device");
    whole.under({ ...model, extensions }, () => {
      const listed = whole.gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
      assertEquals(listed.filter((each) => each === name), []);
      assertEquals(listed.length, others.length);
      assertEquals(whole.create({ ppEnabledExtensionNames: [name] }), -7, name);
      lists++;
      for (const { sType } of own) {
        const struct = nameOfSType(sType)!,
          isShared = others.some((each) => each.structs.some((other) => other.sType === sType));
        if (!STRUCTS.includes(struct) || isShared || isCore(struct)) continue;
        for (const values of whole.structs(struct)) {
          assert(!Object.values(values).includes(true) && !Object.values(values).includes(SOME), struct);
        }
        structs++;
      }
      using device = whole.gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, ppEnabledExtensionNames: listed });
      const elsewhere = new Set([...others, ...core].flatMap((each) => each.commands));
      for (const command of added) {
        if (findCommand(command)?.level !== "device" || elsewhere.has(command)) continue;
        assertEquals(device.vkGetDeviceProcAddr(command), 0n, command);
        commands++;
      }
    });
  }
  console.log(
    `${lists} of ${DEVICE_EXTENSIONS.length} extensions hidden, ${structs} structs left alone, ${commands} commands without an address`,
  );
  assert(lists === chosen.length && structs > 5 && commands > 5);
});

/** Whether a version has all that a struct tells. */
function isCore(struct: string): boolean {
  const { fields } = layoutOf(struct);
  return fields.slice(2).every(({ name }) => placesOf(struct, name).some((place) => /Vulkan1\d/.test(place.struct)));
}

/** Every VkFormat of the registry. */
function formatsOfRegistry(): number[] {
  const line = ENUM_NAMES.slice(ENUM_NAMES.indexOf(" VkFormat "));
  const values = line.slice(line.indexOf(" : ") + 3, line.indexOf("\n")).matchAll(/=(\d+)/g);
  return [...new Set(Array.from(values, ([, value]) => Number(value)))].filter((value) => value > 0);
}

Deno.test("each format of the registry, taken away alone, has no features in any query, and no image", () => {
  using whole = new Whole();
  const formats = formatsOfRegistry(), { gpu } = whole;
  const all = { linearTilingFeatures: 0xffn, optimalTilingFeatures: 0xffn, bufferFeatures: 0xffn };
  const known = new Map(formats.map((format) => [format, all])), queries = gpu as unknown as Record<string, Ask>;
  let answers = 0;
  const chosen = some(formats);
  for (const format of chosen) {
    const others = new Map(known);
    others.delete(format);
    whole.under({ ...fullModel(), formats: others, hasAllFormats: true }, () => {
      const next = formats[(formats.indexOf(format) + 1) % formats.length];
      assertEquals(gpu.vkGetPhysicalDeviceFormatProperties(next as never).bufferFeatures, 0xff);
      const none = [0, 0, 0], values = (given: object) => Object.values(given).map(Number);
      assertEquals(values(gpu.vkGetPhysicalDeviceFormatProperties(format as never)), none);
      for (const suffix of ["2", "2KHR"]) {
        const answer = queries[`vkGetPhysicalDeviceFormatProperties${suffix}`](format, [{
          sType: vk.VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3,
        }]);
        assertEquals(values(answer.formatProperties), none);
        const { linearTilingFeatures, optimalTilingFeatures, bufferFeatures } = answer.pNext[0];
        assertEquals(values({ linearTilingFeatures, optimalTilingFeatures, bufferFeatures }), none);
        const info = { format, type: 1, tiling: 0, usage: 4, flags: 0 };
        assertEquals(resultOf(() => queries[`vkGetPhysicalDeviceImageFormatProperties${suffix}`](info, [])), -11);
      }
      assertEquals(resultOf(() => gpu.vkGetPhysicalDeviceImageFormatProperties(format as never, 1, 0, 4, 0)), -11);
      assertEquals(gpu.vkGetPhysicalDeviceSparseImageFormatProperties(format as never, 1, 1, 4, 0).length, 0);
      using device = gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES });
      const image = {
        imageType: 1,
        format,
        extent: { width: 1, height: 1, depth: 1 },
        mipLevels: 1,
        arrayLayers: 1,
        samples: 1,
        tiling: 0,
        usage: 4,
      };
      assertEquals(resultOf(() => device.vkCreateImage(image as never)), -11);
      answers += 8;
    });
  }
  console.log(`${chosen.length} of ${formats.length} formats, without features in ${answers} answers`);
  assert(formats.length > 200);
});

function resultOf(call: () => unknown): number {
  try {
    call();
    return 0;
  } catch (error) {
    if (error instanceof VulkanError) return error.code;
    throw error;
  }
}
