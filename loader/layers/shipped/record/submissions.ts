import type { RecordedCall } from "./line.ts";

/** A submission whose end was not yet waited for. */
interface Submission {
  readonly queue: string;
  readonly fence: string | undefined;
  /** The values that timeline semaphores get when the submission is done. */
  readonly signals: ReadonlyMap<string, bigint>;
  /** Whether the submission waits for values of timeline semaphores, which later calls may give. */
  readonly waitsForValues: boolean;
}

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;
/** How many submissions are remembered. Programs may wait for them in ways that are not seen. */
const MOST = 256;

/** The work that the GPU may still be doing. */
export class Submissions {
  /** How many submissions there were. */
  count = 0;
  #pending: Submission[] = [];

  /** Whether the GPU may be working now. */
  get busy(): boolean {
    return this.#pending.length > 0;
  }

  /** Whether the end of some work may depend on calls that come later. */
  get dependsOnLater(): boolean {
    return this.#pending.some(({ waitsForValues }) => waitsForValues);
  }

  /** The queues that may have work. */
  queues(): string[] {
    return [...new Set(this.#pending.map(({ queue }) => queue))];
  }

  /** Notes a vkQueueSubmit or vkQueueSubmit2. */
  add({ args }: RecordedCall): void {
    const signals = new Map((args.pSubmits ?? []).flatMap(signalsOf) as [string, bigint][]);
    this.count++;
    const waitsForValues = (args.pSubmits ?? []).some(isWaitingForValues);
    this.#pending.push({ queue: args.queue, fence: args.fence, signals, waitsForValues });
    if (this.#pending.length > MOST) this.#pending.shift();
  }

  /** Notes a successful wait. */
  waited(core: string, args: RecordedCall["args"]): void {
    if (core === "vkDeviceWaitIdle") this.#pending = [];
    else if (core === "vkQueueWaitIdle") this.#done(({ queue }) => queue === args.queue);
    else if (core === "vkWaitForFences") this.#fences(args);
    else this.#semaphores(args.pWaitInfo);
  }

  /** If the wait does not need all fences, one is enough, and nobody says which. */
  #fences({ pFences, waitAll }: Fields): void {
    if (waitAll || pFences.length === 1) this.#done(({ fence }) => pFences.includes(fence));
  }

  #semaphores({ flags, pSemaphores, pValues }: Fields): void {
    if (flags !== 0 && pSemaphores.length > 1) return;
    const values = pSemaphores.map((name: string, index: number) => [name, BigInt(pValues[index])]);
    this.#done(({ signals }) => values.some(([name, value]: [string, bigint]) => signals.get(name)! <= value));
  }

  /** The work of a queue is done when later work of the queue is done, because signals come in order. */
  #done(isDone: (each: Submission) => boolean): void {
    for (const queue of this.queues()) {
      const last = this.#pending.findLastIndex((each) => each.queue === queue && isDone(each));
      this.#pending = this.#pending.filter((each, index) => each.queue !== queue || index > last);
    }
  }
}

/** Returns the names of the command buffers in a submission. */
export function commandBuffersIn({ args }: RecordedCall): string[] {
  return (args.pSubmits ?? []).flatMap(({ pCommandBuffers, pCommandBufferInfos }: Fields) =>
    pCommandBuffers ?? (pCommandBufferInfos ?? []).map(({ commandBuffer }: Fields) => commandBuffer)
  );
}

function signalsOf({ pNext = [], pSignalSemaphores = [], pSignalSemaphoreInfos = [] }: Fields): [string, bigint][] {
  const timeline = pNext.find(({ sType }: Fields) => sType === "VkTimelineSemaphoreSubmitInfo");
  const values: unknown[] = timeline?.pSignalSemaphoreValues ?? [];
  return [
    ...values.map((value, index) => [pSignalSemaphores[index], BigInt(value as string)] as [string, bigint]),
    ...pSignalSemaphoreInfos.map(({ semaphore, value }: Fields) => [semaphore, BigInt(value)]),
  ];
}

function isWaitingForValues({ pNext = [], pWaitSemaphoreInfos = [] }: Fields): boolean {
  return pNext.some(({ pWaitSemaphoreValues }: Fields) => pWaitSemaphoreValues?.length > 0) ||
    pWaitSemaphoreInfos.some(({ value }: Fields) => BigInt(value ?? 0) > 0n);
}
