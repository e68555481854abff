import { KEPT } from "../driver_replays.ts";
import type { OpenRecording, RecordingEvent, SideNumber } from "../types.ts";
import type { Turns } from "./turns.ts";

/** The most actions, and bytes of contents, that are read for one choice of the reader. */
const MOST_ACTIONS = 32, MOST_BYTES = KEPT * 5 / 8;

/**
 * Reads on one driver what a reader may look at next, while nobody asks for anything: the attachments after each action
 * behind the latest choice, from the first action on when the last one is read. The recording keeps what was read.
 */
export class ReadAhead {
  readonly #recording: OpenRecording;
  readonly #side: SideNumber;
  readonly #turns: Turns;
  readonly #actions: readonly RecordingEvent[];
  readonly #done = new Set<number>();
  #place = 0;
  #left = { actions: 0, bytes: 0 };
  #isRunning = false;
  #isStopped = false;

  /** Reads nothing yet. `turns` are those of the driver. */
  constructor(recording: OpenRecording, side: SideNumber, turns: Turns) {
    this.#recording = recording;
    this.#side = side;
    this.#turns = turns;
    this.#actions = recording.events.filter(({ isAction }) => isAction);
  }

  /** Tells that an event was chosen. */
  goOnFrom(event: number): void {
    this.#place = event;
    this.#left = { actions: MOST_ACTIONS, bytes: MOST_BYTES };
    if (!this.#isRunning && !this.#isStopped) this.#run();
  }

  /** Stops before the next action. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Reads until enough is read, or a replay fails: who asks for the event is told of that. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#next(); next && !this.#isStopped; next = this.#next()) {
      this.#done.add(next.id);
      const { id } = next;
      try {
        this.#left.bytes -= await this.#turns.take(() => this.#read(id));
        this.#left.actions--;
      } catch {
        this.#isStopped = true;
      }
    }
    this.#isRunning = false;
  }

  #next(): RecordingEvent | undefined {
    if (this.#left.actions <= 0 || this.#left.bytes <= 0) return undefined;
    const isNext = ({ id }: RecordingEvent) => !this.#done.has(id);
    return this.#actions.find((each) => each.id > this.#place && isNext(each)) ?? this.#actions.find(isNext);
  }

  /** Returns the number of bytes. */
  async #read(event: number): Promise<number> {
    const only = shownFirst(this.#recording, event);
    if (only.length === 0) return 0;
    const contents = await this.#recording.contents(event, { side: this.#side, only });
    return contents.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }
}

/** The names of the pieces at which a reader looks first: the first attachment, otherwise the first image. */
function shownFirst(recording: OpenRecording, event: number): string[] {
  const images = recording.pieces(event).readable.filter(({ image }) => image);
  const bound = recording.state(event).resources.filter(({ role }) => role.startsWith("attachment"));
  const attachments = new Set(bound.map(({ name }) => name));
  const found = images.find(({ resource }) => attachments.has(resource)) ?? images[0];
  return found ? [found.name] : [];
}
