/**
 * A submission goes on behind an action at which it rested:
 *
 * ```text
 * recorded     bind  begin pass  draw 1  draw 2  bind  draw 3  end pass  barrier  copy
 * rested       bind  begin pass  draw 1  draw 2  end pass
 * goes on      bind  begin pass, which loads       bind  draw 3  end pass
 * ```
 *
 * The state that was set before is set again; what was carried out is left out. The contents of attachments are stored
 * at the end of each pass of a replay, so that a pass can load them.
 *
 * @module
 */
import type { Fields, RecordedCall } from "../../record/line.ts";
import { commandBuffersIn, coreName } from "../../record/commands.ts";
import type { StateTracker, Step } from "../../state_tracker/state_tracker.ts";
import type { Resources } from "../../state_tracker/resources.ts";
import { isAction } from "../../state_tracker/effects.ts";
import {
  VK_ATTACHMENT_LOAD_OP_LOAD,
  VK_RENDERING_RESUMING_BIT,
  VK_RENDERING_SUSPENDING_BIT,
} from "../../../../loader/gen/enums_core_gen.js";

const PASS_BEGINS = /^vkCmdBegin(RenderPass2?|Rendering)$/, PASS_ENDS = /^vkCmdEnd(RenderPass2?|Rendering2?)$/;
/** Commands that set state, which are carried out again, and others whose effect stays. */
const STATE = /^vk(Begin|End)CommandBuffer|^vkCmd(Bind|Set|Push|BeginDebug|EndDebug|InsertDebug|Debug)(?!\w*Event)/;
const DONE = /^vkCmd(PipelineBarrier|WriteTimestamp|ResetQueryPool|NextSubpass)/;
const HALVES = VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT;

/** Returns why a submission cannot go on behind an action; `undefined` if it can. */
export function reasonAgainstGoingOn(tracker: StateTracker, submission: RecordedCall): string | undefined {
  const buffers = commandBuffersIn(submission);
  if (new Set(buffers).size < buffers.length) return "a command buffer is carried out twice";
  for (const { call: { command, args } } of tracker.executed(submission)) {
    const isKnown = isAction(command) || STATE.test(command) || DONE.test(command);
    if (!isKnown) return `the submission has ${command}`;
    if (args.pRenderingInfo?.flags & HALVES) return "a pass is in several command buffers";
    const pass = tracker.resources.info(args.pRenderPassBegin?.renderPass);
    if (pass?.pAttachments?.some(({ pNext = [] }: Fields) => pNext.length > 0)) return "a pass has layouts of stencils";
  }
}

/** The calls that are left of a submission, by command buffer, and those that make and destroy what these need. */
export interface Left {
  readonly kept: ReadonlyMap<string, readonly Step[]>;
  readonly makes: readonly RecordedCall[];
  readonly destroys: readonly RecordedCall[];
}

/**
 * Returns what is left of command buffers, in the order of their submission, behind so many actions. `pass` is the name
 * of a render pass that may be made.
 */
export function leftOf(
  buffers: ReadonlyMap<string, readonly Step[]>,
  done: number,
  resources: Resources,
  pass: string,
): Left {
  const kept = new Map<string, readonly Step[]>(), made: Omit<Left, "kept">[] = [];
  let before = done;
  for (const [name, steps] of buffers) {
    const ends = steps.flatMap(({ call }, at) => isAction(call.command) ? [at + 1] : []);
    const end = before === 0 ? 0 : ends[before - 1];
    before = Math.max(0, before - ends.length);
    if (end === undefined) continue; // all of its actions are done, and more behind them
    const open = openPass(steps.slice(0, end)), loading = open && loadingPass(open.call, resources, pass);
    if (loading) made.push(loading);
    const again = steps.slice(0, end).flatMap((step) => {
      if (step === open) return { ...step, call: loading!.begin };
      return isAgain(step.call, open !== undefined && step.index > open.index) ? step : [];
    });
    kept.set(name, [...again, ...steps.slice(end)]);
  }
  return { kept, makes: made.flatMap(({ makes }) => makes), destroys: made.flatMap(({ destroys }) => destroys) };
}

/** The beginning of the pass that goes on behind steps. */
function openPass(steps: readonly Step[]): Step | undefined {
  const last = steps.findLast(({ call }) => [PASS_BEGINS, PASS_ENDS].some((each) => each.test(coreName(call.command))));
  return last && PASS_BEGINS.test(coreName(last.call.command)) ? last : undefined;
}

/** Whether a command whose turn is over is carried out again. */
function isAgain({ command }: RecordedCall, isInOpenPass: boolean): boolean {
  if (/^vkCmdNextSubpass/.test(command)) return isInOpenPass;
  return STATE.test(command);
}

/** The beginning of a pass that loads what the end of the pass has stored. */
function loadingPass(begin: RecordedCall, resources: Resources, own: string) {
  const { pRenderingInfo, pRenderPassBegin } = begin.args;
  if (pRenderingInfo) {
    const begins = { ...begin, args: { ...begin.args, pRenderingInfo: loadingInfo(pRenderingInfo) } };
    return { begin: begins, makes: [], destroys: [] };
  }
  const { command, args: { device, pCreateInfo } } = resources.call(pRenderPassBegin.renderPass)!;
  const pAttachments = (pCreateInfo.pAttachments ?? []).map((each: Fields) => ({
    ...each,
    loadOp: VK_ATTACHMENT_LOAD_OP_LOAD,
    stencilLoadOp: VK_ATTACHMENT_LOAD_OP_LOAD,
    initialLayout: each.finalLayout,
  }));
  const made = { device, pCreateInfo: { ...pCreateInfo, pAttachments } };
  return {
    begin: { ...begin, args: { ...begin.args, pRenderPassBegin: { ...pRenderPassBegin, renderPass: own } } },
    makes: [{ command, args: made, out: { pRenderPass: own } }],
    destroys: [{ command: "vkDestroyRenderPass", args: { device, renderPass: own } }],
  };
}

function loadingInfo(info: Fields): Fields {
  const { pColorAttachments = [], pDepthAttachment, pStencilAttachment } = info;
  const loading = (each: Fields) => ({ ...each, loadOp: VK_ATTACHMENT_LOAD_OP_LOAD });
  return {
    ...info,
    pColorAttachments: pColorAttachments.map(loading),
    ...pDepthAttachment && { pDepthAttachment: loading(pDepthAttachment) },
    ...pStencilAttachment && { pStencilAttachment: loading(pStencilAttachment) },
  };
}
