import { assert, assertEquals } from "@std/assert";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import { placesOf } from "../../../loader/layers/define/device_changes.ts";
import { VulkanError } from "../../../loader/mod.ts";
import { PIPELINE_RULES, SET_RULES } from "../../../loader/twin/descriptor_limits.ts";
import { LIMIT_RULES } from "../../../loader/twin/limit_rules.ts";
import type { VkDevice } from "../../../loader/types.ts";
import * as vk from "../../../loader/vk.ts";
import { fullModel, PROPERTIES, QUEUES, some, type Structs, Whole } from "./whole.ts";

// deno-lint-ignore no-explicit-any -- create infos of all kinds
type Any = any;
/** Uses as much of a limit as a number says. */
type Use = (device: Any, amount: number) => unknown;

const CORE = "VkPhysicalDeviceLimits", LOW = 8;

const image = (more: Any): Any => ({
  imageType: vk.VK_IMAGE_TYPE_2D,
  format: vk.VK_FORMAT_R8G8B8A8_UNORM,
  mipLevels: 1,
  arrayLayers: 1,
  samples: 1,
  tiling: vk.VK_IMAGE_TILING_OPTIMAL,
  usage: vk.VK_IMAGE_USAGE_SAMPLED_BIT,
  ...more,
  extent: { width: 1, height: 1, depth: 1, ...more.extent },
});
/** A dynamic state of an extension lets a pipeline leave out the other states. */
const pDynamicState = { pDynamicStates: [vk.VK_DYNAMIC_STATE_CULL_MODE] };
const pipeline = (device: Any, info: Any) => device.vkCreateGraphicsPipelines(0n, [{ pDynamicState, ...info }]);
const many = (count: number, make: (index: number) => Any) => Array.from({ length: count }, (_, index) => make(index));
const vertex = (info: Any) => ({ pVertexInputState: { pVertexBindingDescriptions: [], ...info } });
const viewport = (size: Any) => ({
  pViewportState: { viewportCount: 1, pViewports: [{ width: 1, height: 1, ...size }], scissorCount: 1 },
});
const rendering = (info: Any) => ({ pNext: [{ sType: vk.VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, ...info }] });
/** A mask of views whose highest view is the last of some. */
const mask = (views: number) => 2 ** (views - 1);

