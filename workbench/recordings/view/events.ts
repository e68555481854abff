import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { commandBuffersIn, coreName } from "../record/commands.ts";
import { located } from "../replay/check.ts";
import { RecordingError } from "../replay/error.ts";
import { lineNumber } from "../replay/recording_file.ts";
import { isAction } from "../state_tracker/effects.ts";
import type { Step } from "../state_tracker/state_tracker.ts";
import { type FrameEndKind, isEnd } from "../trim/frames.ts";
import { kindOfCommand } from "./event_kind.ts";
import type { EventKind, RecordingEvent } from "./types.ts";

/** Rows above which a recording is refused: command buffers that are submitted again and again multiply. */
const MOST = 1_000_000;
/** Command buffers inside of each other. */
const DEEPEST = 16;

/** The events of a recording, with the places that a search for their state needs. */
export interface Events {
  readonly list: readonly RecordingEvent[];
  /** For events inside of a command buffer, the number of commands that the submission has carried out before. */
  readonly ordinals: ReadonlyMap<number, number>;
  /** For each submission, the event. */
  readonly submissions: readonly number[];
}

type Row = { -readonly [Key in keyof RecordingEvent]: RecordingEvent[Key] };

/**
 * Returns the events of a recording in one pass over its lines.
 *
 * @throws {RecordingError} if a call lacks what it must have, or the command buffers are without end.
 */
export function eventsOf(lines: readonly RecordedLine[], endsAt: FrameEndKind): Events {
  const builder = new Builder(endsAt);
  for (const [index, line] of lines.entries()) located(index, line, () => builder.note(index, line), "bad-line");
  return builder.end();
}

class Builder {
  readonly #endsAt: FrameEndKind;
  readonly #rows: Row[] = [];
  readonly #open: Row[] = [];
  readonly #ordinals = new Map<number, number>();
  readonly #submissions: number[] = [];
  readonly #lists = new Map<string, Step[]>();
  #frames = 0;
  /** Whether the frame has ended, but for waits that follow at once. */
  #isOver = false;
  /** In a submission: its number, and the commands and actions so far. */
  #submission: number | undefined;
  #done = 0;
  #actions = 0;

  constructor(endsAt: FrameEndKind) {
    this.#endsAt = endsAt;
  }

  note(index: number, line: RecordedLine): void {
    if (!("command" in line)) return;
    const core = coreName(line.command), { commandBuffer } = line.args;
    if (core === "vkBeginCommandBuffer") this.#lists.set(commandBuffer, []);
    if (/^vk(Cmd|BeginCommandBuffer|EndCommandBuffer)/.test(core)) {
      this.#lists.get(commandBuffer)?.push({ index, call: line });
      return;
    }
    this.#frame(line);
    const kind = kindOfCommand(line.command);
    if (kind === "submission") this.#submit(index, line);
    else if (kind === "label") this.#label(index, line);
    else this.#leaf(kind, index, line);
    if (isEnd(line, this.#endsAt)) this.#isOver = true;
  }

  end(): Events {
    this.#close(0);
    return { list: this.#rows, ordinals: this.#ordinals, submissions: this.#submissions };
  }

  /** Opens the frame of a line, unless it is open. */
  #frame(line: RecordedCall): void {
    if (this.#isOver && !/^vk\w*Wait/.test(line.command)) {
      this.#close(0);
      this.#isOver = false;
    }
    if (this.#open.length === 0) this.#enter("frame", `frame ${++this.#frames}`, 0);
  }

  #submit(index: number, call: RecordedCall): void {
    const row = this.#enter("submission", call.command, lineNumber(index), call), depth = this.#open.length;
    row.submission = this.#submission = this.#submissions.push(row.id) - 1;
    this.#done = this.#actions = 0;
    for (const name of commandBuffersIn(call)) this.#commandBuffer(name, []);
    this.#close(depth - 1);
    row.actions = this.#actions;
    this.#submission = undefined;
  }

  #commandBuffer(name: string, around: readonly string[]): void {
    if (around.includes(name)) throw new TypeError(`${name} executes itself; edit what it executes`);
    if (around.length === DEEPEST) throw new TypeError(`${DEEPEST} command buffers execute each other; use fewer`);
    const steps = this.#lists.get(name) ?? [], depth = this.#open.length;
    const row = this.#enter("command buffer", name, steps.length > 0 ? lineNumber(steps[0].index) : 0);
    for (const step of steps) this.#command(step, [...around, name]);
    this.#close(depth);
    row.actions = this.#actions;
  }

  #command({ index, call }: Step, within: readonly string[]): void {
    const core = coreName(call.command), depth = this.#open.length;
    if (core === "vkCmdExecuteCommands") {
      const row = this.#enter("state", call.command, lineNumber(index), call);
      for (const each of call.args.pCommandBuffers) this.#commandBuffer(each, within);
      this.#close(depth);
      this.#number(row);
    } else if (core.includes("DebugUtilsLabel")) this.#label(index, call);
    else if (!core.startsWith("vkCmd")) this.#done++;
    else if (/^vkCmdBegin(RenderPass2?|Rendering)$/.test(core)) {
      this.#number(this.#enter("pass", call.command, lineNumber(index), call));
    } else {
      this.#number(this.#leaf(kindOfCommand(call.command), index, call));
      if (/^vkCmdEnd(RenderPass2?|Rendering)$/.test(core)) this.#leave("pass");
    }
  }

  /** A label's end has no row. */
  #label(index: number, call: RecordedCall): void {
    const isEnd = /^vk(Cmd|Queue)End/.test(call.command);
    if (isEnd && this.#open.at(-1)?.kind === "label") this.#leave("label");
    if (isEnd) return void (this.#submission !== undefined && this.#done++);
    const name = `${call.args.pLabelInfo?.pLabelName ?? ""}`;
    const row = this.#enter("label", name, lineNumber(index), call);
    if (/Insert/.test(call.command)) this.#close(this.#open.length - 1);
    if (this.#submission !== undefined) this.#number(row);
  }

  /** Notes the place of a command among those that the submission carries out. */
  #number(row: Row): void {
    this.#ordinals.set(row.id, this.#done++);
    if (row.isAction) this.#actions++;
    row.actions = this.#actions;
  }

  #leaf(kind: EventKind, index: number, call: RecordedCall): Row {
    const row = this.#enter(kind, call.command, lineNumber(index), call);
    this.#close(this.#open.length - 1);
    return row;
  }

  #enter(kind: EventKind, name: string, line: number, call?: RecordedCall): Row {
    if (this.#rows.length === MOST) {
      throw new RecordingError("unsupported", line, `Cannot list more than ${MOST} events; trim the recording`);
    }
    const row: Row = {
      id: this.#rows.length,
      parent: this.#open.at(-1)?.id,
      depth: this.#open.length,
      inside: 0,
      kind,
      name,
      line,
      call,
      submission: this.#submission,
      actions: this.#submission === undefined ? 0 : this.#actions,
      isAction: call !== undefined && isAction(call.command),
    };
    this.#rows.push(row);
    this.#open.push(row);
    return row;
  }

  /** Closes the innermost row of a kind, and those inside. */
  #leave(kind: EventKind): void {
    const at = this.#open.findLastIndex((each) => each.kind === kind);
    if (at >= 0) this.#close(at);
  }

  /** Closes rows until so many are open. */
  #close(depth: number): void {
    while (this.#open.length > depth) {
      const row = this.#open.pop()!;
      row.inside = this.#rows.length - row.id - 1;
    }
  }
}
