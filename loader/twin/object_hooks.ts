import { peek64 } from "../../ffi/machine.ts";
import { structAt, type StructObject, structsAt } from "../codec/codec.ts";
import {
  VK_ERROR_FORMAT_NOT_SUPPORTED,
  VK_ERROR_TOO_MANY_OBJECTS,
  VK_FORMAT_UNDEFINED,
  VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_3D,
} from "../gen/enums_core_gen.js";
import type { AnyHook } from "../layer.ts";
import { isSupported } from "../layers/shipped/limits/image_formats.ts";
import { aspectsOf, formatOf } from "../texels/format.ts";
import { shownValue } from "../requirements/profiles/registry_names.ts";
import { PIPELINE_RULES } from "./descriptor_limits.ts";
import { firstBeyond, LIMIT_RULES, limitOf, type LimitRule, refuseBeyond } from "./limit_rules.ts";
import type { Twin } from "./twin.ts";

type Hooks = Record<string, AnyHook>;

/** Returns why an object cannot be created, as a VkResult that was told; `undefined` if it can. */
type Refusal = (info: StructObject, device: bigint) => number | undefined;

/** Makes the hooks that refuse objects which the device could not have. Commands without a limit in the model have none. */
export function objectHooks(twin: Twin): Hooks {
  const hooks = limitHooks(twin);
  const also = (command: string, struct: string, refusal: Refusal) => {
    const hook = hooks[command], own = createHook(struct, refusal);
    hooks[command] = hook ? (next, ...args) => own((...rest) => hook(next, ...rest), ...args) : own;
  };
  also("vkCreateImage", "VkImageCreateInfo", (info) => imageRefusal(twin, info));
  also("vkCreateImageView", "VkImageViewCreateInfo", (info) => viewRefusal(twin, "vkCreateImageView", info, TILINGS));
  also(
    BUFFER_VIEW,
    "VkBufferViewCreateInfo",
    (info, device) => viewRefusal(twin, BUFFER_VIEW, info, BUFFERS) ?? texelRefusal(twin, device, info),
  );
  also("vkCreatePipelineLayout", "VkPipelineLayoutCreateInfo", (info, device) => layoutRefusal(twin, device, info));
  return { ...hooks, ...bufferHooks(twin, hooks.vkCreateBuffer), ...samplerHooks(twin, hooks.vkCreateSampler) };
}

function createHook(struct: string, refusal: Refusal): AnyHook {
  return (next, device, info, ...rest) => refusal(structAt(struct, info), device) ?? next(device, info, ...rest);
}

/** Makes a hook for each command with limits that the model has. */
function limitHooks(twin: Twin): Hooks {
  const rules = LIMIT_RULES.filter((rule) => limitOf(twin, rule) !== undefined);
  return Object.fromEntries(
    Array.from(Map.groupBy(rules, ({ command }) => command), ([command, rules]) => [command, limitHook(twin, rules)]),
  );
}

/** Commands for several pipelines have a cache and a count before the create infos. */
function limitHook(twin: Twin, rules: readonly LimitRule[]): AnyHook {
  const [{ command, struct }] = rules, isMany = command.endsWith("Pipelines");
  const refusal = (infos: readonly StructObject[]) => {
    for (const info of infos) {
      const beyond = firstBeyond(twin, rules, info);
      if (beyond) return refuseBeyond(twin, command, beyond);
    }
  };
  return isMany
    ? (next, device, cache, count, infos, ...rest) =>
      refusal(structsAt(struct, infos, count)) ?? next(device, cache, count, infos, ...rest)
    : createHook(struct, (info) => refusal([info]));
}

/** Images of formats outside Vulkan have no VkFormat. */
function imageRefusal(twin: Twin, info: StructObject): number | undefined {
  const { format, imageType: type, tiling, usage, flags } = info as Readonly<Record<string, number>>;
  const asked = { format, type, tiling, usage, flags };
  const refuse = (fact: string, sentence: string) =>
    twin.refuse("vkCreateImage", VK_ERROR_FORMAT_NOT_SUPPORTED, [fact], sentence);
  if (format !== VK_FORMAT_UNDEFINED && !isSupported(twin.answers, asked)) {
    const name = shownValue("VkFormat", format), tilingName = shownValue("VkImageTiling", tiling);
    return refuse(name, `${name} with ${tilingName} cannot have the usage ${shownValue("VkImageUsageFlags", usage)}`);
  }
  for (const [limit, taken] of sizesOf(info)) {
    const most = twin.limits[limit] as number | undefined;
    if (most !== undefined && taken > most) return refuse(limit, `${limit} is ${most}, and ${taken} was asked for`);
  }
  return undefined;
}

