import type { Fields, RecordedCall } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import { VK_FENCE_CREATE_SIGNALED_BIT } from "../../../loader/gen/enums_core_gen.js";
import type { Executed } from "../state_tracker/state_tracker.ts";

/** A fence or an event: its state when it was made, and its state now. */
interface Flag {
  readonly device: string;
  readonly atFirst: boolean;
  isSet: boolean;
}

/** A semaphore: signalled or not, or a counter. */
interface Semaphore {
  readonly device: string;
  readonly isTimeline: boolean;
  readonly atFirst: bigint;
  value: bigint;
}

/**
 * The fences, semaphores and events of a recording as they are when the devices
 * have finished all work that they were given.
 */
export class SyncState {
  readonly #fences = new Map<string, Flag>();
  readonly #events = new Map<string, Flag>();
  readonly #semaphores = new Map<string, Semaphore>();
  /** Waits whose signal has not come, in words. */
  #unmet: { readonly wait: string; readonly isMet: () => boolean }[] = [];

  /** Notes a call, and the end of objects. */
  note(call: RecordedCall, ended: readonly string[]): void {
    for (const map of [this.#fences, this.#events, this.#semaphores]) for (const name of ended) map.delete(name);
    this.#notes[coreName(call.command)]?.(call.args, call.out ?? {});
  }

  /** Notes a command that a submission carries out. */
  executed({ call: { command, args } }: Executed): void {
    const core = coreName(command);
    if (core.startsWith("vkCmdSetEvent")) this.#set(this.#events, args.event, true);
    else if (core.startsWith("vkCmdResetEvent")) this.#set(this.#events, args.event, false);
    else if (core.startsWith("vkCmdWaitEvents")) {
      for (const event of args.pEvents) this.#expect(event, () => this.#events.get(event)?.isSet ?? true);
    }
  }

  /** The wait that keeps the device from ending its work; `undefined` if all work ends by itself. */
  get unmet(): string | undefined {
    return this.#unmet[0]?.wait;
  }

  /** Returns the calls that bring new objects of a device into this state; `queue` signals what only a queue can. */
  restoring(device: string, queue: string): RecordedCall[] {
    const of = <T extends { readonly device: string }>(map: ReadonlyMap<string, T>) =>
      [...map].filter(([, each]) => each.device === device);
    return [
      ...of(this.#fences).flatMap(([name, { atFirst, isSet }]): RecordedCall[] => {
        if (atFirst === isSet) return [];
        if (isSet) return [{ command: "vkQueueSubmit", args: { queue, pSubmits: [], fence: name } }];
        return [{ command: "vkResetFences", args: { device, pFences: [name] } }];
      }),
      ...of(this.#events).flatMap(([name, { isSet }]) =>
        isSet ? [{ command: "vkSetEvent", args: { device, event: name } }] : []
      ),
      ...of(this.#semaphores).flatMap(([name, { isTimeline, atFirst, value }]): RecordedCall[] => {
        if (value === atFirst) return [];
        if (!isTimeline) {
          return [{ command: "vkQueueSubmit", args: { queue, pSubmits: [{ pSignalSemaphores: [name] }] } }];
        }
        return [{
          command: "vkSignalSemaphore",
          args: { device, pSignalInfo: { semaphore: name, value: `${value}` } },
        }];
      }),
      { command: "vkQueueWaitIdle", args: { queue } },
    ];
  }

