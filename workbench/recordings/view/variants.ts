import {
  VK_CULL_MODE_NONE,
  VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
  VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT,
  VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
  VK_DYNAMIC_STATE_CULL_MODE,
  VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
  VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
  VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
  VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
  VK_DYNAMIC_STATE_STENCIL_OP,
  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
  VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
  VK_SHADER_STAGE_FRAGMENT_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { coreName } from "../record/commands.ts";
import type { Fields, RecordedCall } from "../record/line.ts";
import type { DrawFacts } from "./candidates.ts";
import { isInRect, type Texel } from "./texel.ts";
import type { DropReason } from "./types.ts";

/** A trial of a draw: with the tests up to one of them, and what the draw is dropped by if no sample passes. */
export interface Trial {
  readonly reason: DropReason;
  /** The create info of the pipeline, which writes nothing. */
  readonly info: Fields;
}

/** Dynamic state that the trials of a draw set themselves, by the command that sets it. */
const SET: Readonly<Record<string, number>> = {
  vkCmdSetScissor: VK_DYNAMIC_STATE_SCISSOR,
  vkCmdSetScissorWithCount: VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
  vkCmdSetCullMode: VK_DYNAMIC_STATE_CULL_MODE,
  vkCmdSetDepthTestEnable: VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
  vkCmdSetDepthWriteEnable: VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
  vkCmdSetDepthBoundsTestEnable: VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
  vkCmdSetStencilTestEnable: VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
  vkCmdSetStencilOp: VK_DYNAMIC_STATE_STENCIL_OP,
  vkCmdSetStencilWriteMask: VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
};
const SCISSORS: readonly number[] = [VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT];
/** Dynamic state with which a draw is not tried out. */
const FOREIGN: readonly number[] = [
  VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
  VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
  VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
  VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
  VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT,
];
const FRONT = 1, BACK = 2;

/** A draw with the state that its pipeline and the commands before give it. */
export class TriedDraw {
  readonly #info: Fields;
  readonly #states: ReadonlySet<number>;
  readonly #dynamic: readonly RecordedCall[];
  readonly #role: DrawFacts["role"];

  /** Takes a draw that {@linkcode reasonAgainstTrial} does not exclude. */
  constructor({ info, dynamic, role }: DrawFacts) {
    this.#info = info!;
    this.#states = new Set(statesOf(info!));
    this.#dynamic = dynamic.filter(({ command }) => this.#states.has(SET[coreName(command)]));
    this.#role = role;
  }

  /** The commands that give dynamic state back what the trials changed. */
  get restoring(): readonly RecordedCall[] {
    return this.#dynamic;
  }

  /** The commands that let only one texel pass, where the scissor is dynamic. */
  scissoring({ x, y }: Texel): RecordedCall[] {
    return this.#dynamic.filter(({ command }) => SCISSORS.includes(SET[coreName(command)])).map((call) => ({
      ...call,
      args: { ...call.args, pScissors: call.args.pScissors.map(() => rectOf(x, y)) },
    }));
  }

  /** Whether the texel is in one of the scissors. */
  isInScissor(texel: Texel): boolean {
    const dynamic = this.#dynamic.filter(({ command }) => SCISSORS.includes(SET[coreName(command)]));
    const isDynamic = SCISSORS.some((state) => this.#states.has(state));
    const rects: Fields[] = isDynamic
      ? dynamic.flatMap(({ args }) => args.pScissors)
      : this.#info.pViewportState?.pScissors ?? [];
    return rects.some((rect) => isInRect(texel, rect));
  }

  /** Whether the draw may not write the texel's attachment, whatever its fragments do. */
  get isMasked(): boolean {
    const role = this.#role, { depthTest, depthWrite, stencilTest } = this.#tests;
    if (role === "depth") return !depthTest || !depthWrite;
    if (role === "stencil") return !stencilTest || !this.#stencilMask;
    return role !== undefined && this.#info.pColorBlendState?.pAttachments?.[role.color]?.colorWriteMask === 0;
  }

  /** The trials of the draw for a texel, from the fewest tests to all. Those that change nothing are left out. */
  trials(texel: Texel): Trial[] {
    const { cull, depthTest, boundsTest, stencilTest } = this.#tests;
    const { pMultisampleState: samples = {} } = this.#info;
    const isShaded = this.#info.pStages.some(({ stage }: Fields) => stage === VK_SHADER_STAGE_FRAGMENT_BIT);
    const isMasking = samples.alphaToCoverageEnable || samples.pSampleMask;
    const none = { cull: false, shader: false, stencil: false, depth: false };
    const steps: [DropReason, typeof none, isNeeded: boolean][] = [
      ["not covered", none, true],
      ["culled", { ...none, cull: true }, cull !== VK_CULL_MODE_NONE],
      ["discarded", { ...none, cull: true, shader: true }, isShaded || isMasking],
      ["stencil", { ...none, cull: true, shader: true, stencil: true }, stencilTest],
      ["depth", { cull: true, shader: true, stencil: true, depth: true }, depthTest || boundsTest],
    ];
    return steps.filter(([, , isNeeded]) => isNeeded).map(([reason, which]) => ({
      reason,
      info: this.#variant(texel, which),
    }));
  }

  #variant(texel: Texel, has: { cull: boolean; shader: boolean; stencil: boolean; depth: boolean }): Fields {
    const { pRasterizationState, pMultisampleState, pDepthStencilState, pColorBlendState, pViewportState, ...rest } =
      this.#info;
    const { cull, depthTest, boundsTest, stencilTest } = this.#tests;
    const pDynamicStates = statesOf(this.#info).filter((state) =>
      SCISSORS.includes(state) || !Object.values(SET).includes(state)
    );
    return {
      ...rest,
      pStages: has.shader
        ? rest.pStages
        : rest.pStages.filter(({ stage }: Fields) => stage !== VK_SHADER_STAGE_FRAGMENT_BIT),
      pRasterizationState: { ...pRasterizationState, cullMode: has.cull ? cull : VK_CULL_MODE_NONE },
      ...pViewportState && { pViewportState: this.#viewport(pViewportState, texel) },
      ...pMultisampleState && { pMultisampleState: samplesOf(pMultisampleState, texel, has.shader) },
      ...pDepthStencilState && {
        pDepthStencilState: {
          ...pDepthStencilState,
          depthTestEnable: has.depth && depthTest,
          depthWriteEnable: false,
          depthBoundsTestEnable: has.depth && boundsTest,
          stencilTestEnable: has.stencil && stencilTest,
          front: this.#face(pDepthStencilState.front, FRONT),
          back: this.#face(pDepthStencilState.back, BACK),
        },
      },
      ...pColorBlendState && {
        pColorBlendState: {
          ...pColorBlendState,
          ...pColorBlendState.pAttachments && {
            pAttachments: pColorBlendState.pAttachments.map((each: Fields) => ({ ...each, colorWriteMask: 0 })),
          },
        },
      },
      pDynamicState: { ...rest.pDynamicState, pDynamicStates },
    };
  }

  #viewport(state: Fields, { x, y }: Texel): Fields {
    return state.pScissors ? { ...state, pScissors: state.pScissors.map(() => rectOf(x, y)) } : state;
  }

  #face(face: Fields = {}, bit: number): Fields {
    const set = this.#dynamic.findLast(({ command, args }) =>
      coreName(command) === "vkCmdSetStencilOp" && args.faceMask & bit
    );
    return { ...face, ...set && { compareOp: set.args.compareOp }, writeMask: 0 };
  }

  get #tests() {
    const { pRasterizationState, pDepthStencilState = {} } = this.#info;
    return {
      cull: this.#value("vkCmdSetCullMode", "cullMode", pRasterizationState.cullMode ?? VK_CULL_MODE_NONE) as number,
      depthTest: !!this.#value("vkCmdSetDepthTestEnable", "depthTestEnable", pDepthStencilState.depthTestEnable),
      depthWrite: !!this.#value("vkCmdSetDepthWriteEnable", "depthWriteEnable", pDepthStencilState.depthWriteEnable),
      boundsTest: !!this.#value(
        "vkCmdSetDepthBoundsTestEnable",
        "depthBoundsTestEnable",
        pDepthStencilState.depthBoundsTestEnable,
      ),
      stencilTest: !!this.#value(
        "vkCmdSetStencilTestEnable",
        "stencilTestEnable",
        pDepthStencilState.stencilTestEnable,
      ),
    };
  }

  /** The bits of stencil that a front or a back may write. */
  get #stencilMask(): number {
    const { front, back } = this.#info.pDepthStencilState ?? {};
    if (!this.#states.has(VK_DYNAMIC_STATE_STENCIL_WRITE_MASK)) return (front?.writeMask ?? 0) | (back?.writeMask ?? 0);
    return this.#dynamic.reduce(
      (bits, { command, args }) => coreName(command) === "vkCmdSetStencilWriteMask" ? bits | args.writeMask : bits,
      0,
    );
  }

  #value(command: string, member: string, fixed: unknown): unknown {
    if (!this.#states.has(SET[command])) return fixed;
    return this.#dynamic.findLast((call) => coreName(call.command) === command)?.args[member];
  }
}

