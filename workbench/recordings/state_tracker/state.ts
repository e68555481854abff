import type { Fields, RecordedCall } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import {
  VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "../../../loader/gen/enums_core_gen.js";
import { type DescriptorTable, writeInto } from "./descriptors.ts";

/** A render pass or dynamic rendering that is going on. */
export interface Pass {
  /** The call that began the pass. */
  readonly begin: RecordedCall;
  /** Whether the pass began with vkCmdBeginRendering. */
  readonly isDynamic: boolean;
  /** Number of the current subpass. */
  subpass: number;
}

/** The objects that are bound for one kind of pipeline. */
export interface Bound {
  /** The pipeline. */
  pipeline?: string;
  /** The sets by number. */
  readonly sets: Map<number, string>;
  /** The dynamic offsets of each set, by the number of the set. */
  readonly offsets: Map<number, DynamicOffsets>;
  /** Descriptors that were pushed, by the number of their set. */
  readonly pushed: Map<number, DescriptorTable>;
}

/** The dynamic offsets of a command that binds sets: those of the sets before come first. */
export interface DynamicOffsets {
  readonly before: readonly string[];
  readonly all: readonly number[];
}

/** The state of a command buffer at some command. */
export class CommandState {
  /** The bound objects, by VkPipelineBindPoint. */
  readonly bound: Map<number, Bound> = new Map();
  /** The latest calls that set dynamic state, by command and what they are about. */
  readonly dynamic: Map<string, Fields> = new Map();
  /** Vertex buffers by binding, with their offsets. */
  readonly vertexBuffers: Map<number, { readonly buffer: string | null; readonly offset: string }> = new Map();
  /** The index buffer. */
  indexBuffer: Fields | undefined;
  /** Buffers that draws write by transform feedback. */
  readonly feedback: Map<number, string> = new Map();
  /** The transform feedback that was begun and not ended. */
  feeding: RecordedCall | undefined;
  /** The pass that is going on. */
  pass: Pass | undefined;
  /** Whether the command buffer is recorded for the inside of a pass that another one begins. */
  #continues = false;
  /** The scopes that the command buffer began and did not end, by their subject, in order. */
  readonly #begun = new Map<string, RecordedCall>();
  readonly #outer: CommandState | undefined;

  /** Makes a state without anything set; a secondary command buffer is in the pass of the one that executes it. */
  constructor(outer?: CommandState) {
    this.#outer = outer;
    this.pass = outer?.pass;
  }

  /** The calls that began something that is not ended, in order: those of the executing command buffer first. */
  get begun(): readonly RecordedCall[] {
    return [...this.#outer?.begun ?? [], ...this.#begun.values()];
  }

  /** Notes what a command sets. */
  note(call: RecordedCall): void {
    const core = coreName(call.command), { args } = call, known = SETS[core];
    if (core === "vkBeginCommandBuffer") {
      this.#continues = (args.pBeginInfo?.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) !== 0;
    }
    const [, way, what] =
      /^vkCmd(Begin|End)(Query|RenderPass|Rendering|TransformFeedback|ConditionalRendering)/.exec(core) ?? [];
    const subject = `${what} ${args.queryPool ?? ""} ${args.query ?? ""} ${args.index ?? ""}`;
    if (way === "Begin") this.#begun.set(subject, call);
    else if (way === "End") this.#begun.delete(subject);
    if (known) known(this, args, call);
    else if (/^vkCmd(Set|PushConstants)/.test(core)) {
      const key = `${core} ${subjectOf(args)}`;
      this.dynamic.delete(key); // the latest call is the last one
      this.dynamic.set(key, args);
    }
  }

  /** Whether the next command is inside a pass. */
  get isInPass(): boolean {
    return this.#continues || this.pass !== undefined;
  }

  /** Returns the objects that are bound for a kind of pipeline. */
  at(point: number): Bound {
    const bound = this.bound.get(point) ?? { sets: new Map(), offsets: new Map(), pushed: new Map() };
    this.bound.set(point, bound);
    return bound;
  }
}

/** Returns the number that tells calls of one command about different things apart. */
function subjectOf({ firstViewport, firstScissor, faceMask, offset, firstAttachment }: Fields): string {
  return `${firstViewport ?? firstScissor ?? faceMask ?? offset ?? firstAttachment ?? ""}`;
}

const BOTH = [VK_PIPELINE_BIND_POINT_GRAPHICS, VK_PIPELINE_BIND_POINT_COMPUTE];

type Setting = (state: CommandState, args: Fields, call: RecordedCall) => void;

const SETS: Readonly<Record<string, Setting>> = {
  vkCmdBindPipeline: (state, { pipelineBindPoint, pipeline }) => {
    state.at(pipelineBindPoint).pipeline = pipeline;
  },
  vkCmdBindDescriptorSets: (state, args) => bindSets(state, args.pipelineBindPoint, args),
  vkCmdBindDescriptorSets2: (state, { pBindDescriptorSetsInfo: info }) => {
    for (const point of BOTH) bindSets(state, point, info);
  },
  vkCmdPushDescriptorSet: (state, args) => pushSet(state, args.pipelineBindPoint, args),
  vkCmdPushDescriptorSet2: (state, { pPushDescriptorSetInfo: info }) => {
    for (const point of BOTH) pushSet(state, point, info);
  },
  /** The template says which descriptors the bytes are; that the set was pushed is known without it. */
  vkCmdPushDescriptorSetWithTemplate: (state, args) => BOTH.forEach((point) => pushSet(state, point, args)),
  vkCmdPushDescriptorSetWithTemplate2: (state, { pPushDescriptorSetWithTemplateInfo: info }) => {
    for (const point of BOTH) pushSet(state, point, info);
  },
  vkCmdBindVertexBuffers: bindVertices,
  vkCmdBindVertexBuffers2: bindVertices,
  vkCmdBindIndexBuffer: (state, args) => state.indexBuffer = args,
  vkCmdBindIndexBuffer2: (state, args) => state.indexBuffer = args,
  vkCmdBindTransformFeedbackBuffers: (state, { firstBinding, pBuffers }) =>
    pBuffers.forEach((buffer: string, index: number) => state.feedback.set(firstBinding + index, buffer)),
  vkCmdBeginTransformFeedback: (state, _args, call) => state.feeding = call,
  vkCmdEndTransformFeedback: (state) => state.feeding = undefined,
  vkCmdBeginRenderPass: (state, _args, begin) => state.pass = { begin, isDynamic: false, subpass: 0 },
  vkCmdBeginRenderPass2: (state, _args, begin) => state.pass = { begin, isDynamic: false, subpass: 0 },
  vkCmdNextSubpass: nextSubpass,
  vkCmdNextSubpass2: nextSubpass,
  vkCmdEndRenderPass: endPass,
  vkCmdEndRenderPass2: endPass,
  vkCmdBeginRendering: (state, _args, begin) => state.pass = { begin, isDynamic: true, subpass: 0 },
  vkCmdEndRendering: endPass,
  vkCmdEndRendering2: endPass,
};

function bindSets(state: CommandState, point: number, { firstSet, pDescriptorSets, pDynamicOffsets }: Fields): void {
  const bound = state.at(point);
  for (const [index, set] of (pDescriptorSets as string[]).entries()) {
    bound.sets.set(firstSet + index, set);
    bound.offsets.set(firstSet + index, { before: pDescriptorSets.slice(0, index), all: pDynamicOffsets ?? [] });
    bound.pushed.delete(firstSet + index);
  }
}

function pushSet(state: CommandState, point: number, { set, pDescriptorWrites = [] }: Fields): void {
  const { pushed } = state.at(point), table = pushed.get(set) ?? new Map();
  pushed.set(set, table);
  for (const write of pDescriptorWrites) writeInto(table, write);
}

function bindVertices(state: CommandState, { firstBinding, pBuffers, pOffsets }: Fields): void {
  for (const [index, buffer] of (pBuffers as string[]).entries()) {
    state.vertexBuffers.set(firstBinding + index, { buffer, offset: pOffsets[index] });
  }
}

function nextSubpass({ pass }: CommandState): void {
  if (pass) pass.subpass++;
}

function endPass(state: CommandState): void {
  state.pass = undefined;
}
