import { adding, type Args, type Change, type Kind, leavingOut, setting, swapping } from "../fault.ts";

const BEGIN = ["vkCmdBeginRenderPass"], RENDERING = ["vkCmdBeginRendering", "vkCmdBeginRenderingKHR"];

/** Other numbers in a VkClearValue, as a recording or a layer has it. */
function otherClear(value: Args | undefined): Args | undefined {
  if (value?.depthStencil) {
    return { depthStencil: { ...value.depthStencil, depth: value.depthStencil.depth === 1 ? 0.5 : 1 } };
  }
  const [first, ...others] = value?.color?.float32 ?? [];
  return first === undefined ? undefined : { color: { float32: [first === 0 ? 1 : 0, ...others] } };
}

function executedTwice({ pCommandBuffers }: Args): Change {
  pCommandBuffers.push(pCommandBuffers.at(-1));
  return "changed";
}

/** Faults of passes, barriers, samplers, views and secondary command buffers. */
export const PASSES: readonly Kind[] = [
  { name: "a smaller render area", commands: BEGIN, change: adding("pRenderPassBegin.renderArea.extent.width", -1, 1) },
  {
    name: "a smaller area of rendering",
    commands: RENDERING,
    change: adding("pRenderingInfo.renderArea.extent.width", -1, 1),
  },
  { name: "another clear value", commands: BEGIN, change: setting("pRenderPassBegin.pClearValues.0", otherClear) },
  {
    name: "another clear value of rendering",
    commands: RENDERING,
    change: setting("pRenderingInfo.pColorAttachments.0.clearValue", otherClear),
  },
  {
    name: "another load operation",
    commands: ["vkCreateRenderPass"],
    change: swapping("pCreateInfo.pAttachments.0.loadOp", 0, 1),
  },
  {
    name: "another load operation of rendering",
    commands: RENDERING,
    change: swapping("pRenderingInfo.pColorAttachments.0.loadOp", 0, 1),
  },
  {
    name: "another store operation",
    commands: ["vkCreateRenderPass"],
    change: swapping("pCreateInfo.pAttachments.0.storeOp", 0, 1),
  },
  { name: "a barrier left out", commands: ["vkCmdPipelineBarrier", "vkCmdPipelineBarrier2"], change: leavingOut },
  {
    name: "another address mode",
    commands: ["vkCreateSampler"],
    change: setting("pCreateInfo.addressModeU", (value) => value === 0 ? 2 : 0),
  },
  {
    name: "another filter of a sampler",
    commands: ["vkCreateSampler"],
    change: setting("pCreateInfo.magFilter", (value) => value ^ 1),
  },
  {
    name: "a view of other components",
    commands: ["vkCreateImageView"],
    change: setting("pCreateInfo.components.r", (value) => value === 0 || value === 3 ? 4 : 3),
  },
  {
    name: "a view of another layer",
    commands: ["vkCreateImageView"],
    change: setting("pCreateInfo.subresourceRange.baseArrayLayer", (value) => value > 0 ? value - 1 : undefined),
  },
  {
    name: "a view of another level",
    commands: ["vkCreateImageView"],
    change: setting("pCreateInfo.subresourceRange.baseMipLevel", (value) => value > 0 ? value - 1 : undefined),
  },
  { name: "a secondary command buffer left out", commands: ["vkCmdExecuteCommands"], change: leavingOut },
  { name: "a secondary command buffer executed twice", commands: ["vkCmdExecuteCommands"], change: executedTwice },
];
