import { isLeased } from "./signing.ts";
import { encode } from "./messages.ts";
import { consumerName, placeOf, tasksStream } from "./names.ts";
import { atMost, delay, persist } from "./patience.ts";
import { type Acknowledgement, Performance } from "./performance.ts";
import { ConsumerRefusal, type DeliveredTask, pullOne } from "./pull.ts";
import { RunsThere, type RunThere } from "./stored_runs.ts";
import { isPassing } from "./trouble.ts";
import { driverFor, type Unit, unitsOf } from "./workers.ts";
import { type WorkerOptions, WorkHere } from "./worker_options.ts";

/** Milliseconds between two signs of life of a worker. */
const SIGN_OF_LIFE = 10_000;
/** Milliseconds after which a worker without runs looks again. */
const IDLE = 2000;
/** Milliseconds before the next attempt after an error. */
const PAUSE = 250;

/** A source of tasks for a unit. */
interface Source {
  readonly run: RunThere;
  readonly group: number;
}

/** Takes tasks of a queue and executes them, until it is drained. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #runs: RunsThere;
  /** Runs without a lease that `warn` has named. */
  readonly #without = new Set<RunThere>();
  readonly #work = new WorkHere();
  readonly #card: Uint8Array;
  #hasLost = false;
  #running = 0;
  #done = 0;
  #turn = 0;

  constructor(options: WorkerOptions) {
    [this.#options, this.#card] = [options, encode(options.card)];
    this.#runs = new RunsThere(options.queue, options.card.version);
  }

  /** Whether tasks are executed now. */
  get isAtWork(): boolean {
    return this.#work.isOn;
  }

  /** Whether the server was left before it had all verdicts of a task. */
  get hasLost(): boolean {
    return this.#hasLost;
  }

  /** Resolves when the worker has drained. */
  async run(): Promise<void> {
    const { card, queue } = this.#options, over = new AbortController();
    await this.#announce();
    const life = this.#live(over.signal), following = this.#runs.follow();
    try {
      const slots = unitsOf(card.drivers).flatMap((unit) => Array.from({ length: card.slots }, () => this.#slot(unit)));
      await Promise.all(slots);
    } finally {
      over.abort();
      this.#runs.stop();
      await Promise.all([life, following]);
      await persist(() => queue.workers.purge(card.worker), { what: "taking leave", limit: 2000 }).catch(() => {});
    }
  }

  #announce(): Promise<unknown> {
    const { card, queue } = this.#options;
    return persist(() => queue.workers.put(card.worker, this.#card), {
      what: "a worker's card",
      signal: this.#options.drain,
    });
  }

  async #live(over: AbortSignal): Promise<void> {
    for (;;) {
      await delay(SIGN_OF_LIFE, over);
      if (over.aborted) return;
      this.#options.tidy?.();
      await this.#announce().catch(() => {}); // the next one comes soon
    }
  }

  async #slot(unit: Unit): Promise<void> {
    const { drain, isOnce } = this.#options;
    let last: Acknowledgement | undefined;
    for (let idle = 0; !drain.aborted;) {
      try {
        const message = await this.#next(unit);
        idle = message ? 0 : idle + 1;
        await last?.done;
        last = message && await this.#perform(message, unit);
        if (!message && isOnce && idle > 1) return;
      } catch (error) {
        this.#complain(error);
        await delay(PAUSE, drain);
      }
    }
    await last?.done;
  }

  #complain(error: unknown): void {
    const isExpected = isPassing(error) || error instanceof ConsumerRefusal;
    if (!isExpected) this.#options.tell?.((error as Error).message);
  }

  /** The next task for a unit; `undefined` if there was none for a while. */
  async #next(unit: Unit): Promise<DeliveredTask | undefined> {
    const { drain } = this.#options, source = await this.#source(unit);
    if (!source) {
      await atMost(IDLE, this.#runs.changed, drain);
      return undefined;
    }
    const message = await this.#pull(source);
    if (!message || !drain.aborted) return message;
    message.giveBack();
    return undefined;
  }

  /** A request that failed may mean that the run is over. */
  async #pull({ run, group }: Source): Promise<DeliveredTask | undefined> {
    try {
      return await pullOne(this.#options.queue, tasksStream(run.name), consumerName(group));
    } catch (error) {
      await this.#runs.isOver(run.name);
      throw error;
    }
  }

  /** Runs take turns. Among several, one that has tasks is asked. */
  async #source(unit: Unit): Promise<Source | undefined> {
    const sources = this.#sources(unit), { manager } = this.#options.queue, at = this.#turn++;
    if (sources.length < 2) return sources[0];
    const turns = sources.map((_, index) => sources[(at + index) % sources.length]);
    for (const each of turns) {
      const info = await manager.consumers.info(tasksStream(each.run.name), consumerName(each.group)).catch(() =>
        undefined
      );
      if (info && info.num_pending > 0) return each;
    }
    return turns[0];
  }

  #sources({ drivers }: Unit): Source[] {
    const { card } = this.#options;
    return this.#runs.all.filter((run) => this.#mayBegin(run)).flatMap((run) =>
      run.record.groups.flatMap((requirements, group) => driverFor(requirements, card, drivers) ? [{ run, group }] : [])
    );
  }

  /** Whether tasks of a run may begin: always, or while a signed run has its lease. */
  #mayBegin(run: RunThere): boolean {
    const { seal, now = Date.now, tell } = this.#options, isLate = seal !== undefined && !isLeased(run.record, now());
    if (isLate && !this.#without.has(run)) {
      tell?.(
        `the run ${run.name} waits: nobody renews its lease; join it with --join, or set the clocks of the machines`,
      );
    }
    if (isLate) this.#without.add(run);
    else this.#without.delete(run);
    return !isLate;
  }

  async #perform(message: DeliveredTask, { drivers }: Unit): Promise<Acknowledgement | undefined> {
    const { card } = this.#options, place = placeOf(message.subject), run = this.#runs.get(place.run);
    const driver = run && driverFor(run.record.groups[place.group], card, drivers);
    if (!run || !driver || !this.#mayBegin(run)) return void message.giveBack(PAUSE);
    const [runs, work, { left }] = [this.#runs, this.#work, this.#options.queue];
    this.#show(1, 0);
    try {
      return await new Performance({ ...this.#options, message, place, run, driver, runs, work }).perform();
    } finally {
      this.#hasLost ||= left.aborted;
      this.#show(-1, 1);
    }
  }

  /** Shows how far the worker is, as long as tasks run. */
  #show(begun: number, done: number): void {
    this.#running += begun;
    this.#done += done;
    const counted = (count: number) => count === 1 ? "1 task" : `${count} tasks`;
    this.#options.show?.(this.#running === 0 ? "" : `${counted(this.#running)} at work, ${this.#done} done`);
  }
}
