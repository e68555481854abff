import {
  VK_COLOR_COMPONENT_A_BIT,
  VK_COLOR_COMPONENT_B_BIT,
  VK_COLOR_COMPONENT_G_BIT,
  VK_COLOR_COMPONENT_R_BIT,
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_VIEWPORT,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { entryPointName } from "../../../wsi/gpu/spirv.ts";
import type { Fields } from "../record/line.ts";
import { after, braces, type Node } from "./node.ts";
import type { Values } from "./values.ts";

const STAGES = { vertex: VK_SHADER_STAGE_VERTEX_BIT, fragment: VK_SHADER_STAGE_FRAGMENT_BIT } as const;
const RGBA = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
/** The structs of a pipeline that have a default, by the names of their members. */
const STATES = {
  pVertexInputState: "VkPipelineVertexInputStateCreateInfo",
  pInputAssemblyState: "VkPipelineInputAssemblyStateCreateInfo",
  pViewportState: "VkPipelineViewportStateCreateInfo",
  pRasterizationState: "VkPipelineRasterizationStateCreateInfo",
  pMultisampleState: "VkPipelineMultisampleStateCreateInfo",
  pColorBlendState: "VkPipelineColorBlendStateCreateInfo",
} as const;

/** A pass that a pipeline draws in; no pass for dynamic rendering. */
export interface PassOfPipeline {
  readonly samples: number;
  readonly colors: number;
  readonly width: number;
  readonly height: number;
}

/** A pipeline's stages as code. */
export interface Code {
  /** Returns a module's words. */
  readonly codeOf: (module: string) => Uint8Array | undefined;
}

/** Writes a stage's shader; `undefined` for one with more than its code. */
export function shaderNode(stage: Fields, { codeOf }: Code, values: Values): Node | undefined {
  const code = codeOf(stage.module), kind = kindOf(stage.stage);
  if (!code || !kind || stage.flags || stage.pNext?.length > 0 || stage.pSpecializationInfo) return undefined;
  const words = new Uint32Array(code.slice().buffer), shader = values.shader(code);
  const { pName } = stage;
  if (hasEntryPoint(words, kind, pName)) return shader;
  if (!hasEntryPoint(words, kind, pName, pName)) return undefined;
  return braces([after("code: ", shader), `entryPoint: ${JSON.stringify(pName)}`]);
}

/** Whether a helper finds an entry point, by its name or without. A driver may take words in which nothing is found. */
function hasEntryPoint(
  words: Uint32Array,
  kind: "vertex" | "fragment" | "compute",
  wanted: string,
  name?: string,
): boolean {
  try {
    return entryPointName(words, kind, name) === wanted;
  } catch {
    return false;
  }
}

/** Writes the argument of `graphicsPipeline()`. */
export function graphicsArgument(
  info: Fields,
  words: Code & { readonly values: Values; readonly pass?: PassOfPipeline; readonly isLayoutPlain: boolean },
): Node {
  const { values, pass, isLayoutPlain } = words, { pStages, layout, renderPass, basePipelineIndex: _, ...rest } = info;
  const extent = pass ?? extentOf(info.pViewportState), plain = defaultsOf(info, pass, extent);
  const states = Object.entries(STATES).flatMap(([name, type]) => {
    const found = info[name];
    const isPlain = found === undefined || found === null || sameStruct(values, type, found, plain[name]);
    return isPlain || name === "pViewportState" && isDynamic(info) ? [] : [[name, found]];
  });
  const others = Object.entries(rest).filter(([name]) => !(name in STATES));
  const isUsual = extent !== undefined && !states.some(([name]) => name === "pViewportState");
  return braces([
    ...stagesMembers(pStages ?? [], words, values),
    ...pass || !isUsual || isDynamic(info)
      ? []
      : [after("extent: ", values.struct("VkExtent2D", { width: extent.width, height: extent.height }))],
    ...values.members("VkGraphicsPipelineCreateInfo", Object.fromEntries([...others, ...states])),
    ...values.members("VkGraphicsPipelineCreateInfo", {
      ...!isLayoutPlain && { layout },
      ...renderPass && { renderPass },
    }),
  ]);
}

function kindOf(stage: number): "vertex" | "fragment" | "compute" | undefined {
  if (stage === VK_SHADER_STAGE_COMPUTE_BIT) return "compute";
  return stage === STAGES.vertex ? "vertex" : stage === STAGES.fragment ? "fragment" : undefined;
}

/** The stages as `vertex` and `fragment`, or as they are. */
function stagesMembers(stages: readonly Fields[], code: Code, values: Values): Node[] {
  const nodes = stages.map((each) => [kindOf(each.stage), shaderNode(each, code, values)] as const);
  if (nodes.some(([, node]) => node === undefined)) {
    return values.members("VkGraphicsPipelineCreateInfo", { pStages: stages });
  }
  return nodes.map(([kind, node]) => after(`${kind}: `, node!));
}

/** The area of a viewport that is its scissor, too, with all depths. */
function extentOf(state: Fields | undefined): { width: number; height: number } | undefined {
  const [viewport, more] = state?.pViewports ?? [], [scissor] = state?.pScissors ?? [];
  if (!viewport || more || !scissor) return undefined;
  const { width, height } = viewport;
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function defaultsOf(info: Fields, pass?: PassOfPipeline, extent?: { width: number; height: number }): Fields {
  const chained = info.pNext?.find((each: Fields) => each.sType === "VkPipelineRenderingCreateInfo");
  const colors = pass?.colors ?? chained?.pColorAttachmentFormats?.length ?? 0,
    area = extent && { width: extent.width, height: extent.height };
  return {
    pVertexInputState: {},
    pInputAssemblyState: { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
    pViewportState: area && { pViewports: [{ ...area, maxDepth: 1 }], pScissors: [{ extent: area }] },
    pRasterizationState: { lineWidth: 1 },
    pMultisampleState: { rasterizationSamples: pass?.samples ?? 1 },
    pColorBlendState: { pAttachments: Array.from({ length: colors }, () => ({ colorWriteMask: RGBA })) },
  };
}

/** Whether the viewport and the scissor are set by commands, so that those of the pipeline mean nothing. */
function isDynamic({ pDynamicState, pViewportState }: Fields): boolean {
  const states: number[] = pDynamicState?.pDynamicStates ?? [],
    { viewportCount = 1, scissorCount = 1 } = pViewportState ?? {};
  return [VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR].every((each) => states.includes(each)) &&
    viewportCount === 1 && scissorCount === 1;
}

function sameStruct(values: Values, type: string, one: Fields, other: Fields | undefined): boolean {
  const textOf = (fields: Fields) =>
    JSON.stringify(values.members(type, fields).map((each) => JSON.stringify(each)).sort());
  return other !== undefined && textOf(one) === textOf(other);
}
