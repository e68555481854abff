import type { NextMsgRequest } from "@nats-io/jetstream";
import type { Queue } from "./connect.ts";
import { decode, type ResultMessage } from "./messages.ts";
import { resultsStream, resultSubject, type TaskPlace } from "./names.ts";
import { persist } from "./patience.ts";
import { isGone } from "./trouble.ts";

/** The queue's knowledge about the pieces of a task. */
export interface StoredVerdicts {
  /** The pieces that have a verdict. */
  readonly settled: ReadonlySet<number>;
  /** The number of workers that have begun a piece alone without a verdict, by piece. */
  readonly lost: ReadonlyMap<number, number>;
}

/** Reads the verdicts that earlier deliveries of a task have left. */
export async function storedVerdicts(queue: Queue, place: TaskPlace, signal: AbortSignal): Promise<StoredVerdicts> {
  const settled = new Set<number>(), begun = new Map<number, Set<string>>();
  for await (const message of storedMessages(queue, place, signal)) {
    const { verdicts, begun: piece, left, worker, delivery } = message, who = `${worker} ${delivery}`;
    for (const [index] of verdicts) settled.add(index);
    if (piece !== undefined) begun.set(piece, (begun.get(piece) ?? new Set()).add(who));
    if (left !== undefined) begun.get(left)?.delete(who);
  }
  for (const index of settled) begun.delete(index);
  return { settled, lost: new Map(begun.entries().map(([index, workers]) => [index, workers.size])) };
}

async function* storedMessages(queue: Queue, place: TaskPlace, signal: AbortSignal): AsyncGenerator<ResultMessage> {
  const stream = resultsStream(place.run), subject = resultSubject(place), what = "reading the results of a task";
  for (let seq = 1;;) {
    const next: NextMsgRequest & { seq: number } = { seq, next_by_subj: subject };
    const message = await persist(() => queue.manager.streams.getMessage(stream, next), { what, signal }).catch(
      (error) => {
        if (isGone(error.cause)) return null;
        throw error;
      },
    );
    if (!message) return;
    yield decode<ResultMessage>(message.data);
    seq = message.seq + 1;
  }
}