/** Returns why a draw cannot be tried out, as the end of a sentence; `undefined` if it can. */
export function reasonAgainstTrial({ role, info, pipeline, stores, isQueried }: DrawFacts): string | undefined {
  if (role === undefined) return "writes it through a descriptor";
  if (pipeline === undefined || !info) return "has no pipeline";
  if (stores) return "may write elsewhere, too";
  if (isQueried) return "is inside of a query";
  if (!info.pStages || !info.pRasterizationState || info.pNext?.some(isLibrary)) {
    return "has a pipeline made of libraries";
  }
  return statesOf(info).some((state) => FOREIGN.includes(state)) ? "has dynamic state that is not followed" : undefined;
}

/** Whether a link of a chain belongs to pipelines that are made of parts. */
export function isLibrary({ sType }: Fields): boolean {
  return /^VkPipelineLibrary|^VkGraphicsPipelineLibrary/.test(sType);
}

function statesOf(info: Fields): number[] {
  return info.pDynamicState?.pDynamicStates ?? [];
}

function rectOf(x: number, y: number): Fields {
  return { offset: { x, y }, extent: { width: 1, height: 1 } };
}

/** One sample alone; with the shader, only if the pipeline has the sample. */
function samplesOf(state: Fields, { sample }: Texel, isShaded: boolean): Fields {
  const bit = 1 << sample, given: number[] | undefined = state.pSampleMask;
  const isOneOf = (state.rasterizationSamples ?? 1) > 1;
  if (!isShaded) return { ...state, alphaToCoverageEnable: false, ...isOneOf && { pSampleMask: [bit] } };
  return isOneOf ? { ...state, pSampleMask: [(given?.[0] ?? ~0) & bit] } : state;
}
