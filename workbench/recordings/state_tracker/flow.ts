import type { RecordedCall } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import { batchesOf, type Lacking, SyncState } from "./sync_state.ts";

/** A submission on its way to the device. */
interface Step {
  /** The recorded queue. */
  readonly queue: string;
  readonly fence: string | undefined;
  /** Number of the line, from 1. */
  readonly line: number;
  readonly batches: ReturnType<typeof batchesOf>;
  /** Gives the submission to the device; absent where there is none. */
  readonly hand?: () => void;
}

/** A submission that waits for something. */
export interface Held extends Lacking {
  /** The recorded queue. */
  readonly queue: string;
  /** Number of the submission's line, from 1. */
  readonly line: number;
}

/** The most submissions that are handed over before somebody must see to their end. */
const MOST = 1024;

/**
 * The order in which submissions go to the device. Programs may submit work that
 * waits for a value or an event which a later call gives. Such work is held back
 * until that call, and all later work of its queue with it. So work that the
 * device has can always come to its end, even where several recorded queues
 * share one.
 */
export class Flow {
  /** Fences, semaphores and events. */
  readonly sync: SyncState = new SyncState();
  /** The devices of queues. */
  readonly #devices = new Map<string, string>();
  /** The objects that work lacked which was handed over all the same, as long as no line has given them. */
  missing: Lacking[] = [];
  #held: Step[] = [];
  #pending: Step[] = [];

  /** Whether work waits for later calls. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Whether so much work was handed over that its end must be waited for. */
  get isFull(): boolean {
    return this.#pending.length > MOST;
  }

  /** The queues with work whose end nobody was seen waiting for. */
  pending(isMeant: (queue: string, device: string | undefined) => boolean = () => true): string[] {
    const queues = new Set(this.#pending.map(({ queue }) => queue));
    return [...queues].filter((queue) => isMeant(queue, this.#devices.get(queue)));
  }

  /** The line of the latest work of a queue. */
  lastLine(queue: string): number | undefined {
    return this.#pending.findLast((each) => each.queue === queue)?.line;
  }

  /** The work that is held, with the waits of the first submission of each queue. */
  get held(): Held[] {
    return this.#heads().flatMap(({ queue, line, batches }) => {
      const lacking = this.sync.lacking(batches);
      return lacking ? [{ queue, line, ...lacking }] : [];
    });
  }

  /** Notes any call of a recording that is only followed: work is done at once, as far as it can be. */
  follow(call: RecordedCall, line: number): void {
    const core = coreName(call.command);
    if (SUBMITS.test(core)) this.submit(call, line);
    else if (WAITS.test(core)) this.waited(core, call.args);
    else this.note(core, call);
  }

  /** Takes a submission, and hands over what can go. */
  submit(call: RecordedCall, line: number, hand?: () => void): void {
    const { queue, fence } = call.args;
    this.#held.push({ queue, fence, line, batches: batchesOf(call), hand });
    this.#advance();
  }

  /** Notes work of the replay itself, which is handed over already. */
  handed(queue: string, fence: string | undefined, line: number): void {
    this.#goes({ queue, fence, line, batches: [], hand: () => {} });
  }

  /** Notes any other call, after which more work may go. */
  note(core: string, call: RecordedCall): void {
    if (/^vkGetDeviceQueue2?$/.test(core)) this.#devices.set(call.out?.pQueue, call.args.device);
    this.sync.note(core, call);
    if (this.missing.length > 0) this.#givenBy(core, call);
    if (this.isHolding && GIVES.test(core)) this.#advance();
  }

  #givenBy(core: string, { args }: RecordedCall): void {
    if (core === "vkSetEvent") this.missing = this.missing.filter(({ name }) => name !== args.event);
    if (core !== "vkSignalSemaphore") return;
    const { semaphore, value } = args.pSignalInfo;
    this.missing = this.missing.filter((each) => each.name !== semaphore || each.value! > BigInt(value));
  }

  /** Gives what held work lacks, as a later call would. */
  give({ name, value }: Lacking): void {
    this.sync.give(name, value);
    this.#advance();
  }

  /** Forgets an object that was destroyed. */
  forget(name: string): void {
    this.sync.forget(name);
  }