/** Returns what an image takes of the limits on images. */
function sizesOf({ imageType, flags, extent, arrayLayers }: StructObject): [limit: string, taken: number][] {
  const { width, height, depth } = extent as Readonly<Record<string, number>>;
  const layers: [string, number] = ["maxImageArrayLayers", arrayLayers as number];
  if (imageType === VK_IMAGE_TYPE_1D) return [["maxImageDimension1D", width], layers];
  if (imageType === VK_IMAGE_TYPE_3D) return [["maxImageDimension3D", Math.max(width, height, depth)], layers];
  const size = Math.max(width, height), isCube = (Number(flags) & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) !== 0;
  return [
    ["maxImageDimension2D", size],
    ...isCube ? [["maxImageDimensionCube", size] as [string, number]] : [],
    layers,
  ];
}

const TILINGS = ["linearTilingFeatures", "optimalTilingFeatures"] as const, BUFFERS = ["bufferFeatures"] as const;

/** A view of a format that can be nothing of the kind is refused; which usage a view has, only its image knows. */
function viewRefusal(
  twin: Twin,
  command: string,
  { format }: StructObject,
  members: readonly (typeof TILINGS[number] | typeof BUFFERS[number])[],
): number | undefined {
  const features = twin.answers.format(format as number);
  if (format === VK_FORMAT_UNDEFINED || !features || members.some((name) => features[name] !== 0n)) return undefined;
  const name = shownValue("VkFormat", format);
  return twin.refuse(command, VK_ERROR_FORMAT_NOT_SUPPORTED, [name], `${name} has no ${members.join(" or ")}`);
}

const BUFFER_VIEW = "vkCreateBufferView", ELEMENTS = "maxTexelBufferElements";
const WHOLE_SIZE = 0xffff_ffff_ffff_ffffn;

/** A view of the whole buffer has as many elements as the buffer has room for behind the offset. */
function texelRefusal(twin: Twin, device: bigint, { format, buffer, offset, range }: StructObject): number | undefined {
  const most = twin.limits[ELEMENTS] as number | undefined, size = twin.account(device)?.buffers.get(buffer as bigint);
  const bytes = range === WHOLE_SIZE ? (size ?? 0n) - (offset as bigint) : range as bigint;
  if (most === undefined || aspectsOf(format as number).length === 0) return undefined;
  const taken = Number(bytes / BigInt(formatOf(format as number).blockSize));
  return taken > most ? refuseBeyond(twin, BUFFER_VIEW, { limit: ELEMENTS, most, taken }) : undefined;
}

/** Follows the sizes of buffers, where a limit on their views needs them. */
function bufferHooks(twin: Twin, create: AnyHook | undefined): Hooks {
  if (twin.limits[ELEMENTS] === undefined) return {};
  const followed: AnyHook = (next, device, info, allocator, out) => {
    const result = create ? create(next, device, info, allocator, out) : next(device, info, allocator, out);
    if (result >= 0) {
      twin.account(device)?.buffers.set(peek64(out), structAt("VkBufferCreateInfo", info).size as bigint);
    }
    return result;
  };
  return {
    vkCreateBuffer: followed,
    vkDestroyBuffer(next, device, buffer, allocator) {
      next(device, buffer, allocator);
      twin.account(device)?.buffers.delete(buffer);
    },
  };
}

/** Compares the descriptors of all layouts. Layouts that are older than the twin's layer count nothing. */
function layoutRefusal(twin: Twin, device: bigint, { pSetLayouts }: StructObject): number | undefined {
  const known = twin.account(device)?.layouts;
  const layouts = ((pSetLayouts ?? []) as bigint[]).flatMap((handle) => known?.get(handle) ?? []);
  const beyond = firstBeyond(twin, PIPELINE_RULES, layouts);
  return beyond && refuseBeyond(twin, "vkCreatePipelineLayout", beyond);
}

/** Counts samplers. */
function samplerHooks(twin: Twin, create: AnyHook | undefined): Hooks {
  const most = twin.limits.maxSamplerAllocationCount as number | undefined;
  if (most === undefined) return {};
  const counted: AnyHook = (next, device, ...rest) => {
    const account = twin.account(device);
    if (account && account.samplers >= most) {
      const sentence = `maxSamplerAllocationCount is ${most}`;
      return twin.refuse("vkCreateSampler", VK_ERROR_TOO_MANY_OBJECTS, ["maxSamplerAllocationCount"], sentence);
    }
    const result = create ? create(next, device, ...rest) : next(device, ...rest);
    if (account && result >= 0 && peek64(rest[2]) !== 0n) account.samplers++;
    return result;
  };
  return {
    vkCreateSampler: counted,
    vkDestroySampler(next, device, sampler, allocator) {
      next(device, sampler, allocator);
      const account = twin.account(device);
      if (account && sampler !== 0n) account.samplers--;
    },
  };
}
