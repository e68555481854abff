import type { RecordedCall, RecordedLine } from "../record/line.ts";
import type { Cut } from "../compare/driver_process/protocol.ts";
import { isSubmission } from "../compare/driver_process/cut.ts";
import { type LayoutChange, layoutChanges, type Write, writesOf } from "../state_tracker/effects.ts";
import { CommandState } from "../state_tracker/state.ts";
import { type Executed, StateTracker } from "../state_tracker/state_tracker.ts";
import type { Events } from "./events.ts";
import type { RecordingEvent } from "./types.ts";

/** Returns the layout of a level and layer of an image. */
interface LayoutsAt {
  of(image: string, level: number, layer: number): number | undefined;
}

/** A recording at one of its events. */
export interface Moment {
  /** The event's command, with the state before the command; `undefined` for a row without a call. */
  readonly executed: Executed | undefined;
  /** The objects, command buffers and bindings there. */
  readonly tracker: StateTracker;
  /** The layouts after the event. */
  readonly layouts: LayoutsAt;
  /** The buffers and image parts that the event may write; those of all commands inside of a submission. */
  readonly writes: readonly Write[];
}

/** Goes to events of a recording. Going on is fast, going back begins anew. */
export class Moments {
  readonly #lines: readonly RecordedLine[];
  readonly #events: Events;
  #tracker = new StateTracker();
  /** Index of the first line that was not followed. */
  #next = 0;
  /** The walk through the commands of the latest submission that was asked for, and that submission as a whole. */
  #walk: Walk | undefined;
  #latest: { readonly submission: number; readonly moment: Moment } | undefined;

  /** Begins before the first line. */
  constructor(lines: readonly RecordedLine[], events: Events) {
    this.#lines = lines;
    this.#events = events;
  }

  /** Returns the recording at an event. It holds until the next call. */
  at(event: RecordingEvent): Moment {
    const { list, submissions } = this.#events;
    if (event.kind === "frame") {
      const last = submissionBefore(this.#events, event.id + event.inside + 1);
      return last === undefined ? this.#outside(list[event.id + 1] ?? event) : this.at(list[submissions[last]]);
    }
    return event.submission === undefined ? this.#outside(event) : this.#inside(event, event.submission);
  }

  /** Returns the place of a replay that carries out an event, or ends before the event; `undefined` if nothing was submitted. */
  cutAt(event: RecordingEvent, isBefore: boolean): Cut | undefined {
    const { list, submissions } = this.#events;
    const isInside = event.submission !== undefined;
    if (isInside && (isBefore || event.kind !== "frame")) {
      return { submission: event.submission!, actions: isBefore ? actionsBefore(event, list) : event.actions };
    }
    const end = event.kind === "frame" && !isBefore ? event.id + event.inside + 1 : event.id;
    const submission = submissionBefore(this.#events, end);
    return submission === undefined ? undefined : { submission, actions: list[submissions[submission]].actions };
  }

  /** Follows the submissions from the first to the last. Each of their commands is given to `visit`, before it is carried out. */
  follow(visit: (executed: Executed, submission: number, ordinal: number) => void): void {
    const { list, submissions } = this.#events;
    this.#walk = undefined;
    for (const [submission, id] of submissions.entries()) {
      const { call } = this.#goTo(list[id]);
      let ordinal = 0;
      for (const each of this.#tracker.executed(call)) visit(each, submission, ordinal++);
    }
  }

  /** Returns the commands of the submission that an event is in. */
  commandsOf({ submission }: RecordingEvent): Executed[] {
    const { list, submissions } = this.#events, { call } = this.#goTo(list[submissions[submission!]]);
    this.#walk = undefined;
    return [...this.#tracker.executed(call)];
  }

  #inside(event: RecordingEvent, submission: number): Moment {
    const { ordinals, list, submissions } = this.#events, ordinal = ordinals.get(event.id);
    const { call } = this.#goTo(list[submissions[submission]]);
    if (ordinal === undefined) return this.#whole(call, submission);
    if (this.#walk?.submission !== submission || this.#walk.ordinal > ordinal) {
      this.#walk = new Walk(this.#tracker, call, submission);
    }
    return this.#walk.to(ordinal);
  }

  /** A row around commands, such as a submission, writes what all of the submission does. */
  #whole(call: RecordedCall, submission: number): Moment {
    if (this.#latest?.submission === submission) return this.#latest.moment;
    const tracker = this.#tracker, changed: ChangedLayouts = new Map(), writes: Write[] = [];
    for (const each of tracker.executed(call)) {
      writes.push(...writesOf(each.call, each.scene));
      noteLayouts(layoutChanges(each.call, each.scene), changed);
    }
    const moment = { executed: undefined, tracker, layouts: layoutsAfter(tracker, [changed]), writes: unique(writes) };
    this.#latest = { submission, moment };
    return moment;
  }

  #outside(event: RecordingEvent): Moment {
    const index = event.line - 2;
    this.#advance(index);
    const tracker = this.#tracker, { call } = event, { resources, descriptors } = tracker;
    const scene = { resources, descriptors, state: new CommandState() };
    return {
      executed: call && { index, call, within: [], scene },
      tracker,
      layouts: tracker.layouts,
      writes: call?.command === "vkQueuePresentKHR" ? presented(call, tracker) : [],
    };
  }

  #goTo({ line, call }: RecordingEvent): { readonly call: RecordedCall } {
    const index = line - 2;
    this.#advance(index);
    return { call: call! };
  }

  #advance(index: number): void {
    if (this.#next !== index) this.#walk = this.#latest = undefined;
    if (this.#next > index) {
      this.#tracker = new StateTracker();
      this.#next = 0;
    }
    for (; this.#next < index; this.#next++) {
      const line = this.#lines[this.#next];
      this.#tracker.note(this.#next, line);
      if (isSubmission(line)) this.#tracker.submit(line);
    }
  }
}

/** The layouts that changed, by image, level and layer. */
type ChangedLayouts = Map<string, number>;

/** Goes through the commands of one submission, so that the state at each command after the other is known at once. */
class Walk {
  readonly submission: number;
  readonly #tracker: StateTracker;
  readonly #commands: Iterator<Executed>;
  readonly #changed: ChangedLayouts = new Map();
  #count = 0;
  #moment: Moment | undefined;