  /** Returns the held work whose end a wait needs; none if the wait can end without it. */
  neededBy(core: string, args: RecordedCall["args"]): Held[] {
    const { held } = this, of = (names: readonly string[]) => held.filter(({ queue }) => names.includes(queue));
    if (core === "vkQueueWaitIdle") return of([args.queue]);
    if (core === "vkDeviceWaitIdle") return held.filter(({ queue }) => this.#devices.get(queue) === args.device);
    if (core === "vkWaitForFences") return of(this.#queuesFor(args.pFences, args.waitAll));
    if (core !== "vkWaitSemaphores") return [];
    const { flags, pSemaphores } = args.pWaitInfo, late = this.#late(args);
    return late.length === 0 || flags !== 0 && late.length < pSemaphores.length ? [] : held;
  }

  /** Returns why a wait would never end, if a timeline semaphore is the reason; an empty text for any other wait. */
  endless(core: string, args: RecordedCall["args"]): string {
    const held = this.neededBy(core, args).filter(({ value }) => value !== undefined);
    if (held.length > 0 || core !== "vkWaitSemaphores") return heldText(held);
    const { flags, pSemaphores } = args.pWaitInfo, late = this.#late(args);
    if (late.length === 0 || flags !== 0 && late.length < pSemaphores.length) return "";
    return `no line before gives value ${late[0].value} of ${late[0].name}`;
  }

  /** The values for which a vkWaitSemaphores waits and that nothing gives. */
  #late({ pWaitInfo: { pSemaphores, pValues } }: RecordedCall["args"]): Lacking[] {
    return (pSemaphores as string[]).flatMap((name, index) =>
      this.sync.lackingValue(name, BigInt(pValues[index])) ?? []
    );
  }

  /** Returns the lines of handed and of held work that uses one of some command buffers or fences. */
  uses(names: readonly string[]): { readonly queues: string[]; readonly isHeld: boolean } {
    const used = new Set(names);
    const isUsing = ({ fence, batches }: Step) =>
      fence !== undefined && used.has(fence) ||
      batches.some(({ commandBuffers }) => commandBuffers.some((each) => !this.sync.within(each).isDisjointFrom(used)));
    return {
      queues: [...new Set(this.#pending.filter(isUsing).map(({ queue }) => queue))],
      isHeld: this.#held.some(isUsing),
    };
  }

  /** Hands over everything, in the recorded order, whatever it waits for. */
  force(): void {
    for (const step of this.#held.splice(0)) this.#hand(step);
  }

  /** Notes a wait that has ended. */
  waited(core: string, args: RecordedCall["args"]): void {
    if (core === "vkDeviceWaitIdle") this.#done(({ queue }) => this.#devices.get(queue) === args.device);
    else if (core === "vkQueueWaitIdle") this.#done(({ queue }) => queue === args.queue);
    else if (core === "vkWaitForFences") {
      const { pFences, waitAll } = args;
      if (waitAll || pFences.length === 1) this.#done(({ fence }) => pFences.includes(fence));
    } else this.#waitedForValues(args.pWaitInfo);
  }

  #waitedForValues({ flags, pSemaphores, pValues }: RecordedCall["args"]): void {
    if (flags !== 0 && pSemaphores.length > 1) return;
    const reached = new Map<string, bigint>(
      pSemaphores.map((name: string, index: number) => [name, BigInt(pValues[index])]),
    );
    this.#done(({ batches }) =>
      batches.some(({ signals }) => signals.some(([name, value]) => value > 0n && value <= (reached.get(name) ?? 0n)))
    );
  }

  /** The work of a queue is done when later work of the queue is done, because signals come in order. */
  #done(isDone: (each: Step) => boolean): void {
    for (const queue of this.pending()) {
      const last = this.#pending.findLastIndex((each) => each.queue === queue && isDone(each));
      this.#pending = this.#pending.filter((each, index) => each.queue !== queue || index > last);
    }
  }

  #queuesFor(fences: readonly string[], waitAll: boolean): string[] {
    const holding = this.#held.filter(({ fence }) => fence !== undefined && fences.includes(fence));
    return waitAll || holding.length === fences.length ? holding.map(({ queue }) => queue) : [];
  }

  /** The first held submission of each queue. */
  #heads(): Step[] {
    const queues = new Set<string>();
    return this.#held.filter(({ queue }) => !queues.has(queue) && queues.add(queue));
  }

  #advance(): void {
    for (;;) {
      const ready = this.#heads().find(({ batches }) => !this.sync.run(batches));
      if (!ready) return;
      this.#held.splice(this.#held.indexOf(ready), 1);
      this.#goes(ready);
      ready.hand?.();
    }
  }

  /** Work without a device is done as soon as it goes. */
  #goes(step: Step): void {
    this.sync.give(step.fence);
    if (step.hand) this.#pending.push(step);
  }

  #hand(step: Step): void {
    for (let lacking = this.sync.run(step.batches); lacking; lacking = this.sync.run(step.batches)) {
      this.missing.push(lacking);
      this.sync.give(lacking.name, lacking.value);
    }
    this.#goes(step);
    step.hand?.();
  }
}

/** Calls that give work to a queue, and calls that wait for such work. */
const SUBMITS = /^vkQueue(Submit2?|BindSparse|Present)$/;
const WAITS = /^vk(Wait(ForFences|Semaphores)|(Queue|Device)WaitIdle)$/;
/** Calls after which held work may go. */
const GIVES = /^vk(SignalSemaphore|SetEvent|AcquireNextImage2?)$/;

/** Returns what held work waits for, in words. */
export function heldText(held: readonly Held[]): string {
  return held.map(({ queue, line, name, value }) => {
    const what = value === undefined ? name : `value ${value} of ${name}`;
    return `${queue} waits, since line ${line}, for ${what}, which no line before gives`;
  }).join("; ");
}
