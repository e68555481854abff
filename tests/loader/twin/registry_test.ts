import { assert, assertEquals } from "@std/assert";
import { copyFromArena, poke32 } from "../../../ffi/machine.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { codec, structNames, type StructObject } from "../../../loader/codec/codec.ts";
import { type Layout, layoutOf, nameOfSType } from "../../../loader/codec/layout/layout.ts";
import { allExtensions } from "../../../loader/command/registry/extension.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { ENUM_NAMES } from "../../../loader/gen/enum_names_gen.js";
import { placesOf } from "../../../loader/layers/define/device_changes.ts";
import { isFeatures } from "../../../loader/layers/shipped/limits/settings.ts";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import { isOrdered, wordsOf } from "../../../loader/twin/combine.ts";
import { twinOf } from "../../../loader/twin/device_twin.ts";
import { type DeviceModel, makeModel } from "../../../loader/twin/model.ts";
import type { VkInstance, VkPhysicalDevice } from "../../../loader/types.ts";
import * as vk from "../../../loader/vk.ts";
import { count } from "../../support/counts.ts";

type Structs = Map<string, StructObject>;
// deno-lint-ignore no-explicit-any -- all queries of a kind are called alike
type Ask = (...args: any[]) => any;

const QUEUES = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
const FEATURES = "VkPhysicalDeviceFeatures", PROPERTIES = "VkPhysicalDeviceProperties";
const DEVICE_EXTENSIONS = allExtensions().filter(({ kind }) => kind === "device");
/** All structs that a device of the newest version with all extensions answers. */
const STRUCTS = [
  ...new Set([
    ...structNames().filter((name) =>
      /^VkPhysicalDevice(Vulkan1\d|ProtectedMemory|Subgroup)(Features|Properties)$/.test(name)
    ),
    ...allExtensions().flatMap(({ structs }) => structs.map(({ sType }) => nameOfSType(sType)!)),
  ]),
].filter((name) => /Features|Properties/.test(name) && !ofOtherQueries(name));

/** Structs of extensions that belong to other queries than those for features and properties. */
function ofOtherQueries(name: string): boolean {
  return /MemoryBudget|ExternalMemoryHost$|ToolProp|FormatProp|^VkQueue|SparseImage|^Vk(?!PhysicalDevice)/.test(name);
}

function flagsOf({ fields }: Layout): string[] {
  return fields.filter(({ kind }) => kind === "bool").map(({ name }) => name);
}

/** A number that can be lowered and raised, whichever is worse. */
const SOME = 64;

/** A struct in which every feature is true, and every number 64. */
function fullStruct(name: string): StructObject {
  const values: StructObject = {};
  for (const { name: member, kind, type, dims, stars } of layoutOf(name).fields) {
    if (stars > 0 || member === "sType" || member === "pNext" || kind === "str") continue;
    const one = kind === "struct"
      ? fullStruct(type)
      : kind === "bool"
      ? true
      : kind.includes("64") || kind === "usize"
      ? BigInt(SOME)
      : SOME;
    values[member] = dims.reduceRight<unknown>((value, length) => Array(length).fill(value), one);
  }
  return values;
}

function fullStructs(): Structs {
  return new Map([FEATURES, PROPERTIES, ...STRUCTS].map((name) => [name, fullStruct(name)]));
}

/** The device of the newest version with all extensions and features. */
function fullModel(change: (structs: Structs) => void = () => {}): DeviceModel {
  const structs = fullStructs();
  structs.set(PROPERTIES, { ...structs.get(PROPERTIES), apiVersion: vk.VK_API_VERSION_1_4 });
  change(structs);
  return makeModel({
    origin: "the whole registry",
    structs,
    extensions: new Map(DEVICE_EXTENSIONS.map(({ name, specVersion }) => [name, specVersion])),
  });
}

