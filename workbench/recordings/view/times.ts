import { VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, VK_QUERY_TYPE_TIMESTAMP } from "../../../loader/gen/enums_core_gen.js";
import { coreName } from "../record/commands.ts";
import type { RecordedCall } from "../record/line.ts";
import { isAction } from "../state_tracker/effects.ts";
import { answersOf, type ReplaySource } from "./answers.ts";
import type { Moments } from "./moments.ts";
import { QUERIES, QueryRecording } from "./query_recording.ts";
import type { RecordingEvent } from "./types.ts";

/** An action with its place and the queries around it. */
interface Timed {
  readonly event: RecordingEvent;
  readonly index: number;
  readonly submission: number;
}

/**
 * Returns milliseconds of GPU time by the numbers of events: of each action, and of each pass from its beginning to its
 * end. Commands in passes of several views have none, nor has what a submission carries out more than once.
 */
export async function timesOf(source: ReplaySource & { readonly moments: Moments }): Promise<Map<number, number>> {
  const { timed, executions, devices } = timedIn(source), times = new Map<number, number>();
  for (const [device, own] of devices) {
    const queries = new QueryRecording(device, VK_QUERY_TYPE_TIMESTAMP, executions), firsts = new Map<number, number>();
    for (const [index, call] of own) {
      firsts.set(
        index,
        queries.add(index, 2, (first) => ({
          before: [stamp(call, first)],
          after: [stamp(call, first + 1)],
          actions: 0,
        })),
      );
    }
    if (queries.isEmpty) continue;
    const bySubmission = Map.groupBy(timed.filter(({ index }) => own.has(index)), ({ submission }) => submission);
    for await (const { submission, answers } of answersOf(source, queries)) {
      const period = source.replays.timestampPeriod / 1e6;
      const open: { readonly id: number; readonly begin: bigint }[] = [];
      for (const { event, index } of bySubmission.get(submission) ?? []) {
        const begin = answers[firsts.get(index)!], end = answers[firsts.get(index)! + 1];
        if (event.kind !== "pass") times.set(event.id, between(begin, end) * period);
        else if (/^vkCmdBegin/.test(event.name)) open.push({ id: event.id, begin });
        else {
          const pass = open.pop();
          if (pass) times.set(pass.id, between(pass.begin, end) * period);
        }
      }
    }
  }
  return times;
}

/** A driver may tell the time of work that overlaps in another order. */
function between(begin: bigint, end: bigint): number {
  return end > begin ? Number(end - begin) : 0;
}

function stamp({ args: { commandBuffer } }: RecordedCall, query: number): RecordedCall {
  const pipelineStage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
  return { command: "vkCmdWriteTimestamp", args: { commandBuffer, pipelineStage, queryPool: QUERIES, query } };
}

/** The actions that can be timed, by device. */
function timedIn({ moments, events }: ReplaySource & { readonly moments: Moments }) {
  const timed: Timed[] = [], executions = new Map<number, Map<number, number>>(), often = new Set<number>();
  const devices = new Map<string, Map<number, RecordedCall>>();
  const byOrdinal = eventsByOrdinal(events);
  moments.follow(({ call, index, scene: { state, resources } }, submission, ordinal) => {
    if (!isAction(call.command)) return;
    const times = executions.get(index) ?? new Map<number, number>();
    executions.set(index, times.set(submission, (times.get(submission) ?? 0) + 1));
    if (times.get(submission)! > 1) often.add(index);
    const event = byOrdinal.get(`${submission} ${ordinal}`),
      device: string = resources.call(call.args.commandBuffer)?.args.device;
    const isBegin = /^vkCmdBegin/.test(call.command);
    const views = viewsIn(isBegin ? call : state.pass?.begin, (name) => resources.info(name));
    if (!event || views) return;
    timed.push({ event, index, submission });
    devices.set(device, (devices.get(device) ?? new Map()).set(index, call));
  });
  for (const own of devices.values()) for (const index of often) own.delete(index);
  return { timed, executions, devices };
}

/** Whether a pass has several views, so that a timestamp takes several queries. */
export function viewsIn(
  begin: RecordedCall | undefined,
  infoOf: (name: string) => Record<string, unknown> | undefined,
): boolean {
  if (!begin) return false;
  if (coreName(begin.command) === "vkCmdBeginRendering") return (begin.args.pRenderingInfo.viewMask ?? 0) !== 0;
  const info = infoOf(begin.args.pRenderPassBegin?.renderPass);
  return /"viewMask":[1-9]|"pViewMasks":\[[^\]]*[1-9]/.test(JSON.stringify(info ?? {}));
}

/** The events of commands by their submission and their place among its commands. */
function eventsByOrdinal({ list, ordinals }: ReplaySource["events"]): Map<string, RecordingEvent> {
  return new Map([...ordinals].map(([id, ordinal]) => [`${list[id].submission} ${ordinal}`, list[id]]));
}