/** The descriptor types of a limit, by words in its name: an oracle of its own, from the specification's text. */
const TYPES: readonly (readonly [word: RegExp, types: readonly number[]])[] = [
  [/Samplers$/, [0, 1]],
  [/UniformBuffersDynamic$/, [8]],
  [/StorageBuffersDynamic$/, [9]],
  [/UniformBuffers$/, [6, 8]],
  [/StorageBuffers$/, [7, 9]],
  [/SampledImages$/, [1, 2, 4]],
  [/StorageImages$/, [3, 5]],
  [/InputAttachments$/, [10]],
  [/InlineUniform/, [1000138000]],
  [/AccelerationStructures$/, [1000150000]],
  [/Resources$/, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [/maxPerSetDescriptors|maxPushDescriptors/, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
];

/** The places at which limits are used, by limit; `[n]` is an element of an array. */
const USES: Readonly<Record<string, readonly Use[]>> = {
  maxImageDimension1D: [(device, width) => device.vkCreateImage(image({ imageType: 0, extent: { width } }))],
  maxImageDimension2D: [
    (device, width) => device.vkCreateImage(image({ extent: { width } })),
    (device, height) => device.vkCreateImage(image({ extent: { height } })),
  ],
  maxImageDimension3D: [(device, depth) => device.vkCreateImage(image({ imageType: 2, extent: { depth } }))],
  maxImageDimensionCube: [
    (device, width) =>
      device.vkCreateImage(image({ flags: vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT, extent: { width }, arrayLayers: 6 })),
  ],
  maxImageArrayLayers: [(device, arrayLayers) => device.vkCreateImage(image({ arrayLayers }))],
  maxTexelBufferElements: [vk.VK_WHOLE_SIZE, undefined].map((whole): Use => (device, amount) => {
    const size = BigInt(4 * amount), usage = vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    const buffer = device.vkCreateBuffer({ size, usage });
    device.vkCreateBufferView({ buffer, format: vk.VK_FORMAT_R8G8B8A8_UNORM, offset: 0n, range: whole ?? size });
  }),
  maxPushConstantsSize: [
    (device, size) => device.vkCreatePipelineLayout({ pPushConstantRanges: [{ stageFlags: 1, offset: 0, size }] }),
  ],
  maxMemoryAllocationCount: [
    (device, amount) => many(amount, () => device.vkAllocateMemory({ allocationSize: 1n, memoryTypeIndex: 0 })),
  ],
  maxSamplerAllocationCount: [(device, amount) => many(amount, () => device.vkCreateSampler({}))],
  maxBoundDescriptorSets: [(device, amount) => {
    const set = device.vkCreateDescriptorSetLayout({ pBindings: [] });
    device.vkCreatePipelineLayout({ pSetLayouts: many(amount, () => set) });
  }],
  maxVertexInputAttributes: [
    (device, amount) =>
      pipeline(
        device,
        vertex({ pVertexAttributeDescriptions: many(amount, (location) => ({ location, format: 37 })) }),
      ),
    (device, amount) =>
      pipeline(device, vertex({ pVertexAttributeDescriptions: [{ location: amount - 1, format: 37 }] })),
  ],
  maxVertexInputBindings: [
    (device, amount) =>
      pipeline(device, vertex({ pVertexBindingDescriptions: many(amount, (binding) => ({ binding })) })),
    (device, amount) => pipeline(device, vertex({ pVertexBindingDescriptions: [{ binding: amount - 1 }] })),
  ],
  maxVertexInputAttributeOffset: [
    (device, offset) => pipeline(device, vertex({ pVertexAttributeDescriptions: [{ offset, format: 37 }] })),
  ],
  maxVertexInputBindingStride: [
    (device, stride) => pipeline(device, vertex({ pVertexBindingDescriptions: [{ stride }] })),
  ],
  maxVertexAttribDivisor: [(device, divisor) =>
    pipeline(
      device,
      vertex({
        pNext: [{
          sType: vk.VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO,
          pVertexBindingDivisors: [{ divisor }],
        }],
      }),
    )],
  maxTessellationPatchSize: [
    (device, patchControlPoints) =>
      pipeline(device, {
        pStages: [2, 4].map((stage) => ({ stage, module: 1n, pName: "main" })),
        pTessellationState: { patchControlPoints },
      }),
  ],
  maxComputeWorkGroupInvocations: [(device, amount) => compute(device, [amount, 1, 1])],
  "maxComputeWorkGroupSize[0]": [(device, amount) => compute(device, [amount, 1, 1])],
  "maxComputeWorkGroupSize[1]": [(device, amount) => compute(device, [1, amount, 1])],
  "maxComputeWorkGroupSize[2]": [(device, amount) => compute(device, [1, 1, amount])],
  maxSamplerLodBias: [(device, mipLodBias) => device.vkCreateSampler({ mipLodBias })],
  maxSamplerAnisotropy: [(device, maxAnisotropy) => device.vkCreateSampler({ anisotropyEnable: true, maxAnisotropy })],
  maxViewports: [(device, viewportCount) => pipeline(device, { pViewportState: { viewportCount, scissorCount: 1 } })],
  "maxViewportDimensions[0]": [(device, width) => pipeline(device, viewport({ width }))],
  "maxViewportDimensions[1]": [
    (device, height) => pipeline(device, viewport({ height })),
    (device, height) => pipeline(device, viewport({ height: -height })), // upside down
  ],
  ...Object.fromEntries(
    (["width", "height", "layers"] as const).map((name) => [
      `maxFramebuffer${name[0].toUpperCase()}${name.slice(1)}`,
      [
        ((device, amount) =>
          device.vkCreateFramebuffer({ renderPass: 1n, width: 1, height: 1, layers: 1, [name]: amount })) as Use,
      ],
    ]),
  ),
  maxColorAttachments: [
    (device, amount) =>
      device.vkCreateRenderPass({ pSubpasses: [{ pColorAttachments: many(amount, () => ({ layout: 2 })) }] }),
    (device, amount) =>
      device.vkCreateRenderPass2({ pSubpasses: [{ pColorAttachments: many(amount, () => ({ layout: 2 })) }] }),
    (device, amount) => pipeline(device, rendering({ pColorAttachmentFormats: many(amount, () => 37) })),
  ],
  maxMultiviewViewCount: [
    (device, views) =>
      device.vkCreateRenderPass({
        pNext: [{ sType: vk.VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO, pViewMasks: [mask(views)] }],
        pSubpasses: [{}],
      }),
    (device, views) => device.vkCreateRenderPass2({ pSubpasses: [{ viewMask: mask(views) }] }),
    (device, views) => pipeline(device, rendering({ viewMask: mask(views) })),
  ],
  maxBufferSize: [(device, size) => device.vkCreateBuffer({ size: BigInt(size), usage: 2 })],
  maxMemoryAllocationSize: [
    (device, size) => device.vkAllocateMemory({ allocationSize: BigInt(size), memoryTypeIndex: 0 }),
  ],
  ...Object.fromEntries([...PIPELINE_RULES, ...SET_RULES].map(({ limit }) => [limit, descriptorUses(limit)])),
};

/** All of a type in one binding, in two bindings of one stage, in two sets, and, for a whole set, in two stages. */
function descriptorUses(limit: string): Use[] {
  const flags = /UpdateAfterBind/.test(limit) ? 2 : /Push/.test(limit) ? 1 : 0,
    isOfSet = SET_RULES.some((rule) => rule.limit === limit);
  const isBytes = /InlineUniform(Total|BlockS)/.test(limit), isBlocks = !isBytes && /InlineUniform/.test(limit);
  const binding = (binding: number, descriptorType: number, descriptorCount: number, stageFlags = 0x10) => ({
    binding,
    descriptorType,
    descriptorCount,
    stageFlags,
  });
  const layout = (device: Any, ...pBindings: Any[]) => device.vkCreateDescriptorSetLayout({ flags, pBindings });
  const pipelineOf = (device: Any, ...pSetLayouts: Any[]) =>
    isOfSet ? undefined : device.vkCreatePipelineLayout({ pSetLayouts });
  const types = TYPES.find(([word]) => word.test(limit))![1];
  if (isBlocks) {
    return [
      (device, amount) => pipelineOf(device, layout(device, ...many(amount, (index) => binding(index, types[0], 4)))),
    ];
  }
  const single = types.map((type): Use => (device, amount) =>
    pipelineOf(device, layout(device, binding(0, type, amount)))
  );
  const last = types.at(-1)!;
  const split: Use = (device, amount) =>
    pipelineOf(device, layout(device, binding(0, types[0], amount - 1), binding(1, last, 1)));
  const twoSets: Use = (device, amount) =>
    pipelineOf(device, layout(device, binding(0, types[0], amount - 1)), layout(device, binding(0, last, 1)));
  const stages: Use = (device, amount) =>
    pipelineOf(device, layout(device, binding(0, types[0], amount - 1, 1), binding(1, last, 1, 0x10)));
  if (limit === "maxInlineUniformBlockSize") return single;
  return [...single, split, ...isOfSet ? [] : [twoSets], ...limit.includes("PerStage") ? [] : [stages]];
}

function compute(device: Any, size: number[]): void {
  const name = [0x6e69616d, 0],
    op = (number: number, ...words: number[]) => [(words.length + 1) << 16 | number, ...words];
  const code = [0x07230203, 0x10000, 0, 99, 0, ...op(15, 5, 4, ...name), ...op(16, 4, 17, ...size)]; // "main" of SPIR-V
  const module = device.vkCreateShaderModule({ pCode: Uint32Array.from(code) });
  device.vkCreateComputePipelines(0n, [{ stage: { stage: 0x20, module, pName: "main" } }]);
}

/** The struct of a limit: the first version's, or the struct of properties that a rule names. */
function structOf(limit: string): string {
  const rule = [...LIMIT_RULES, ...PIPELINE_RULES, ...SET_RULES].find((each) => each.limit === limit);
  return rule?.properties ?? (limit === "maxMemoryAllocationSize" ? "VkPhysicalDeviceMaintenance3Properties" : CORE);
}

/** Lowers a limit at each place that tells it. */
function lower(structs: Structs, limit: string): void {
  const struct = structOf(limit), [name, index] = limit.split(/[[\]]/);
  const low = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((each, at) => at === Number(index) ? LOW : each)
      : typeof value === "bigint"
      ? BigInt(LOW)
      : LOW;
  if (struct === CORE) {
    const properties = structs.get(PROPERTIES)!, limits = properties.limits as Any;
    structs.set(PROPERTIES, { ...properties, limits: { ...limits, [name]: low(limits[name]) } });
  }
  for (const place of struct === CORE ? [] : [{ struct, name }, ...placesOf(struct, name)]) {
    const values = structs.get(place.struct);
    if (values) structs.set(place.struct, { ...values, [place.name]: low(values[place.name]) });
  }
}

/** Calls something; returns the facts of the refusals, and whether the call failed. */
function refusals(
  twin: { refused: readonly { facts: readonly string[] }[] },
  call: () => unknown,
): [string[], boolean] {
  const before = twin.refused.length;
  let isError = false;
  try {
    call();
  } catch (error) {
    if (!(error instanceof VulkanError)) throw error;
    isError = true;
  }
  return [twin.refused.slice(before).flatMap(({ facts }) => facts), isError];
}

Deno.test("each limit that is enforced, lowered alone, is refused at each of its uses beyond the limit, and at none within", () => {
  using whole = new Whole();
  let uses = 0;
  const all = Object.entries(USES), chosen = some(all);
  for (const [limit, places] of chosen) {
    whole.under(fullModel((structs) => lower(structs, limit)), (twin) => {
      for (const use of places) {
        using device: VkDevice = whole.gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES });
        assertEquals(refusals(twin, () => use(device, LOW)), [[], false], `${limit} within`);
        using other = whole.gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES });
        assertEquals(refusals(twin, () => use(other, LOW + 1)), [[limit.replace(/(Size)\[.*/, "$1")], true], limit);
        uses++;
      }
    });
  }
  const rules = [...LIMIT_RULES, ...PIPELINE_RULES, ...SET_RULES].map(({ limit }) => limit);
  assertEquals(rules.filter((limit) => !Object.hasOwn(USES, limit)), []);
  console.log(`${chosen.length} of ${all.length} limits, refused at ${uses} uses`);
  assert(all.length > 70 && uses > 2 * chosen.length);
});

