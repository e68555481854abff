import { VK_SEMAPHORE_TYPE_TIMELINE } from "../../../loader/gen/native_gen.ts";
import type { RecordedCall } from "./line.ts";
import type { Fields } from "./uses.ts";

/** Work that a queue was given, until it is known to be done. */
export interface Submission {
  readonly queue: string;
  /** The device, if it was seen how the queue was got. */
  readonly device: string | undefined;
  readonly fences: readonly string[];
  /** The values that semaphores get when the work is done; 0 for binary ones. */
  readonly signals: ReadonlyMap<string, bigint>;
  /** The values of timeline semaphores for which the work waits. */
  readonly waits: readonly (readonly [semaphore: string, value: bigint])[];
  /** The work for which this work waits by binary semaphores. */
  readonly after: readonly Submission[];
  /** The steps that are done when the host sees that an event or query is set or available, by its name. */
  readonly markers: ReadonlyMap<string, number>;
  /** By swapchain, the number of the picture that is shown when the work is done. */
  readonly pictures: ReadonlyMap<string, bigint>;
  /** The number of steps that are known to be done; `Infinity` for all. */
  progress: number;
  /** Whether it waits for a value that nobody but the host can give any more, and so has not begun. */
  isHeld: boolean;
}

/** The most submissions that are remembered. Programs may wait for them in ways that are not seen. */
const MOST = 1024;
/** Commands that give a queue work. */
export const GIVES_WORK = /^vkQueue(Submit2?|BindSparse|Present)$/;

/** The work that the queues may still be doing, and what calls tell of its end. */
export class InFlight {
  #pending: Submission[] = [];
  readonly #byCall = new Map<RecordedCall, Submission>();
  readonly #devices = new Map<string, string>();
  /** Timeline semaphores, with the greatest values that they have or that submitted work gives them. */
  readonly #timelines = new Map<string, bigint>();
  /** Events that are set, or that submitted work sets. */
  readonly #setEvents = new Set<string>();

  /** Whether any work is not known to be done. */
  get busy(): boolean {
    return this.#pending.length > 0;
  }

  /** Notes which device a queue belongs to. */
  queue(name: string, device: string): void {
    this.#devices.set(name, device);
  }

  /** Notes a new semaphore. Values for one that is not a timeline are ignored. */
  semaphore(name: string, { pNext = [] }: Fields): void {
    const type = pNext.find(({ semaphoreType }: Fields) => semaphoreType === VK_SEMAPHORE_TYPE_TIMELINE);
    if (type) this.#timelines.set(name, BigInt(type.initialValue));
  }

  /** Forgets a semaphore or an event before its end. */
  forget(name: string): void {
    this.#timelines.delete(name);
    this.#setEvents.delete(name);
  }

