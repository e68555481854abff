import { assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { layoutOf } from "../../../../loader/codec/layout/layout.ts";
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
