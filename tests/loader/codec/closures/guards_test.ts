import { assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { layoutOf } from "../../../../loader/codec/layout/layout.ts";
import * as vk from "../../../../loader/vk.ts";
import { encoded, withArena } from "../memory_support.ts";

/** Nothing is mapped there: a decoder that follows it kills the process. */
const GARBAGE = 0xdead_beef_0000n;

/** Encodes, puts garbage into pointers the specification says are ignored, decodes. */
function decodedWithGarbage(name: string, object: StructObject, pointers: string[], selector?: number): StructObject {
  return withArena(() => {
    const place = encoded(name, object);
    for (const pointer of pointers) {
      const { offset } = layoutOf(name).fields.find((field) => field.name === pointer)!;
      arena().view.setBigUint64(place + offset, GARBAGE, true);
    }
    return codec(name).decode(place, selector);
  });
}

const SIMPLE: [string, StructObject, string[]][] = [
  ["VkBufferCreateInfo", { sharingMode: 0, queueFamilyIndexCount: 2 }, ["pQueueFamilyIndices"]],
  ["VkImageCreateInfo", { sharingMode: 0, queueFamilyIndexCount: 2 }, ["pQueueFamilyIndices"]],
  ["VkDescriptorSetLayoutBinding", { descriptorType: 6, descriptorCount: 3 }, ["pImmutableSamplers"]],
  ["VkFramebufferCreateInfo", { flags: 1, attachmentCount: 2, renderPass: 1n }, ["pAttachments"]],
  ["VkWriteDescriptorSet", { descriptorType: 1000138000, descriptorCount: 9 }, [
    "pImageInfo",
    "pBufferInfo",
    "pTexelBufferView",
  ]],
  ["VkCommandBufferInheritanceViewportScissorInfoNV", { viewportDepthCount: 2 }, ["pViewportDepths"]],
  ["VkImageCompressionControlEXT", { flags: 1, compressionControlPlaneCount: 3 }, ["pFixedRateFlags"]],
  ["VkPipelineCoverageModulationStateCreateInfoNV", { coverageModulationTableCount: 4 }, ["pCoverageModulationTable"]],
  ["VkGraphicsShaderGroupCreateInfoNV", { pStages: [{ stage: 0x80, pName: "main" }] }, [
    "pVertexInputState",
    "pTessellationState",
  ]],
];

for (const [name, object, pointers] of SIMPLE) {
  Deno.test(`decode() ignores garbage in ${name}.${pointers.join(", ")} when the specification does`, () => {
    const decoded = decodedWithGarbage(name, object, pointers);
    for (const pointer of pointers) assertEquals(decoded[pointer], null);
  });
}

Deno.test("decode() reads the array of VkWriteDescriptorSet that its type asks for", () => {
  const object = { descriptorType: 6, pBufferInfo: [{ buffer: 7n, range: 4n }] };
  const decoded = decodedWithGarbage("VkWriteDescriptorSet", object, ["pImageInfo", "pTexelBufferView"]);
  assertEquals((decoded.pBufferInfo as StructObject[])[0].buffer, 7n);
  assertEquals(decoded.pImageInfo, null);
});

Deno.test("decode() follows pInheritanceInfo only for a secondary command buffer", () => {
  const decode = (level?: number) => decodedWithGarbage("VkCommandBufferBeginInfo", {}, ["pInheritanceInfo"], level);
  assertEquals(decode(0).pInheritanceInfo, null);
  assertEquals(decode().pInheritanceInfo, GARBAGE);
  withArena(() => {
    const place = encoded("VkCommandBufferBeginInfo", { pInheritanceInfo: { subpass: 3 } });
    assertEquals((codec("VkCommandBufferBeginInfo").decode(place, 1).pInheritanceInfo as StructObject).subpass, 3);
  });
});

/** Encodes a struct, puts garbage into the pointer of a struct inside it, of which `find` returns the address, and decodes. */
function decodedInside(
  name: string,
  object: StructObject,
  selector: number | undefined,
  inner: string,
  pointer: string,
) {
  return withArena(() => {
    const place = encoded(name, object), { sType } = layoutOf(inner), { view } = arena();
    const { offset } = layoutOf(inner).fields.find((field) => field.name === pointer)!;
    const found = Array.from({ length: 4096 / 8 }, (_, index) => place + 8 * index).filter((at) =>
      view.getInt32(at, true) === sType && view.getBigUint64(at + offset, true) !== 0n
    );
    assertEquals(found.length, 1);
    view.setBigUint64(found[0] + offset, GARBAGE, true);
    return codec(name).decode(place, selector);
  });
}

Deno.test("decode() follows what a secondary command buffer inherits only within dynamic rendering", () => {
  const sType = vk.VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    inner = "VkCommandBufferInheritanceRenderingInfo",
    pointer = "pColorAttachmentFormats";
  const object = (flags: number, renderPass: bigint) => ({
    flags,
    pInheritanceInfo: { renderPass, pNext: [{ sType, colorAttachmentCount: 2, pColorAttachmentFormats: [37, 37] }] },
  });
  for (const each of [object(0, 0n), object(2, 7n)]) {
    const { pInheritanceInfo } = decodedInside("VkCommandBufferBeginInfo", each, 1, inner, pointer);
    assertEquals(((pInheritanceInfo as StructObject).pNext as StructObject[])[0][pointer], null);
  }
  withArena(() => {
    const { pInheritanceInfo } = codec("VkCommandBufferBeginInfo").decode(
      encoded("VkCommandBufferBeginInfo", object(2, 0n)),
      1,
    );
    assertEquals(((pInheritanceInfo as StructObject).pNext as StructObject[])[0][pointer], [37, 37]);
  });
});

/** A state that a pipeline sets dynamically, the struct whose pointer is ignored then, and the state that it is chained to. */
const CHAINED: [string, number, string, string, StructObject][] = [
  [
    "pViewportState",
    vk.VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_NV,
    "VkPipelineViewportWScalingStateCreateInfoNV",
    "pViewportWScalings",
    {
      sType: vk.VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_W_SCALING_STATE_CREATE_INFO_NV,
      viewportCount: 1,
      pViewportWScalings: [{}],
    },
  ],
  [
    "pViewportState",
    vk.VK_DYNAMIC_STATE_EXCLUSIVE_SCISSOR_NV,
    "VkPipelineViewportExclusiveScissorStateCreateInfoNV",
    "pExclusiveScissors",
    {
      sType: vk.VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_EXCLUSIVE_SCISSOR_STATE_CREATE_INFO_NV,
      pExclusiveScissors: [{}],
    },
  ],
  [
    "pViewportState",
    vk.VK_DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV,
    "VkPipelineViewportShadingRateImageStateCreateInfoNV",
    "pShadingRatePalettes",
    {
      sType: vk.VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_SHADING_RATE_IMAGE_STATE_CREATE_INFO_NV,
      pShadingRatePalettes: [{ pShadingRatePaletteEntries: [1] }],
    },
  ],
  [
    "pMultisampleState",
    vk.VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV,
    "VkPipelineCoverageModulationStateCreateInfoNV",
    "pCoverageModulationTable",
    {
      sType: vk.VK_STRUCTURE_TYPE_PIPELINE_COVERAGE_MODULATION_STATE_CREATE_INFO_NV,
      coverageModulationTableEnable: true,
      pCoverageModulationTable: [1],
    },
  ],
  ["pMultisampleState", vk.VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT, "VkSampleLocationsInfoEXT", "pSampleLocations", {
    sType: vk.VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT,
    sampleLocationsEnable: true,
    sampleLocationsInfo: { pSampleLocations: [{ x: 0.5, y: 0.5 }] },
  }],
  [
    "",
    vk.VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT,
    "VkPipelineDiscardRectangleStateCreateInfoEXT",
    "pDiscardRectangles",
    {
      sType: vk.VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT,
      pDiscardRectangles: [{}],
    },
  ],
];

for (const [state, dynamic, inner, pointer, link] of CHAINED) {
  Deno.test(`decode() ignores garbage in ${inner}.${pointer} when the state is dynamic`, () => {
    const { decoded, read } = withChained(state, dynamic, inner, pointer, link);
    assertEquals([decoded, read !== null], [null, true]);
  });
}

/** The decoded members of garbage if the state is dynamic, and those without garbage if it is not. */
function withChained(state: string, dynamic: number, inner: string, pointer: string, link: StructObject) {
  const object = (pDynamicStates: number[]) => ({
    pStages: STAGES,
    pDynamicState: { pDynamicStates },
    pRasterizationState: {},
    ...state === "" ? { pNext: [link] } : { [state]: { pNext: [link] } },
  });
  const pointerOf = (info: StructObject) => {
    const [found] = (state === "" ? info : info[state] as StructObject).pNext as StructObject[];
    return (found.sampleLocationsInfo as StructObject ?? found)[pointer];
  };
  const name = "VkGraphicsPipelineCreateInfo";
  return {
    decoded: pointerOf(decodedInside(name, object([dynamic]), undefined, inner, pointer)),
    read: withArena(() => pointerOf(codec(name).decode(encoded(name, object([]))))),
  };
}

const STAGES = [{ stage: 1, pName: "main" }, { stage: 16, pName: "main" }];

Deno.test("decode() ignores the states a pipeline without rasterization doesn't use", () => {
  const object = { pStages: STAGES, pRasterizationState: { rasterizerDiscardEnable: true } };
  const unused = [
    "pTessellationState",
    "pViewportState",
    "pMultisampleState",
    "pDepthStencilState",
    "pColorBlendState",
  ];
  const decoded = decodedWithGarbage("VkGraphicsPipelineCreateInfo", object, unused);
  for (const name of unused) assertEquals(decoded[name], null);
  assertEquals((decoded.pStages as unknown[]).length, 2);
});

Deno.test("decode() ignores vertex input of a mesh pipeline", () => {
  const object = { pStages: [{ stage: 0x80, pName: "main" }] };
  const decoded = decodedWithGarbage("VkGraphicsPipelineCreateInfo", object, [
    "pVertexInputState",
    "pInputAssemblyState",
  ]);
  assertEquals([decoded.pVertexInputState, decoded.pInputAssemblyState], [null, null]);
});

Deno.test("decode() reads only the parts that a pipeline library has", () => {
  const object = {
    pNext: [{ sType: 1000320002, flags: 1 }, { sType: 1000044002, colorAttachmentCount: 0 }],
    pVertexInputState: { pVertexBindingDescriptions: [{ binding: 4 }] },
    stageCount: 2,
  };
  const unused = [
    "pStages",
    "pViewportState",
    "pRasterizationState",
    "pMultisampleState",
    "pDepthStencilState",
    "pColorBlendState",
  ];
  const decoded = decodedWithGarbage("VkGraphicsPipelineCreateInfo", object, unused);
  for (const name of unused) assertEquals(decoded[name], null);
  const bindings = (decoded.pVertexInputState as StructObject).pVertexBindingDescriptions as StructObject[];
  assertEquals(bindings[0].binding, 4);
});

Deno.test("decode() ignores viewports, scissors and blend states that are dynamic", () => {
  withArena(() => {
    const states = [1000267003, 1, 1000455010, 1000455011, 1000455012, 1000455006];
    const place = encoded("VkGraphicsPipelineCreateInfo", {
      pStages: STAGES,
      pViewportState: { viewportCount: 1, scissorCount: 1 },
      pMultisampleState: { rasterizationSamples: 4 },
      pColorBlendState: { attachmentCount: 1, pAttachments: [{ blendEnable: true }] },
      pDynamicState: { pDynamicStates: states },
    });
    poison(place, "pViewportState", "VkPipelineViewportStateCreateInfo", "pViewports", "pScissors");
    poison(place, "pColorBlendState", "VkPipelineColorBlendStateCreateInfo", "pAttachments");
    poison(place, "pMultisampleState", "VkPipelineMultisampleStateCreateInfo", "pSampleMask");
    const decoded = codec("VkGraphicsPipelineCreateInfo").decode(place);
    const viewport = decoded.pViewportState as StructObject;
    assertEquals([viewport.pViewports, viewport.pScissors, viewport.viewportCount], [null, null, 1]);
    assertEquals((decoded.pColorBlendState as StructObject).pAttachments, null);
    assertEquals((decoded.pMultisampleState as StructObject).pSampleMask, null);
  });
});

/** Puts garbage into pointers of a struct that a pipeline points to. */
function poison(pipeline: number, member: string, name: string, ...pointers: string[]): void {
  const offset = (struct: string, field: string) => layoutOf(struct).fields.find((each) => each.name === field)!.offset;
  const { view, base } = arena();
  const inner = Number(view.getBigUint64(pipeline + offset("VkGraphicsPipelineCreateInfo", member), true) - base);
  for (const pointer of pointers) view.setBigUint64(inner + offset(name, pointer), GARBAGE, true);
}

Deno.test("decode() ignores rendering formats of a pipeline with a render pass", () => {
  withArena(() => {
    const rendering = { sType: 1000044002, colorAttachmentCount: 2, pColorAttachmentFormats: GARBAGE };
    const place = encoded("VkGraphicsPipelineCreateInfo", { renderPass: 5n, pStages: STAGES, pNext: [rendering] });
    const [decoded] = codec("VkGraphicsPipelineCreateInfo").decode(place).pNext as StructObject[];
    assertEquals(decoded.pColorAttachmentFormats, null);
  });
});