  /** Begins before the first command. The tracker must not move on meanwhile. */
  constructor(tracker: StateTracker, call: RecordedCall, submission: number) {
    this.#tracker = tracker;
    this.submission = submission;
    this.#commands = tracker.executed(call);
  }

  /** The number of the command at which the walk is. */
  get ordinal(): number {
    return this.#count - 1;
  }

  /** Returns the moment of a command that does not lie behind. */
  to(ordinal: number): Moment {
    while (this.#count <= ordinal) {
      const { value, done } = this.#commands.next();
      if (done) break;
      this.#count++;
      noteLayouts(layoutChanges(value.call, value.scene), this.#changed);
      if (this.#count > ordinal) this.#moment = this.#momentOf(value);
    }
    return this.#moment!;
  }

  #momentOf(executed: Executed): Moment {
    const ended: ChangedLayouts = new Map(), tracker = this.#tracker;
    noteLayouts(layoutsOfEndedPass(executed), ended);
    const layouts = layoutsAfter(tracker, [ended, this.#changed]);
    return { executed, tracker, layouts, writes: writesOf(executed.call, executed.scene) };
  }
}

/** The layouts of a tracker with changes, the latest ones first. */
function layoutsAfter({ layouts }: StateTracker, changes: readonly ChangedLayouts[]): LayoutsAt {
  return {
    of(image, level, layer) {
      const before = layouts.of(image, level, layer), key = `${image} ${level} ${layer}`;
      return before === undefined ? undefined : changes.find((each) => each.has(key))?.get(key) ?? before;
    },
  };
}

function unique(writes: readonly Write[]): Write[] {
  return [...new Map(writes.map((each) => [JSON.stringify(each), each])).values()];
}

function noteLayouts(changes: readonly LayoutChange[], changed: ChangedLayouts): void {
  for (const { part, newLayout } of changes) {
    for (let level = part.baseMipLevel; level < part.baseMipLevel + part.levelCount; level++) {
      for (let layer = part.baseArrayLayer; layer < part.baseArrayLayer + part.layerCount; layer++) {
        changed.set(`${part.image} ${level} ${layer}`, newLayout);
      }
    }
  }
}

/** The layouts of the attachments behind a cut inside of a render pass, which ends the pass. */
function layoutsOfEndedPass({ call, scene }: Executed): LayoutChange[] {
  const pass = call.args.pRenderPassBegin ? { begin: call, isDynamic: false, subpass: 0 } : scene.state.pass;
  const state = Object.assign(new CommandState(), { pass });
  return layoutChanges({ command: "vkCmdEndRenderPass", args: {} }, { ...scene, state });
}

/** The number of the last submission before an event's number. */
function submissionBefore({ submissions }: Events, id: number): number | undefined {
  const found = submissions.findLastIndex((each) => each < id);
  return found < 0 ? undefined : found;
}

/** The number of actions before an event. */
function actionsBefore(event: RecordingEvent, list: readonly RecordingEvent[]): number {
  if (event.isAction) return event.actions - 1;
  const isAround = event.kind === "submission" || event.kind === "command buffer" ||
    event.call?.command === "vkCmdExecuteCommands";
  return isAround && event.inside > 0 ? actionsBefore(list[event.id + 1], list) : event.actions;
}

/** The images that a presentation shows. */
function presented(
  { args: { pPresentInfo: { pSwapchains = [], pImageIndices = [] } } }: RecordedCall,
  tracker: StateTracker,
) {
  const { resources } = tracker, images = resources.named(/^VkImage#/);
  return pSwapchains.flatMap((swapchain: string, index: number): Write[] => {
    const image = images.filter((each) => resources.call(each)?.args.swapchain === swapchain)[pImageIndices[index]];
    return image ? [resources.part(image, {})] : [];
  });
}
