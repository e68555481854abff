import type { NextMsgRequest } from "@nats-io/jetstream";
import type { Queue } from "./connect.ts";
import { decode, type ResultMessage } from "./messages.ts";
import { resultsStream, resultSubject, type TaskPlace } from "./names.ts";
import { persist } from "./patience.ts";
import { isGone } from "./trouble.ts";

/** What the queue already knows about the pieces of a task. */
export interface StoredVerdicts {
  /** The pieces that have a verdict. */
  readonly settled: ReadonlySet<number>;
  /** How many workers have begun the first piece that is left, and were lost over it. */
  readonly lost: number;
}

/** Reads the verdicts that earlier deliveries of a task have left. */
export async function storedVerdicts(queue: Queue, place: TaskPlace, signal: AbortSignal): Promise<StoredVerdicts> {
  const stream = resultsStream(place.run), subject = resultSubject(place), settled = new Set<number>();
  let begun = new Set([1]); // a first delivery says nothing before its first verdict
  for (let seq = 1;;) {
    const next: NextMsgRequest & { seq: number } = { seq, next_by_subj: subject };
    const message = await persist(() => queue.manager.streams.getMessage(stream, next), {
      what: "reading the results of a task",
      signal,
    }).catch((error) => {
      if (isGone(error.cause)) return null;
      throw error;
    });
    if (!message) return { settled, lost: begun.size };
    const result = decode<ResultMessage>(message.data);
    for (const [index] of result.verdicts) settled.add(index);
    if (result.verdicts.length > 0) begun = new Set();
    begun.add(result.delivery);
    seq = message.seq + 1;
  }
}