  /** Notes that a timeline semaphore gets a value, from work or from the host. */
  signals(name: string, value: bigint): void {
    const known = this.#timelines.get(name);
    if (known === undefined || known >= value) return;
    this.#timelines.set(name, value);
    for (const each of this.#pending) each.isHeld &&= this.#isHeld(each);
  }

  /** Notes that the host sets or resets an event. */
  event(name: string, isSet: boolean): void {
    if (isSet) this.#setEvents.add(name);
    else this.#setEvents.delete(name);
  }

  /** Whether a wait for an event ends only when the host sets it. */
  isClosed(event: string): boolean {
    return !this.#setEvents.has(event);
  }

  /**
   * Notes a call that gives a queue work, when the driver is entered. Returns
   * the work, and work that is forgotten because there is too much.
   */
  add(call: RecordedCall, markers: ReadonlyMap<string, number>): { added: Submission; forgotten?: Submission } {
    const { args } = call, batches: Fields[] = args.pSubmits ?? args.pBindInfo ?? [args.pPresentInfo ?? {}];
    const waited = batches.flatMap((batch) => this.#values(batch, "Wait"));
    const added: Submission = {
      queue: args.queue,
      device: this.#devices.get(args.queue),
      fences: [args.fence, ...batches.flatMap(fencesOf)].filter((each) => typeof each === "string"),
      signals: new Map(batches.flatMap((batch) => this.#values(batch, "Signal"))),
      waits: waited.filter(([, value]) => value > 0n),
      after: waited.flatMap(([name, value]) => value === 0n ? this.#signaller(name) ?? [] : []),
      markers,
      pictures: new Map(batches.flatMap(picturesOf)),
      progress: 0,
      isHeld: false,
    };
    added.isHeld = this.#isHeld(added);
    for (const [name, value] of added.signals) this.signals(name, value);
    for (const marker of markers.keys()) this.#setEvents.add(marker);
    this.#pending.push(added);
    this.#byCall.set(call, added);
    return { added, forgotten: this.#pending.length > MOST ? this.#pending.shift() : undefined };
  }

  /** Notes that a call returned. If it failed, there is no such work. */
  returned(call: RecordedCall, succeeded: boolean): void {
    const submission = this.#byCall.get(call);
    this.#byCall.delete(call);
    if (succeeded || !submission) return;
    submission.progress = Infinity;
    this.#pending = this.#pending.filter((each) => each !== submission);
  }

  /** Notes a successful wait, or an answer that would have ended one. The command is named without its suffix. */
  waited(core: string, args: Fields): void {
    const isDone = ENDS[core]?.(args);
    if (isDone) this.#done(isDone);
  }

  /** Notes that events were seen set, or queries available: what comes before them is done. */
  reached(markers: readonly string[]): void {
    for (const marker of markers) {
      const index = this.#pending.findLastIndex((each) => each.markers.has(marker)), found = this.#pending[index];
      if (!found) continue;
      found.progress = Math.max(found.progress, found.markers.get(marker)!);
      const before = new Set(this.#pending.slice(0, index));
      this.#done((each) => each.queue === found.queue && before.has(each));
    }
  }

  /** Work is done when later work of the queue is done, because signals come in order, and when later work has waited for it. */
  #done(isDone: (each: Submission) => boolean): void {
    const all = this.#pending, todo = all.filter(isDone), done = new Set<Submission>();
    for (let each = todo.pop(); each; each = todo.pop()) {
      if (done.has(each)) continue;
      const last = each, index = all.indexOf(each);
      done.add(last).forEach((one) => one.progress = Infinity);
      todo.push(
        ...all.filter((other, at) =>
          !done.has(other) && (other.queue === last.queue && at < index || last.after.includes(other) ||
            last.waits.some((wait) => gives(other, wait)))
        ),
      );
    }
    this.#pending = all.filter((each) => !done.has(each));
  }

  #isHeld({ waits, after }: Submission): boolean {
    return after.some(({ isHeld }) => isHeld) || waits.some(([name, value]) => this.#timelines.get(name)! < value);
  }

  #signaller(semaphore: string): Submission | undefined {
    return this.#pending.findLast(({ signals }) => signals.get(semaphore) === 0n);
  }

  /** The semaphores of a batch that it waits for or signals, with their values. */
  #values(batch: Fields, kind: "Wait" | "Signal"): [string, bigint][] {
    const names: string[] = batch[`p${kind}Semaphores`] ?? [], infos: Fields[] = batch[`p${kind}SemaphoreInfos`] ?? [];
    const link = (batch.pNext ?? []).find(({ sType }: Fields) => sType === "VkTimelineSemaphoreSubmitInfo");
    const values: string[] = link?.[`p${kind}SemaphoreValues`] ?? [];
    return [
      ...names.map((name, index) => [name, values[index]] as const),
      ...infos.map(({ semaphore, value }) => [semaphore, value] as const),
    ].map(([name, value]) => [name, this.#timelines.has(name) ? BigInt(value ?? 0) : 0n]);
  }
}

/** By command: which work is done when a call has succeeded. */
const ENDS: Readonly<Record<string, (args: Fields) => ((each: Submission) => boolean) | undefined>> = {
  vkDeviceWaitIdle: ({ device }) => (each) => each.device === undefined || each.device === device,
  vkQueueWaitIdle: ({ queue }) => (each) => each.queue === queue,
  // If the wait does not need all fences, one is enough, and nobody says which.
  vkWaitForFences: ({ pFences, waitAll }) =>
    waitAll || pFences.length === 1 ? ({ fences }) => fences.some((fence) => pFences.includes(fence)) : undefined,
  vkWaitSemaphores: ({ pWaitInfo: { flags, pSemaphores, pValues } }) =>
    flags !== 0 && pSemaphores.length > 1
      ? undefined
      : (each) => pSemaphores.some((name: string, index: number) => gives(each, [name, BigInt(pValues[index])])),
  vkWaitForPresent: ({ swapchain, presentId }) => shows(swapchain, presentId),
  vkWaitForPresent2: ({ swapchain, pPresentWait2Info }) => shows(swapchain, pPresentWait2Info.presentId),
};

function shows(swapchain: string, picture: string): (each: Submission) => boolean {
  return ({ pictures }) => (pictures.get(swapchain) ?? Infinity) <= BigInt(picture);
}

/** Whether work gives a timeline semaphore a value that is not above another. */
function gives({ signals }: Submission, [name, value]: readonly [string, bigint]): boolean {
  const given = signals.get(name) ?? 0n;
  return given > 0n && given <= value;
}

/** The fences by which a present tells that it needs nothing any more. */
function fencesOf({ pNext = [] }: Fields): string[] {
  return pNext.flatMap(({ sType, pFences }: Fields) => /^VkSwapchainPresentFenceInfo/.test(sType) ? pFences ?? [] : []);
}

function picturesOf({ pNext = [], pSwapchains = [] }: Fields): [string, bigint][] {
  const ids: string[] = pNext.find(({ sType }: Fields) => /^VkPresentId/.test(sType))?.pPresentIds ?? [];
  return ids.map((id, index) => [pSwapchains[index], BigInt(id)]);
}
