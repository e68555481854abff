import { AsyncLocalStorage } from "node:async_hooks";
import { cpuUsage } from "node:process";
import { setImmediate } from "node:timers";

/** Milliseconds in which events count as simultaneous. Each message takes this long. */
export const TICK = 50;
/** Asking for the processor time takes longer than most work: the time of every so-manieth event counts for all. */
const SAMPLE = 8;

/** A machine as the clock sees it: whatever a machine waits for waits with the machine. */
export class Machine {
  /** Whether the machine works, stands still, or has died. */
  state: "there" | "frozen" | "gone" = "there";
  /** The events that came while the machine stood still. */
  readonly held: (() => void)[] = [];
  /** Microseconds of processor time that the machine's own work took. */
  spent = 0;

  /** `isMeasured`: whether the time of the machine's work is taken. */
  constructor(readonly name: string, readonly isMeasured = false) {}
}

interface Event {
  readonly machine: Machine | undefined;
  readonly run: () => void;
  isOff?: boolean;
}

const NAMES = ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;
type Timers = Pick<typeof globalThis, typeof NAMES[number]>;

/**
 * A clock that goes as fast as its events can be worked off, in place of the process's own until the end of a scope:
 * timers, `Date.now` and `performance.now`. A timer belongs to the machine that set it.
 */
export class FalseClock implements Disposable {
  readonly #machines = new AsyncLocalStorage<Machine | undefined>();
  readonly #real = { ...pick(globalThis), date: Date.now, performance: performance.now.bind(performance) };
  readonly #ticks = new Heap();
  readonly #due = new Map<number, Event[]>();
  readonly #timers = new Map<number, Event>();
  readonly #start = Date.now();
  #now = 0;
  #last = 0;
  #measured = 0;

  /** Puts the clock in place of the process's. */
  constructor() {
    const off = (id?: number) => this.#clear(id);
    const timers = {
      setTimeout: (run: () => void, after = 0) => this.#set(run, after),
      setInterval: (run: () => void, every = 0) => this.#set(run, every, every),
      clearTimeout: off,
      clearInterval: off,
    };
    Object.assign(globalThis, timers);
    Date.now = () => this.#start + this.#now;
    performance.now = () => this.#now;
  }

  /** Milliseconds since the clock began. */
  get now(): number {
    return this.#now;
  }

  /** The machine whose work goes on. */
  get machine(): Machine | undefined {
    return this.#machines.getStore();
  }

  /** Begins work of a machine. */
  on<Value>(machine: Machine | undefined, run: () => Value): Value {
    return this.#machines.run(machine, run);
  }

  /** Calls a function on a machine after a time; never on one that has died meanwhile. */
  after(milliseconds: number, machine: Machine | undefined, run: () => void): Event {
    const event = { machine, run }, tick = Math.floor(this.#now / TICK) + Math.max(1, Math.ceil(milliseconds / TICK));
    const others = this.#due.get(tick);
    if (others) others.push(event);
    else {
      this.#due.set(tick, [event]);
      this.#ticks.push(tick);
    }
    return event;
  }

  /** Lets a machine that stood still go on. */
  thaw(machine: Machine): void {
    machine.state = "there";
    for (const run of machine.held.splice(0)) this.after(0, machine, run);
  }

  /** Works events off until something is so, or there are none left. */
  async until(isSo: () => boolean): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve as () => void)); // promises of the last events are settled then
      if (isSo()) return;
      const tick = this.#ticks.pop();
      if (tick === undefined) throw new Error("The simulation stands still: nothing is left to happen");
      this.#now = tick * TICK;
      const events = this.#due.get(tick)!;
      this.#due.delete(tick);
      for (const event of events) if (event.machine?.isMeasured !== true) this.#happen(event);
      const measured = events.filter(({ machine }) => machine?.isMeasured);
      if (measured.length > 0) await this.#measure(measured);
    }
  }

  async #measure(events: readonly Event[]): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve as () => void)); // the work of other machines is done then
    const start = this.#measured++ % SAMPLE === 0 ? processorTime() : undefined;
    for (const event of events) this.#happen(event);
    await new Promise((resolve) => setImmediate(resolve as () => void));
    if (start !== undefined) events[0].machine!.spent += SAMPLE * (processorTime() - start);
  }

  #happen({ machine, run, isOff }: Event): void {
    if (isOff || machine?.state === "gone") return;
    if (machine?.state === "frozen") machine.held.push(run);
    else this.#machines.run(machine, run);
  }

  #set(run: () => void, after: number, every?: number): number {
    const id = ++this.#last, { machine } = this;
    const once = () => {
      if (!this.#timers.has(id)) return; // cleared while it was held
      if (every === undefined) this.#timers.delete(id);
      else this.#timers.set(id, this.after(every, machine, once));
      run();
    };
    this.#timers.set(id, this.after(after, machine, once));
    return id;
  }

  #clear(id?: number): void {
    const event = id === undefined ? undefined : this.#timers.get(id);
    if (!event) return;
    event.isOff = true;
    this.#timers.delete(id!);
  }

  [Symbol.dispose](): void {
    const { date, performance: real, ...timers } = this.#real;
    Object.assign(globalThis, timers);
    Date.now = date;
    performance.now = real;
  }
}

/** Microseconds of processor time of this process. */
function processorTime(): number {
  const { user, system } = cpuUsage();
  return user + system;
}

function pick(timers: Timers): Timers {
  return Object.fromEntries(NAMES.map((name) => [name, timers[name]])) as unknown as Timers;
}

/** Numbers of which the least comes first. */
class Heap {
  readonly #all: number[] = [];

  push(value: number): void {
    const all = this.#all;
    let at = all.push(value) - 1;
    for (let parent; at > 0 && all[parent = at - 1 >> 1] > value; at = parent) all[at] = all[parent];
    all[at] = value;
  }

  pop(): number | undefined {
    const all = this.#all, [first] = all, value = all.pop();
    if (value === undefined || all.length === 0) return first;
    let at = 0;
    for (let child = 1; child < all.length; child = 2 * at + 1) {
      if (child + 1 < all.length && all[child + 1] < all[child]) child++;
      if (all[child] >= value) break;
      all[at] = all[child];
      at = child;
    }
    all[at] = value;
    return first;
  }
}