/** Some of a list, evenly spread; in continuous integration all, each of which has rules of its own in the registry. */
function some<T>(all: readonly T[]): T[] {
  const step = Math.ceil(all.length / count(24, all.length));
  return all.filter((_, index) => index % step === 0);
}

/** A physical device that has everything, under a twin. */
class Whole implements Disposable {
  readonly #driver = defineDriver({
    name: "everything",
    apiVersion: vk.VK_API_VERSION_1_4,
    instanceExtensions: ["VK_KHR_get_physical_device_properties2"],
    physicalDevices: [{
      properties: { ...fullStruct(PROPERTIES), apiVersion: vk.VK_API_VERSION_1_4 } as never,
      features: fullStruct(FEATURES) as never,
      extensions: DEVICE_EXTENSIONS.map(({ name }) => name),
      chain: STRUCTS.map((name) => ({ sType: layoutOf(name).sType, ...fullStruct(name) })) as never,
    }],
    commands: formatCommands(),
  });
  readonly #vulkan = loadVulkan({ driver: this.#driver });
  readonly #instance: VkInstance = this.#vulkan.vkCreateInstance({
    pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_4 },
    ppEnabledExtensionNames: ["VK_KHR_get_physical_device_properties2"],
  });
  readonly gpu: VkPhysicalDevice = this.#instance.vkEnumeratePhysicalDevices()[0];

  /** Runs something with a twin above. */
  under(model: DeviceModel, use: () => void): void {
    const { layer } = twinOf(model, { strictness: "used", log: () => {} });
    this.#instance.attach(layer);
    use();
    this.#instance.detach(layer);
  }

  /** A struct as a chain of each of the two spellings of a query tells it. */
  structs(name: string): StructObject[] {
    const what = isFeatures(name) ? "Features2" : "Properties2", gpu = this.gpu as unknown as Record<string, Ask>;
    const inner = what === "Features2" ? "features" : "properties";
    const [one, two] = ["", "KHR"].map((suffix) =>
      gpu[`vkGetPhysicalDevice${what}${suffix}`](
        name === FEATURES || name === PROPERTIES ? [] : [{ sType: layoutOf(name).sType }],
      )
    );
    if (name !== FEATURES && name !== PROPERTIES) return [one.pNext[0], two.pNext[0]];
    return [one[inner], two[inner], gpu[`vkGetPhysicalDevice${what.slice(0, -1)}`]()];
  }

  /** The result of creating a device. */
  create(info: object): number {
    try {
      this.gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, ...info } as never).close();
      return 0;
    } catch (error) {
      if (error instanceof VulkanError) return error.code;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#instance.close();
    this.#vulkan.close();
    this.#driver.close();
  }
}

/** Every format has all features, and every image of them is possible. */
function formatCommands() {
  const fill = (struct: string, to: bigint) =>
    inFrame((memory) => {
      const { size } = codec(struct), at = memory.alloc(size);
      memory.bytes.fill(0xff, at, at + size);
      copyFromArena(to, at, size);
    });
  const two: Ask = (_next, _gpu, _format, out) => fill("VkFormatProperties", out + 16n);
  const images2: Ask = (_next, _gpu, _info, out) => (fill("VkImageFormatProperties", out + 16n), 0);
  return {
    vkGetPhysicalDeviceFormatProperties: (_next: unknown, _gpu: bigint, _format: number, out: bigint) =>
      fill("VkFormatProperties", out),
    vkGetPhysicalDeviceFormatProperties2: two,
    vkGetPhysicalDeviceFormatProperties2KHR: two,
    vkGetPhysicalDeviceImageFormatProperties:
      ((...args: bigint[]) => (fill("VkImageFormatProperties", args.at(-1)!), 0)) as never,
    vkGetPhysicalDeviceImageFormatProperties2: images2,
    vkGetPhysicalDeviceImageFormatProperties2KHR: images2,
    vkGetPhysicalDeviceSparseImageFormatProperties: ((...args: bigint[]) => poke32(args.at(-2)!, 1)) as never,
  };
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
