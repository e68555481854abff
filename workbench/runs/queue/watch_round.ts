import { consumerName, tasksStream } from "./names.ts";
import { AWAY, delay } from "./patience.ts";
import type { RoundPlan } from "./plan.ts";
import type { QueueRun } from "./queue_run.ts";
import type { Round } from "./round.ts";
import { isGone, QueueTrouble } from "./trouble.ts";
import { requirementsText, slotsFor, workersThere } from "./workers.ts";

/** Milliseconds between two looks at a run. */
const LOOK = 10_000;

/** The round that is watched, with its surroundings. */
export interface Watched {
  readonly plan: RoundPlan;
  readonly round: Round;
  readonly run: QueueRun;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
}

/**
 * Looks after a round until the signal: tasks that the server has lost are queued again, and `warn` gets the reason why
 * nothing goes on. Throws {@linkcode QueueTrouble} when nothing will.
 */
export async function watchRound(number: number, watched: Watched): Promise<never> {
  const { run, round, signal } = watched, watch = new Watch(number, watched);
  for (let left = round.left;; left = round.left) {
    await delay(LOOK, signal);
    if (signal.aborted) return await new Promise(() => {});
    if (round.left === left) await watch.look();
    else watch.wentOn();
    void run;
  }
}

class Watch {
  readonly #number: number;
  readonly #watched: Watched;
  #last = performance.now();
  #isWarned = false;
  #idle = 0;
  #again = 0;

  constructor(number: number, watched: Watched) {
    [this.#number, this.#watched] = [number, watched];
  }

  /** Tasks have ended since the last look. */
  wentOn(): void {
    [this.#last, this.#isWarned, this.#idle] = [performance.now(), false, 0];
  }

  /** Finds out why no task has ended. */
  async look(): Promise<void> {
    const { run } = this.#watched;
    try {
      const open = await this.#openGroups();
      if (open.length === 0) return await this.#queueAgain();
      this.#idle = 0;
      await this.#lookForWorkers(open);
    } catch (error) {
      if (error instanceof QueueTrouble) throw error;
      if (isGone(error)) {
        throw new QueueTrouble(1, `The queue has the run ${run.name} no more: someone ended it, or the store was lost`);
      }
      this.#giveUpIfLate(`no queue's server has answered for`);
    }
  }

  /** Classes with tasks that wait or are with a worker. */
  async #openGroups(): Promise<number[]> {
    const { run } = this.#watched, open: number[] = [];
    for (const group of run.record.groups.keys()) {
      const info = await run.queue.manager.consumers.info(tasksStream(run.name), consumerName(group));
      if (info.num_ack_pending > 0) this.wentOn();
      if (info.num_pending + info.num_ack_pending > 0) open.push(group);
    }
    return open;
  }

  /** Whether verdicts are missing although nothing waits and nothing runs: a server's store was lost in part. */
  async #queueAgain(): Promise<void> {
    if (++this.#idle < 2) return;
    const { run, plan, round } = this.#watched;
    this.#idle = 0;
    await run.publish(this.#number, plan, round, round.open(), `.again${++this.#again}`);
  }

  async #lookForWorkers(open: readonly number[]): Promise<void> {
    const { run, warn } = this.#watched, { groups, version } = run.record, cards = await workersThere(run.queue);
    const without = open.map((group) => groups[group]).filter((each) => slotsFor(each, cards, version) === 0);
    if (without.length === 0) return;
    const wanted = without.map(requirementsText).join("; ");
    if (!this.#isWarned) warn(`no worker with ${wanted} is there now: the run ${run.name} waits for one`);
    this.#isWarned = true;
    this.#giveUpIfLate(`no worker with ${wanted} has been there for`);
  }

  #giveUpIfLate(why: string): void {
    if (performance.now() - this.#last < AWAY) return;
    const { run } = this.#watched;
    throw new QueueTrouble(
      1,
      `The run ${run.name} does not go on: ${why} ${
        AWAY / 60_000
      } minutes; mend that and join it with --join=${run.name}`,
    );
  }
}
