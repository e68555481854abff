import type { ForeignCall } from "../../../loader/layer.ts";
import type { TraceWriter, Track } from "./trace_writer.ts";

/** A recorded call of another thread, of Vulkan or of EGL. */
type Recorded = Pick<ForeignCall, "time" | "tid" | "lost"> & { readonly command: string };

/** The calls of other threads, as marks on a track for each thread: nobody knows when those calls ended. */
export class ThreadTracks {
  readonly #writer: TraceWriter;
  readonly #tracks = new Map<number, Track>();
  #lost = 0;

  /** Adds tracks to a trace. */
  constructor(writer: TraceWriter) {
    this.#writer = writer;
  }

  /** Writes a call that was made a while ago, and how many calls were lost since the last that was written. */
  write({ command, time, tid, lost }: Recorded): void {
    const track = this.#of(tid);
    if (lost > this.#lost) this.#writer.instant(track, "lost calls", { time, args: { calls: lost - this.#lost } });
    this.#lost = Math.max(this.#lost, lost);
    this.#writer.instant(track, command, { time });
  }

  #of(tid: number): Track {
    let track = this.#tracks.get(tid);
    if (track === undefined) this.#tracks.set(tid, track = this.#writer.threadTrack(tid, `thread ${tid}`));
    return track;
  }
}
