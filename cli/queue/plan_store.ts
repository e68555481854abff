import type { Queue } from "./connect.ts";
import { persist } from "./patience.ts";
import type { RoundPlan } from "./plan.ts";
import { QueueTrouble, troubleOf } from "./trouble.ts";

/** A plan with the keys of its tasks. */
export interface StoredPlan {
  readonly plan: RoundPlan;
  readonly keys: readonly string[];
}

/** How many keys go into one piece. */
const PIECE = 1000;

/** Keeps a plan: a line with the plan, and a line for each task's key, as JSON. */
export async function writePlan(
  queue: Queue,
  run: string,
  { round, plan, keys }: { readonly round: number; readonly plan: RoundPlan; readonly keys: Iterable<string> },
): Promise<void> {
  const lines = linesOf(plan, keys), encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  const objects = await queue.objectsOf(run);
  await objects.put({ name: nameOf(round) }, stream, { timeout: 60_000 }).catch((error) => {
    throw troubleOf(error, "the plan of a run");
  });
}

/** Reads a plan. */
export async function readPlan(queue: Queue, run: string, round: number): Promise<StoredPlan> {
  const objects = await queue.objectsOf(run);
  const bytes = await persist(() => objects.getBlob(nameOf(round)), { what: "reading a run's plan" });
  if (!bytes) throw new QueueTrouble(1, `The queue has lost the plan of the run ${run}: run it anew`);
  const [plan, ...keys] = new TextDecoder().decode(bytes).trimEnd().split("\n").map((line) => JSON.parse(line));
  return { plan, keys };
}

function nameOf(round: number): string {
  return `round ${round}`;
}

function* linesOf(plan: RoundPlan, keys: Iterable<string>): Generator<string> {
  yield `${JSON.stringify(plan)}\n`;
  let piece: string[] = [];
  for (const key of keys) {
    piece.push(`${JSON.stringify(key)}\n`);
    if (piece.length < PIECE) continue;
    yield piece.join("");
    piece = [];
  }
  yield piece.join("");
}
