import type { FuzzProgram } from "../../workbench/programs/mod.ts";
import type { RecordedCall } from "../../workbench/layers.ts";
import {
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_FILTER_LINEAR,
  VK_FORMAT_R32G32_SFLOAT,
  VK_FORMAT_R32G32B32A32_UINT,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_3D,
  VK_INDEX_TYPE_UINT16,
  VK_INDEX_TYPE_UINT32,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_RESOLVE_MODE_AVERAGE_BIT,
} from "../../loader/vk.ts";

/** The test whether one call's arguments have a feature. */
type Feature = (args: RecordedCall["args"], command: string) => boolean | undefined;

function image(has: (info: RecordedCall["args"]) => boolean): Feature {
  return ({ pCreateInfo }, command) => command === "vkCreateImage" && has(pCreateInfo);
}

function pipeline(has: (info: RecordedCall["args"]) => boolean): Feature {
  return ({ pCreateInfos }, command) => command === "vkCreateGraphicsPipelines" && has(pCreateInfos[0]);
}

/** The features that programs can have besides commands, by name. */
export const FEATURES: Readonly<Record<string, Feature>> = {
  "image of one dimension": image(({ imageType }) => imageType === VK_IMAGE_TYPE_1D),
  "image of three dimensions": image(({ imageType }) => imageType === VK_IMAGE_TYPE_3D),
  "image with levels": image(({ mipLevels }) => mipLevels > 1),
  "image with layers": image(({ arrayLayers }) => arrayLayers > 1),
  "image that can be a cube": image(({ flags }) => flags !== 0),
  "image with several samples": image(({ samples }) => samples > 1),
  "copy of several layers": ({ pRegions }, command) =>
    command === "vkCmdCopyImage" && pRegions[0].srcSubresource.layerCount > 1,
  "secondary command buffer": ({ pAllocateInfo }, command) =>
    command === "vkAllocateCommandBuffers" && pAllocateInfo.level === 1,
  "semaphore between submissions": ({ pSubmits }) => pSubmits?.[0].pWaitSemaphores !== undefined,
  "array of descriptors": ({ pCreateInfo }, command) =>
    command === "vkCreateDescriptorSetLayout" &&
    pCreateInfo.pBindings.some(({ descriptorCount }: { descriptorCount: number }) => descriptorCount > 1),
  "dynamic offset": ({ pDescriptorWrites }) =>
    pDescriptorWrites?.some(({ descriptorType }: { descriptorType: number }) =>
      descriptorType === VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
    ),
  "specialisation in a compute shader": ({ pCreateInfos }, command) =>
    command === "vkCreateComputePipelines" && pCreateInfos[0].stage.pSpecializationInfo !== undefined,
  "specialisation in a fragment shader": pipeline(({ pStages }) => pStages[1].pSpecializationInfo !== undefined),
  "blending": pipeline(({ pColorBlendState }) =>
    pColorBlendState.pAttachments.some(({ blendEnable }: { blendEnable: boolean }) => blendEnable)
  ),
  "depth test": pipeline(({ pDepthStencilState }) => pDepthStencilState?.depthTestEnable),
  "stencil test": pipeline(({ pDepthStencilState }) => pDepthStencilState?.stencilTestEnable),
  "strip or fan": pipeline(({ pInputAssemblyState }) =>
    pInputAssemblyState.topology !== VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
  ),
  "restarted strip or fan": pipeline(({ pInputAssemblyState }) => pInputAssemblyState.primitiveRestartEnable),
  "dynamic state": pipeline(({ pDynamicState }) => pDynamicState !== undefined),
  "two colour attachments": pipeline(({ pColorBlendState }) => pColorBlendState.pAttachments.length === 2),
  "resolve attachment of a render pass": ({ pCreateInfo }, command) =>
    command === "vkCreateRenderPass" && pCreateInfo.pSubpasses.at(-1).pResolveAttachments !== undefined,
  "resolve attachment of dynamic rendering": ({ pRenderingInfo }) =>
    pRenderingInfo?.pColorAttachments.some(({ resolveMode }: { resolveMode: number }) =>
      resolveMode === VK_RESOLVE_MODE_AVERAGE_BIT
    ),
  "two subpasses": ({ pCreateInfo }, command) =>
    command === "vkCreateRenderPass" && pCreateInfo.pSubpasses.length === 2,
  "linear blit": ({ filter, pBlitImageInfo }, command) =>
    command.startsWith("vkCmdBlitImage") && (pBlitImageInfo?.filter ?? filter) === VK_FILTER_LINEAR,
  "vertex attribute in another format": pipeline(({ pVertexInputState }) =>
    pVertexInputState.pVertexAttributeDescriptions?.some(({ format }: { format: number }) =>
      format !== VK_FORMAT_R32G32_SFLOAT && format !== VK_FORMAT_R32G32B32A32_UINT
    )
  ),
  "indices of 16 bits": ({ indexType }) => indexType === VK_INDEX_TYPE_UINT16,
  "indices of 32 bits": ({ indexType }) => indexType === VK_INDEX_TYPE_UINT32,
  "several draws of one command": ({ drawCount }) => drawCount > 1,
  "several instances": ({ instanceCount }) => instanceCount > 1,
};

/** The counts of what programs have. */
export interface Counted {
  /** The calls of commands, by name. */
  readonly commands: ReadonlyMap<string, number>;
  /** The calls with a feature, by name. */
  readonly features: ReadonlyMap<string, number>;
  /** The images with a format, by VkFormat. */
  readonly formats: ReadonlyMap<number, number>;
}

/** Counts what programs have. */
export function countedIn(programs: Iterable<FuzzProgram>): Counted {
  const commands = new Map<string, number>(), formats = new Map<number, number>();
  const features = new Map(Object.keys(FEATURES).map((name) => [name, 0]));
  function add<Key>(counts: Map<Key, number>, key: Key): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const { recording } of programs) {
    for (const line of recording.lines) {
      if (!("command" in line)) continue;
      add(commands, line.command);
      if (line.command === "vkCreateImage") add(formats, line.args.pCreateInfo.format);
      for (const [name, has] of Object.entries(FEATURES)) if (has(line.args, line.command)) add(features, name);
    }
  }
  return { commands, features, formats };
}

/** Returns the lines of a table. */
export function countText({ commands, features, formats }: Counted): string[] {
  const rows = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([name, count]) => `${count}`.padStart(7) + `  ${name}`);
  const recorded = [...commands].filter(([name]) => name.startsWith("vkCmd")).sort();
  return [...rows(new Map(recorded)), "", ...rows(features), "", `${formats.size} formats of images`];
}
