import {
  VK_API_VERSION_1_3,
  VK_DYNAMIC_STATE_BLEND_CONSTANTS,
  VK_DYNAMIC_STATE_CULL_MODE,
  VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
  VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
  VK_DYNAMIC_STATE_FRONT_FACE,
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
  VK_DYNAMIC_STATE_STENCIL_OP,
  VK_DYNAMIC_STATE_STENCIL_REFERENCE,
  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
  VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
  VK_DYNAMIC_STATE_VIEWPORT,
  VK_STENCIL_FACE_BACK_BIT as BACK,
  VK_STENCIL_FACE_FRONT_BIT as FRONT,
} from "../../../loader/gen/enums_core_gen.js";
import { chance } from "../choices.ts";
import type { Model } from "../model.ts";
import type { Arguments } from "../writer.ts";

/** State of a pipeline that commands may set instead. */
interface State {
  /** VkDynamicState. */
  readonly value: number;
  /** The member of VkGraphicsPipelineCreateInfo that has the state. */
  readonly member: string;
  /** The value of the member where the state is dynamic: another one, which no driver may use. */
  readonly unused: Arguments;
  /** Returns the commands that set what the member has. */
  commands(member: Arguments): readonly (readonly [command: string, args: Arguments])[];
}

const NOWHERE = { x: 0, y: 0, width: 1, height: 1, minDepth: 0, maxDepth: 0 };
const NOTHING = { offset: { x: 0, y: 0 }, extent: { width: 0, height: 0 } };

/** The states of Vulkan 1.0. */
const STATES: readonly State[] = [
  {
    value: VK_DYNAMIC_STATE_VIEWPORT,
    member: "pViewportState",
    unused: { pViewports: [NOWHERE] },
    commands: ({ pViewports }) => [["vkCmdSetViewport", { firstViewport: 0, pViewports }]],
  },
  {
    value: VK_DYNAMIC_STATE_SCISSOR,
    member: "pViewportState",
    unused: { pScissors: [NOTHING] },
    commands: ({ pScissors }) => [["vkCmdSetScissor", { firstScissor: 0, pScissors }]],
  },
  {
    value: VK_DYNAMIC_STATE_BLEND_CONSTANTS,
    member: "pColorBlendState",
    unused: { blendConstants: [0, 0, 0, 0] },
    commands: ({ blendConstants }) => [["vkCmdSetBlendConstants", { blendConstants }]],
  },
  ofFaces(VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK, "vkCmdSetStencilCompareMask", "compareMask"),
  ofFaces(VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, "vkCmdSetStencilWriteMask", "writeMask"),
  ofFaces(VK_DYNAMIC_STATE_STENCIL_REFERENCE, "vkCmdSetStencilReference", "reference"),
];

/** The dynamic states of Vulkan 1.3. */
const NEWER: readonly State[] = [
  one(VK_DYNAMIC_STATE_CULL_MODE, "pRasterizationState", "cullMode", "vkCmdSetCullMode"),
  one(VK_DYNAMIC_STATE_FRONT_FACE, "pRasterizationState", "frontFace", "vkCmdSetFrontFace"),
  one(VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, "pDepthStencilState", "depthTestEnable", "vkCmdSetDepthTestEnable"),
  one(VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, "pDepthStencilState", "depthWriteEnable", "vkCmdSetDepthWriteEnable"),
  one(VK_DYNAMIC_STATE_DEPTH_COMPARE_OP, "pDepthStencilState", "depthCompareOp", "vkCmdSetDepthCompareOp"),
  one(VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, "pDepthStencilState", "stencilTestEnable", "vkCmdSetStencilTestEnable"),
  {
    value: VK_DYNAMIC_STATE_STENCIL_OP,
    member: "pDepthStencilState",
    unused: {},
    commands: ({ front, back }) =>
      ([[FRONT, front], [BACK, back]] as const).map((
        [faceMask, { failOp, passOp, depthFailOp, compareOp }],
      ) => ["vkCmdSetStencilOp", { faceMask, failOp, passOp, depthFailOp, compareOp }]),
  },
];

/** One number, whose command calls it as the struct does. */
function one(value: number, member: string, name: string, command: string): State {
  const unused = { [name]: name.endsWith("Enable") ? false : 0 };
  return { value, member, unused, commands: (info) => [[command, { [name]: info[name] }]] };
}

/** One number for each face. */
function ofFaces(value: number, command: string, name: string): State {
  return {
    value,
    member: "pDepthStencilState",
    unused: {},
    commands: ({ front, back }) => [
      [command, { faceMask: FRONT, [name]: front[name] }],
      [command, { faceMask: BACK, [name]: back[name] }],
    ],
  };
}

/** Makes some of a pipeline's state dynamic. Returns the pipeline's struct, and what sets the state before a draw. */
export function withDynamicState(model: Model, info: Arguments): { info: Arguments; set: () => void } {
  const { choices, writer, facts } = model;
  if (!chance(choices, 35)) return { info, set: () => {} };
  const known = [...STATES, ...facts.apiVersion >= VK_API_VERSION_1_3 ? NEWER : []].filter(({ member }) =>
    info[member]
  );
  const chosen = known.filter(() => chance(choices, 30));
  if (chosen.length === 0) return { info, set: () => {} };
  const commands = chosen.flatMap((state) => state.commands(info[state.member]));
  const changed = chosen.reduce<Arguments>((before, { member, unused }) => (
    { ...before, [member]: { ...before[member], ...unused } }
  ), info);
  return {
    info: { ...changed, pDynamicState: { pDynamicStates: chosen.map(({ value }) => value) } },
    set: () => commands.forEach(([command, args]) => writer.command(command, args)),
  };
}
