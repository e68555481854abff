import type { Fields, RecordedCall, RecordedLine } from "../../record/line.ts";
import type { RecordedLines } from "../../replay/recording_file.ts";
import { coreName } from "../../record/commands.ts";
import { type Executed, StateTracker, type Step } from "../../state_tracker/state_tracker.ts";
import { isAction } from "../../state_tracker/effects.ts";
import { leftOf } from "./going_on.ts";
import type { Cut } from "./protocol.ts";
import type { Resources } from "../../state_tracker/resources.ts";
import type { CommandState } from "../../state_tracker/state.ts";

/**
 * Returns the commands that end what is open, the latest first: a query that
 * was begun inside a pass ends before the pass, and one that was begun before it
 * ends after. Each is for the command buffer that began what it ends.
 */
function endingsOf(state: CommandState, resources: Resources): RecordedCall[] {
  return state.begun.toReversed().flatMap((begin) => endOf(begin, state.pass?.subpass ?? 0, resources));
}

function endOf(begin: RecordedCall, subpass: number, resources: Resources): RecordedCall[] {
  const { command, args } = begin, name = command.replace(/^vkCmdBegin/, "vkCmdEnd"), { commandBuffer } = args;
  if (/^vkCmdBeginRenderPass/.test(command)) return endOfRenderPass(begin, name, subpass, resources);
  if (/^vkCmdBeginTransformFeedback/.test(command)) return [{ command: name, args: { ...args } }];
  const { queryPool, query, index } = args;
  if (queryPool === undefined) return [{ command: name, args: { commandBuffer } }];
  const which = { commandBuffer, queryPool, query, ...index !== undefined && { index } };
  return [{ command: name, args: which }];
}

/** The end of a render pass, with the version of the command that began it, after the subpasses that are left. */
function endOfRenderPass(
  { command, args: { commandBuffer, pRenderPassBegin } }: RecordedCall,
  name: string,
  subpass: number,
  resources: Resources,
): RecordedCall[] {
  const suffix = command.replace(/^vkCmdBeginRenderPass/, ""), isTwo = suffix.startsWith("2");
  const left = (resources.info(pRenderPassBegin.renderPass)?.pSubpasses.length ?? 1) - 1 - subpass;
  const next = isTwo ? { pSubpassBeginInfo: { contents: 0 }, pSubpassEndInfo: {} } : { contents: 0 };
  return [
    ...Array.from({ length: left }, () => ({ command: `vkCmdNextSubpass${suffix}`, args: { commandBuffer, ...next } })),
    { command: name, args: { commandBuffer, ...isTwo && { pSubpassEndInfo: {} } } },
  ];
}

/** A recording that ends inside a submission. */
export interface CutStream {
  /** The lines before the submission that are carried out, with their places in the recording. */
  readonly before: Iterable<readonly [index: number, line: RecordedLine]>;
  /** The lines of the shortened command buffers, and the submission. */
  readonly last: readonly RecordedLine[];
  /** Index of the submission's line. */
  readonly index: number;
}

/** Numbers of command buffers that take the place of those that an earlier submission uses, too. */
const OWN_NUMBERS = 1_000_000;

/** Whether a line is a submission. */
export function isSubmission(line: RecordedLine): line is RecordedCall {
  return "command" in line && /^vkQueueSubmit2?$/.test(coreName(line.command));
}

/** Returns the actions of a submission in order. The state tracker has noted all lines before. */
export function actionsOf(tracker: StateTracker, submission: RecordedCall): Executed[] {
  return [...tracker.executed(submission)].filter(({ call }) => isAction(call.command));
}

/**
 * Returns a recording up to some action of a submission. The command buffers of
 * that submission are recorded just before it, up to the action; passes,
 * queries and command buffers that are open there are ended.
 */
export function cutStream(lines: RecordedLines, { submission, actions }: Cut): CutStream {
  const tracker = new StateTracker();
  let count = 0;
  for (const [index, line] of lines.entries()) {
    if (isSubmission(line) && count++ === submission) {
      const { dropped, last } = cutAt(tracker, line, actions);
      return { before: linesBefore(lines, index, dropped), last, index };
    }
    tracker.note(index, line);
    if (isSubmission(line)) tracker.submit(line);
  }
  throw new TypeError(`There is no submission ${submission}: the recording has ${count}`);
}

function* linesBefore(lines: RecordedLines, index: number, dropped: ReadonlySet<number>): CutStream["before"] {
  for (const entry of lines.entries()) {
    if (entry[0] === index) return;
    if (!dropped.has(entry[0])) yield entry;
  }
}

/**
 * Returns the lines that carry out a submission from behind some action, 0 for all, up to another one in new command
 * buffers, and free these. The submission waits for nothing and signals nothing, so that it can be carried out again.
 * `own` is the number of command buffers that were made for the same purpose before.
 */
export function repeatOf(
  tracker: StateTracker,
  call: RecordedCall,
  [done, actions]: readonly [number, number],
  own: number,
) {
  const { last, names, destroys } = cutAt(tracker, call, actions, { own, done });
  const frees = [...names].map(([name, own]): RecordedCall => {
    const { device, pAllocateInfo: { commandPool } } = tracker.resources.call(name)!.args;
    return { command: "vkFreeCommandBuffers", args: { device, commandPool, pCommandBuffers: [own] } };
  });
  return { lines: [...last.slice(0, -1), alone(last.at(-1)!)], frees: [...frees, ...destroys] };
}

