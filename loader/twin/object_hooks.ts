import { peek64 } from "../../ffi/machine.ts";
import { structAt, type StructObject, structsAt } from "../codec/codec.ts";
import {
  VK_ERROR_FORMAT_NOT_SUPPORTED,
  VK_ERROR_OUT_OF_DEVICE_MEMORY,
  VK_ERROR_TOO_MANY_OBJECTS,
  VK_ERROR_UNKNOWN,
  VK_FORMAT_UNDEFINED,
  VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_3D,
} from "../gen/enums_core_gen.js";
import type { AnyHook } from "../layer.ts";
import { isSupported } from "../layers/shipped/limits/image_formats.ts";
import { shownValue } from "../requirements/profiles/registry_names.ts";
import { LIMIT_RULES, type LimitRule } from "./limit_rules.ts";
import type { Twin } from "./twin.ts";

type Hooks = Record<string, AnyHook>;

/** Returns why an object cannot be created, as a VkResult that was told; `undefined` if it can. */
type Refusal = (info: StructObject) => number | undefined;

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
    "vkCreateBufferView",
    "VkBufferViewCreateInfo",
    (info) => viewRefusal(twin, "vkCreateBufferView", info, BUFFERS),
  );
  return { ...hooks, ...samplerHooks(twin, hooks.vkCreateSampler) };
}

function createHook(struct: string, refusal: Refusal): AnyHook {
  return (next, device, info, ...rest) => refusal(structAt(struct, info)) ?? next(device, info, ...rest);
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
      for (const rule of rules) {
        const result = limitRefusal(twin, rule, info);
        if (result !== undefined) return result;
      }
    }
  };
  return isMany
    ? (next, device, cache, count, infos, ...rest) =>
      refusal(structsAt(struct, infos, count)) ?? next(device, cache, count, infos, ...rest)
    : createHook(struct, (info) => refusal([info]));
}

function limitOf(twin: Twin, { properties, limit }: LimitRule): number | bigint | undefined {
  const values = properties === "VkPhysicalDeviceLimits" ? twin.limits : twin.properties(properties);
  return values[limit] as number | bigint | undefined;
}

function limitRefusal(twin: Twin, rule: LimitRule, info: StructObject): number | undefined {
  const limit = limitOf(twin, rule)!, taken = rule.taken(info);
  if (taken <= limit) return undefined;
  const result = rule.limit === "maxBufferSize" ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_UNKNOWN;
  return twin.refuse(rule.command, result, [rule.limit], `${rule.limit} is ${limit}, and ${taken} was asked for`);
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