/** The limits of the first version that a twin only tells, by the reason. */
const ONLY_READ: Readonly<Record<string, string>> = {
  "a command without a result uses it, and a layer would have to read each call of a frame":
    "maxUniformBufferRange maxStorageBufferRange maxComputeWorkGroupCount maxDrawIndexedIndexValue maxDrawIndirectCount " +
    "viewportBoundsRange minUniformBufferOffsetAlignment minStorageBufferOffsetAlignment minTexelBufferOffsetAlignment",
  "only the code of shaders uses it":
    "maxVertexOutputComponents maxTessellationGenerationLevel maxTessellationControlPerVertexInputComponents " +
    "maxTessellationControlPerVertexOutputComponents maxTessellationControlPerPatchOutputComponents " +
    "maxTessellationControlTotalOutputComponents maxTessellationEvaluationInputComponents " +
    "maxTessellationEvaluationOutputComponents maxGeometryShaderInvocations maxGeometryInputComponents " +
    "maxGeometryOutputComponents maxGeometryOutputVertices maxGeometryTotalOutputComponents maxFragmentInputComponents " +
    "maxFragmentOutputAttachments maxFragmentDualSrcAttachments maxFragmentCombinedOutputResources " +
    "maxComputeSharedMemorySize minTexelOffset maxTexelOffset minTexelGatherOffset maxTexelGatherOffset " +
    "minInterpolationOffset maxInterpolationOffset maxSampleMaskWords maxClipDistances maxCullDistances " +
    "maxCombinedClipAndCullDistances",
  "formats decide, and only the driver knows which":
    "framebufferColorSampleCounts framebufferDepthSampleCounts framebufferStencilSampleCounts " +
    "framebufferNoAttachmentsSampleCounts sampledImageColorSampleCounts sampledImageIntegerSampleCounts " +
    "sampledImageDepthSampleCounts sampledImageStencilSampleCounts storageImageSampleCounts",
  "it says how exact or how fast something is, and forbids nothing":
    "subPixelPrecisionBits subTexelPrecisionBits mipmapPrecisionBits viewportSubPixelBits minMemoryMapAlignment " +
    "subPixelInterpolationOffsetBits timestampComputeAndGraphics timestampPeriod discreteQueuePriorities pointSizeRange " +
    "lineWidthRange pointSizeGranularity lineWidthGranularity strictLines standardSampleLocations " +
    "optimalBufferCopyOffsetAlignment optimalBufferCopyRowPitchAlignment nonCoherentAtomSize bufferImageGranularity",
  "drivers below have no sparse memory": "sparseAddressSpaceSize",
};

Deno.test("each limit of the first version is enforced, or only told for a reason", () => {
  const all = layoutOf(CORE).fields.map(({ name }) => name);
  const used = new Set(Object.keys(USES).map((limit) => limit.replace(/\[.*/, "")));
  const told = Object.values(ONLY_READ).flatMap((names) => names.split(" "));
  assertEquals(told.filter((name) => used.has(name) || !all.includes(name)), []);
  assertEquals(all.filter((name) => !used.has(name) && !told.includes(name)), []);
  console.log(
    `${all.filter((name) => used.has(name)).length} of ${all.length} limits of the first version are enforced`,
  );
});
