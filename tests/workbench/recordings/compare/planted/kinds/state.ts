import { adding, type Kind, setting, swapping } from "../fault.ts";

const CREATE = ["vkCreateGraphicsPipelines"],
  INFO = "pCreateInfos.0",
  BLEND = `${INFO}.pColorBlendState.pAttachments.0`;
const DEPTH = `${INFO}.pDepthStencilState`, RASTER = `${INFO}.pRasterizationState`;
/** A sample mask without the second sample. */
const SECOND_OFF = 0xffff_fffd;
/** Halves a length. */
const half = (value: number) => value > 1 ? value / 2 : undefined;

/** Faults of state that commands set. */
const DYNAMIC: readonly Kind[] = [
  { name: "a scissor by one pixel", commands: ["vkCmdSetScissor"], change: adding("pScissors.0.extent.width", -1) },
  { name: "a viewport by two pixels", commands: ["vkCmdSetViewport"], change: adding("pViewports.0.width", -2) },
  { name: "another depth bias", commands: ["vkCmdSetDepthBias"], change: adding("depthBiasConstantFactor", 4096) },
  { name: "another line width", commands: ["vkCmdSetLineWidth"], change: adding("lineWidth", 2) },
  {
    name: "other blend constants",
    commands: ["vkCmdSetBlendConstants"],
    change: setting("blendConstants.0", (value) => 1 - value),
  },
  {
    name: "another stencil reference",
    commands: ["vkCmdSetStencilReference"],
    change: setting("reference", (value) => value ^ 1),
  },
  {
    name: "another stencil write mask",
    commands: ["vkCmdSetStencilWriteMask"],
    change: setting("writeMask", (value) => value ^ 1),
  },
];

/** Faults of state that pipelines have. */
const STATIC: readonly Kind[] = [
  {
    name: "a pipeline's scissor by one pixel",
    commands: CREATE,
    change: adding(`${INFO}.pViewportState.pScissors.0.extent.width`, -1),
  },
  {
    name: "a pipeline's viewport by two pixels",
    commands: CREATE,
    change: adding(`${INFO}.pViewportState.pViewports.0.width`, -2),
  },
  {
    name: "another blend factor",
    commands: CREATE,
    change: setting(`${BLEND}.dstColorBlendFactor`, (value) => value === 1 ? 0 : 1),
  },
  { name: "another blend operation", commands: CREATE, change: swapping(`${BLEND}.colorBlendOp`, 0, 3) },
  { name: "no writing of red", commands: CREATE, change: setting(`${BLEND}.colorWriteMask`, (value) => value ^ 1) },
  { name: "another cull mode", commands: CREATE, change: setting(`${RASTER}.cullMode`, (value) => value ^ 1) },
  { name: "another front face", commands: CREATE, change: setting(`${RASTER}.frontFace`, (value) => value ^ 1) },
  {
    name: "another depth bias of a pipeline",
    commands: CREATE,
    change: setting(
      `${RASTER}.depthBiasConstantFactor`,
      (value, owner) => owner.depthBiasEnable ? value + 4096 : undefined,
    ),
  },
  { name: "another topology", commands: CREATE, change: swapping(`${INFO}.pInputAssemblyState.topology`, 3, 4) },
  {
    name: "another depth comparison",
    commands: CREATE,
    change: setting(`${DEPTH}.depthCompareOp`, (value) => value === 7 ? 1 : 7),
  },
  {
    name: "no writing of depth",
    commands: CREATE,
    change: setting(`${DEPTH}.depthWriteEnable`, (value) => Number(value) ^ 1),
  },
  {
    name: "another stencil operation",
    commands: CREATE,
    change: setting(`${DEPTH}.front.passOp`, (value) => value === 0 ? 3 : 0),
  },
  {
    name: "another stencil reference of a pipeline",
    commands: CREATE,
    change: setting(`${DEPTH}.front.reference`, (value) => value ^ 1),
  },
  {
    name: "a sample mask",
    commands: CREATE,
    change: setting(
      `${INFO}.pMultisampleState`,
      (state) => state.rasterizationSamples > 1 ? { ...state, pSampleMask: [SECOND_OFF] } : undefined,
    ),
  },
  {
    name: "another vertex stride",
    commands: CREATE,
    change: setting(`${INFO}.pVertexInputState.pVertexBindingDescriptions.0.stride`, half),
  },
  {
    name: "another attribute offset",
    commands: CREATE,
    change: setting(`${INFO}.pVertexInputState.pVertexAttributeDescriptions.0.offset`, (value) => value ^ 4),
  },
  { name: "lines instead of faces", commands: CREATE, change: swapping(`${RASTER}.polygonMode`, 0, 1) },
];

/** Faults of state. */
export const STATE: readonly Kind[] = [...DYNAMIC, ...STATIC];