/** A submission without semaphores and a fence. */
function alone({ command, args: { queue, pSubmits } }: RecordedCall): RecordedCall {
  const bare = pSubmits.map(({ pCommandBuffers, pCommandBufferInfos }: Fields) =>
    pCommandBufferInfos
      ? { flags: 0, pWaitSemaphoreInfos: [], pCommandBufferInfos, pSignalSemaphoreInfos: [] }
      : { pWaitSemaphores: [], pWaitDstStageMask: [], pCommandBuffers: pCommandBuffers ?? [], pSignalSemaphores: [] }
  );
  return { command, args: { queue, pSubmits: bare } };
}

/** Returns the indices of the lines that are not carried out, and those that are instead of a submission. */
function cutAt(tracker: StateTracker, call: RecordedCall, actions: number, again?: { own: number; done: number }) {
  const all = tracker.buffersOf(call);
  const dropped = new Set<number>(), names = new Map<string, string>(), allocations: RecordedCall[] = [];
  for (const name of new Set(all)) {
    const list = tracker.lists.get(name);
    if (list?.wasSubmitted || list && again) {
      names.set(name, `VkCommandBuffer#${OWN_NUMBERS + (again?.own ?? 0) + names.size}`);
      allocations.push(allocation(tracker, name, names.get(name)!));
    } else for (const step of list?.steps ?? []) dropped.add(step.index);
  }
  const shortened: Kept = new Map(), last = actionsOf(tracker, call)[actions - 1];
  if (last) shorten(tracker, call, last, shortened);
  const pass = `VkRenderPass#${OWN_NUMBERS + (again?.own ?? 0)}`;
  const { kept, makes, destroys } = again?.done
    ? leftOf(shortened, again.done, tracker.resources, pass)
    : { kept: shortened, makes: [], destroys: [] };
  // A command buffer is executed by others only once it is recorded: the order of the recording holds.
  const recorded = [...kept.values()].flat().sort((one, other) => one.index - other.index)
    .map(({ call }) => renamed(call, names));
  const submitted = renamed(onlyWith(call, kept), names);
  return { dropped, last: [...makes, ...allocations, ...recorded, submitted], names, destroys };
}

/** The remaining steps of command buffers, by their names. */
type Kept = Map<string, Step[]>;

/** Fills in the calls of each command buffer up to an action. */
function shorten(tracker: StateTracker, submission: RecordedCall, last: Executed, kept: Kept) {
  for (const each of tracker.executed(submission)) {
    const owner = each.within.at(-1)!, steps = kept.get(owner) ?? [];
    kept.set(owner, steps);
    // A command buffer that is executed twice is recorded once.
    if (!steps.some(({ index }) => index === each.index)) steps.push({ index: each.index, call: each.call });
    if (each.index !== last.index || each.within.join() !== last.within.join()) continue;
    finish(tracker, each, kept);
    return;
  }
}

/**
 * Ends what is open behind the last action, each in the command buffer that
 * began it: the innermost command buffer first, then those that execute it.
 */
function finish(tracker: StateTracker, { index, call, within, scene: { state } }: Executed, kept: Kept): void {
  state.note(call);
  const endings = endingsOf(state, tracker.resources);
  function add(owner: string, at: number, ...calls: readonly RecordedCall[]): void {
    const left = endings.filter(({ args }) => args.commandBuffer === owner);
    const added = [...calls, ...left, { command: "vkEndCommandBuffer", args: { commandBuffer: owner } }];
    kept.set(owner, [...kept.get(owner) ?? [], ...added.map((each) => ({ index: at, call: each }))]);
  }
  for (const [depth, owner] of [...within.entries()].toReversed()) {
    const inner = within[depth + 1], executing = inner && executionOf(tracker, owner, inner);
    if (executing) add(owner, executing.index, executing.call);
    else add(owner, index);
  }
}

/** The command with which a command buffer executes another, without those behind it. */
function executionOf({ lists }: StateTracker, outer: string, inner: string): Step {
  const { index, call } = lists.get(outer)!.steps.find(({ call }) =>
    call.command === "vkCmdExecuteCommands" && call.args.pCommandBuffers.includes(inner)
  )!;
  const { pCommandBuffers } = call.args, left = pCommandBuffers.slice(0, pCommandBuffers.indexOf(inner) + 1);
  return { index, call: { ...call, args: { ...call.args, pCommandBuffers: left } } };
}

/** The submission with those command buffers that have something left. */
function onlyWith(call: RecordedCall, kept: ReadonlyMap<string, unknown>): RecordedCall {
  const pSubmits = call.args.pSubmits.map((each: Fields) => {
    const { pCommandBuffers, pCommandBufferInfos } = each;
    return {
      ...each,
      ...pCommandBuffers && { pCommandBuffers: pCommandBuffers.filter((name: string) => kept.has(name)) },
      ...pCommandBufferInfos && {
        pCommandBufferInfos: pCommandBufferInfos.filter((info: Fields) => kept.has(info.commandBuffer)),
      },
    };
  });
  return { ...call, args: { ...call.args, pSubmits } };
}

/** A new command buffer from the pool of another. */
function allocation(tracker: StateTracker, name: string, own: string): RecordedCall {
  const { command, args } = tracker.resources.call(name)!;
  const pAllocateInfo = { ...args.pAllocateInfo, commandBufferCount: 1 };
  return { command, args: { ...args, pAllocateInfo }, out: { pCommandBuffers: [own] } };
}

/** A call with other command buffers. */
export function renamed(call: RecordedCall, names: ReadonlyMap<string, string>): RecordedCall {
  return names.size === 0 ? call : { ...call, args: replaced(call.args, names) as Fields };
}

function replaced(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return names.get(value) ?? value;
  if (ArrayBuffer.isView(value) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, names));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, names)]));
}
