import { VK_PIPELINE_STAGE_ALL_COMMANDS_BIT } from "../../../loader/gen/native_gen.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import type { RecordedCall } from "../record/line.ts";
import { batchesOf } from "../state_tracker/sync_state.ts";

/** Semaphores that the next submission of a queue waits for, and signals, before its own work. */
interface Before {
  readonly waits: readonly string[];
  readonly signals: readonly string[];
}

/**
 * The semaphores of a window system, which would signal one when an image is acquired, and wait for one before it shows
 * an image. No submission of its own does that, for a driver takes as long for an empty one as for another: waits for
 * acquired images are left out, and waits for shown ones go along with the program's next submission.
 */
export class Owed {
  /** Semaphores of acquired images that nothing has signalled yet. */
  readonly #signals = new Set<string>();
  /** For semaphores that nothing waits for yet, the queue that presents. */
  readonly #waits = new Map<string, string>();

  /** Notes that an image was acquired. */
  acquired(semaphore: string): void {
    this.#signals.add(semaphore);
  }

  /** Notes that a queue presents when semaphores are signalled. */
  presented(queue: string, semaphores: readonly string[]): void {
    for (const each of semaphores) if (!this.#signals.delete(each)) this.#waits.set(each, queue);
  }

  /** Forgets a semaphore that was destroyed. */
  forget(semaphore: string): void {
    this.#signals.delete(semaphore);
    this.#waits.delete(semaphore);
  }

  /** Takes what must come before a submission, by queues: what goes along with the submission, and what other queues owe. */
  take(call: RecordedCall): Map<string, Before> {
    if (this.#signals.size === 0 && this.#waits.size === 0) return new Map();
    const { queue } = call.args,
      batches = batchesOf(call),
      namesOf = (side: "waits" | "signals") => batches.flatMap((batch) => batch[side].map(([name]) => name));
    const signals = namesOf("waits").filter((each) => this.#signals.delete(each)), signalled = namesOf("signals");
    const due = [...this.#waits].filter(([name, owner]) => owner === queue || signalled.includes(name));
    for (const [name] of due) this.#waits.delete(name);
    const before = Map.groupBy(due, ([, owner]) => owner), own = before.get(queue) ?? [];
    if (own.length > 0 || signals.length > 0) before.set(queue, own);
    return new Map([...before].map(([owner, waits]) => [
      owner,
      { waits: waits.map(([name]) => name), signals: owner === queue ? signals : [] },
    ]));
  }
}

/**
 * Returns parts of a submission without the waits for some semaphores, which
 * are as good as signalled; `undefined` if a chain says more about the waits.
 */
export function withoutWaits(batches: readonly StructObject[], done: ReadonlySet<bigint>): StructObject[] | undefined {
  if (batches.some(({ pNext, pWaitSemaphores }) => pNext !== undefined && pWaitSemaphores !== undefined)) {
    return undefined;
  }
  return batches.map((batch) => {
    const { pWaitSemaphores: waits, pWaitDstStageMask: stages, pWaitSemaphoreInfos: infos } = batch as Waiting;
    const isLeft = (each: bigint) => !done.has(each);
    if (infos) return { ...batch, pWaitSemaphoreInfos: infos.filter(({ semaphore }) => isLeft(semaphore)) };
    if (!waits) return batch;
    const pWaitDstStageMask = stages?.filter((_, index) => isLeft(waits[index]));
    return { ...batch, pWaitSemaphores: waits.filter(isLeft), pWaitDstStageMask };
  });
}

/** The waits of a part of a submission. */
interface Waiting {
  readonly pWaitSemaphores?: readonly bigint[];
  readonly pWaitDstStageMask?: readonly number[];
  readonly pWaitSemaphoreInfos?: readonly { readonly semaphore: bigint }[];
}

/** Returns a part of a vkQueueSubmit, or of a vkQueueSubmit2. */
export function batchBefore(
  { waits, signals }: Before,
  handle: (semaphore: string) => bigint,
  isNewer: boolean,
): StructObject {
  const stageMask = BigInt(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT),
    info = (name: string) => ({ semaphore: handle(name), stageMask });
  if (isNewer) return { pWaitSemaphoreInfos: waits.map(info), pSignalSemaphoreInfos: signals.map(info) };
  return {
    pWaitSemaphores: waits.map(handle),
    pWaitDstStageMask: waits.map(() => VK_PIPELINE_STAGE_ALL_COMMANDS_BIT),
    pSignalSemaphores: signals.map(handle),
  };
}