  readonly #notes: Readonly<Record<string, (args: Fields, out: Fields) => void>> = {
    vkCreateFence: ({ device, pCreateInfo: { flags = 0 } }, { pFence }) => {
      const atFirst = (flags & VK_FENCE_CREATE_SIGNALED_BIT) !== 0;
      this.#fences.set(pFence, { device, atFirst, isSet: atFirst });
    },
    vkResetFences: ({ pFences }) => pFences.forEach((name: string) => this.#set(this.#fences, name, false)),
    vkCreateEvent: ({ device }, { pEvent }) => this.#events.set(pEvent, { device, atFirst: false, isSet: false }),
    vkSetEvent: ({ event }) => this.#set(this.#events, event, true),
    vkResetEvent: ({ event }) => this.#set(this.#events, event, false),
    vkCreateSemaphore: ({ device, pCreateInfo: { pNext = [] } }, { pSemaphore }) => {
      const type = pNext.find(({ sType }: Fields) => sType === "VkSemaphoreTypeCreateInfo");
      const isTimeline = type?.semaphoreType === 1, atFirst = BigInt(isTimeline ? type.initialValue ?? 0 : 0);
      this.#semaphores.set(pSemaphore, { device, isTimeline, atFirst, value: atFirst });
    },
    vkSignalSemaphore: ({ pSignalInfo: { semaphore, value } }) => this.#signal(semaphore, BigInt(value)),
    vkQueueSubmit: (args) => this.#submit(args),
    vkQueueSubmit2: (args) => this.#submit(args),
    vkQueuePresent: ({ pPresentInfo: { pWaitSemaphores = [] } }) => this.#take(pWaitSemaphores),
    vkAcquireNextImage: (args) => this.#acquire(args),
    vkAcquireNextImage2: ({ pAcquireInfo }) => this.#acquire(pAcquireInfo),
  };

  #submit({ pSubmits = [], fence }: Fields): void {
    for (const submit of pSubmits) {
      const { pWaitSemaphores = [], pSignalSemaphores = [], pNext = [] } = submit;
      const { pWaitSemaphoreInfos = [], pSignalSemaphoreInfos = [] } = submit;
      const values = pNext.find(({ sType }: Fields) => sType === "VkTimelineSemaphoreSubmitInfo") ?? {};
      for (const [index, name] of pWaitSemaphores.entries()) this.#wait(name, values.pWaitSemaphoreValues?.[index]);
      for (const { semaphore, value } of pWaitSemaphoreInfos) this.#wait(semaphore, value);
      for (const [index, name] of pSignalSemaphores.entries()) {
        this.#signal(name, BigInt(values.pSignalSemaphoreValues?.[index] ?? 0));
      }
      for (const { semaphore, value = 0 } of pSignalSemaphoreInfos) this.#signal(semaphore, BigInt(value));
    }
    if (fence) this.#set(this.#fences, fence, true);
  }

  #acquire({ semaphore, fence }: Fields): void {
    if (semaphore) this.#signal(semaphore, 0n);
    if (fence) this.#set(this.#fences, fence, true);
  }

  #wait(name: string, value: unknown): void {
    const semaphore = this.#semaphores.get(name);
    if (!semaphore?.isTimeline) return this.#take([name]);
    this.#expect(`${name} at ${value ?? 0}`, () => semaphore.value >= BigInt(value as string ?? 0));
  }

  /** A binary semaphore is no longer signalled once it was waited for. */
  #take(names: readonly string[]): void {
    for (const name of names) {
      const semaphore = this.#semaphores.get(name);
      if (semaphore && !semaphore.isTimeline) semaphore.value = 0n;
    }
  }

  #signal(name: string, value: bigint): void {
    const semaphore = this.#semaphores.get(name);
    if (semaphore) semaphore.value = semaphore.isTimeline ? value : 1n;
    this.#meet();
  }

  #set(flags: ReadonlyMap<string, Flag>, name: string, isSet: boolean): void {
    const flag = flags.get(name);
    if (flag) flag.isSet = isSet;
    this.#meet();
  }

  /** A wait that was met stays so, whatever becomes of its event. */
  #meet(): void {
    if (this.#unmet.length > 0) this.#unmet = this.#unmet.filter(({ isMet }) => !isMet());
  }

  #expect(wait: string, isMet: () => boolean): void {
    if (!isMet()) this.#unmet.push({ wait, isMet });
  }
}
