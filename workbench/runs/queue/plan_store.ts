import type { Queue } from "./connect.ts";
import { decode, encode } from "./messages.ts";
import { persist } from "./patience.ts";
import type { RoundPlan } from "./plan.ts";
import { QueueTrouble } from "./trouble.ts";

/** A plan with the keys of its tasks. */
export interface StoredPlan {
  readonly plan: RoundPlan;
  readonly keys: readonly string[];
}

/** The number of keys in one object: the client sends a whole object without waiting for the server. */
const PIECE = 2000;

/** Keeps a plan, and the keys of its tasks in pieces. */
export async function writePlan(
  queue: Queue,
  run: string,
  { round, plan, keys }: { readonly round: number; readonly plan: RoundPlan; readonly keys: Iterable<string> },
): Promise<void> {
  const objects = await queue.objectsOf(run);
  const write = (name: string, value: unknown) => {
    return persist(() => objects.putBlob({ name }, encode(value)), { what: "the plan of a run" });
  };
  let pieces = 0;
  for (const piece of piecesOf(keys)) await write(nameOf(round, pieces++), piece);
  await write(nameOf(round), { plan, pieces } satisfies PlanObject);
}

/** Reads a plan. */
export async function readPlan(queue: Queue, run: string, round: number): Promise<StoredPlan> {
  const objects = await queue.objectsOf(run), keys: string[] = [];
  const read = async <Value>(name: string): Promise<Value> => {
    const bytes = await persist(() => objects.getBlob(name), { what: "reading a run's plan" });
    if (bytes) return decode<Value>(bytes);
    throw new QueueTrouble(1, `The queue has lost the plan of the run ${run}: run it anew`);
  };
  const { plan, pieces } = await read<PlanObject>(nameOf(round));
  for (let piece = 0; piece < pieces; piece++) keys.push(...await read<string[]>(nameOf(round, piece)));
  return { plan, keys };
}

/** The part of a plan that is kept beside the keys. */
interface PlanObject {
  readonly plan: RoundPlan;
  readonly pieces: number;
}

function nameOf(round: number, piece?: number): string {
  return `round ${round}${piece === undefined ? "" : ` keys ${piece}`}`;
}

function* piecesOf(keys: Iterable<string>): Generator<string[]> {
  let piece: string[] = [];
  for (const key of keys) {
    piece.push(key);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
