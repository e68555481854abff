import { VK_SEMAPHORE_TYPE_TIMELINE } from "../../../loader/gen/native_gen.ts";
import type { RecordedCall } from "../record/line.ts";

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;
/** A semaphore, and its value if it is a timeline. */
type Semaphore = readonly [name: string, value: bigint];

/** A part of a submission, by recorded names. A queue begins with the next part when this one has what it waits for. */
interface Batch {
  readonly waits: readonly Semaphore[];
  readonly commandBuffers: readonly string[];
  readonly signals: readonly Semaphore[];
}

/** The use of events by a command buffer, or the others that it executes. */
interface EventUse {
  readonly kind: "set" | "reset" | "wait" | "execute";
  readonly names: readonly string[];
}

/** A semaphore's value that a submission waits for, and that no line before gives. */
export interface Lacking {
  /** A semaphore or an event. */
  readonly name: string;
  /** The value of a timeline semaphore; `undefined` for other semaphores and for events. */
  readonly value?: bigint;
}

/** Returns the parts of a vkQueueSubmit, vkQueueSubmit2, vkQueueBindSparse or vkQueuePresentKHR. */
export function batchesOf({ args }: RecordedCall): Batch[] {
  const infos: readonly Fields[] = args.pSubmits ?? args.pBindInfo ?? (args.pPresentInfo ? [args.pPresentInfo] : []);
  return infos.map((info) => {
    const chain: readonly Fields[] = info.pNext ?? [];
    const timeline = chain.find(({ sType }) => sType === "VkTimelineSemaphoreSubmitInfo");
    return {
      waits: semaphoresOf(info.pWaitSemaphores, timeline?.pWaitSemaphoreValues, info.pWaitSemaphoreInfos),
      signals: semaphoresOf(info.pSignalSemaphores, timeline?.pSignalSemaphoreValues, info.pSignalSemaphoreInfos),
      commandBuffers: info.pCommandBuffers ??
        (info.pCommandBufferInfos ?? []).map(({ commandBuffer }: Fields) => commandBuffer),
    };
  });
}

function semaphoresOf(names: string[] = [], values: unknown[] = [], infos: readonly Fields[] = []): Semaphore[] {
  return [
    ...names.map((name, index): Semaphore => [name, BigInt(values[index] as string ?? 0)]),
    ...infos.map(({ semaphore, value }): Semaphore => [semaphore, BigInt(value ?? 0)]),
  ];
}

/** The values that semaphores and events have, or will have once the work is done that was handed to the device. */
export class Promises {
  /** The values of timeline semaphores. */
  readonly #values = new Map<string, bigint>();
  /** Other semaphores that will be signalled, and events that will be set. */
  readonly #given = new Set<string>();
  readonly #uses = new Map<string, EventUse[]>();

  /** Notes what a call other than a submission says about semaphores, events and command buffers. */
  note(core: string, { args, out }: RecordedCall): void {
    const { commandBuffer, event, pSignalInfo } = args;
    if (core === "vkCreateSemaphore") this.#made(out?.pSemaphore, args.pCreateInfo);
    else if (core === "vkSignalSemaphore") this.give(pSignalInfo.semaphore, BigInt(pSignalInfo.value));
    else if (core === "vkSetEvent") this.give(event);
    else if (core === "vkResetEvent") this.#given.delete(event);
    else if (core === "vkBeginCommandBuffer") this.#uses.delete(commandBuffer);
    else if (core === "vkCmdExecuteCommands") this.#use(commandBuffer, "execute", args.pCommandBuffers);
    else if (/^vkCmdSetEvent2?$/.test(core)) this.#use(commandBuffer, "set", [event]);
    else if (/^vkCmdResetEvent2?$/.test(core)) this.#use(commandBuffer, "reset", [event]);
    else if (/^vkCmdWaitEvents2?$/.test(core)) this.#use(commandBuffer, "wait", args.pEvents);
    else if (/^vkAcquireNextImage2?$/.test(core)) this.give((args.pAcquireInfo ?? args).semaphore);
  }

  /** Notes that a semaphore gets a value or is signalled, or that an event is set. */
  give(name: string | undefined, value = 0n): void {
    if (name === undefined) return;
    const known = this.#values.get(name);
    if (known === undefined) this.#given.add(name);
    else if (value > known) this.#values.set(name, value);
  }

  /** Whether a semaphore that is no timeline will be signalled, or an event set, when all work is done that was handed over. */
  has(name: string): boolean {
    return this.#given.has(name);
  }

  /** Forgets an object that was destroyed. */
  forget(name: string): void {
    for (const each of [this.#values, this.#given, this.#uses]) each.delete(name);
  }

  /** Returns what a timeline semaphore lacks for a value; `undefined` if the value will come, or it is no timeline. */
  lackingValue(name: string, value: bigint): Lacking | undefined {
    return (this.#values.get(name) ?? value) < value ? { name, value } : undefined;
  }

  /** Returns what parts of a submission lack, one after the other; `undefined` if they lack nothing. */
  lacking(batches: readonly Batch[]): Lacking | undefined {
    return this.run(batches, false);
  }

  /** Returns what parts of a submission lack. If they lack nothing, what they give is noted, unless they do not go yet. */
  run(batches: readonly Batch[], goes = true): Lacking | undefined {
    const changes: [name: string, given: boolean][] = [], values = new Map<string, bigint>();
    const valueOf = (name: string) => values.get(name) ?? this.#values.get(name);
    const has = (name: string) => changes.findLast(([each]) => each === name)?.[1] ?? this.#given.has(name);
    const change = (name: string, given: boolean) => void changes.push([name, given]);
    for (const { waits, commandBuffers, signals } of batches) {
      for (const [name, value] of waits) {
        const known = valueOf(name);
        if (known === undefined ? !has(name) : known < value) return known === undefined ? { name } : { name, value };
        if (known === undefined) change(name, false);
      }
      const event = commandBuffers.map((each) => this.#execute(each, has, change)).find((each) => each !== undefined);
      if (event !== undefined) return { name: event };
      for (const [name, value] of signals) {
        const known = valueOf(name);
        if (known === undefined) change(name, true);
        else if (value > known) values.set(name, value);
      }
    }
    if (!goes) return undefined;
    for (const [name, given] of changes) given ? this.#given.add(name) : this.#given.delete(name);
    for (const [name, value] of values) this.#values.set(name, value);
  }

  /** Returns a command buffer and those that it executes. */
  within(commandBuffer: string): string[] {
    const executed = (this.#uses.get(commandBuffer) ?? []).filter(({ kind }) => kind === "execute");
    return [commandBuffer, ...executed.flatMap(({ names }) => names)];
  }

  /** Returns the first event that a command buffer waits for and that nothing sets. */
  #execute(
    commandBuffer: string,
    has: (event: string) => boolean,
    change: (event: string, given: boolean) => void,
  ): string | undefined {
    for (const { kind, names } of this.#uses.get(commandBuffer) ?? []) {
      for (const name of names) {
        if (kind === "wait" && !has(name)) return name;
        if (kind === "set" || kind === "reset") change(name, kind === "set");
        const lacking = kind === "execute" ? this.#execute(name, has, change) : undefined;
        if (lacking !== undefined) return lacking;
      }
    }
  }

  #made(name: string, info: Fields): void {
    const type = (info.pNext ?? []).find(({ sType }: Fields) => sType === "VkSemaphoreTypeCreateInfo");
    if (type?.semaphoreType === VK_SEMAPHORE_TYPE_TIMELINE) this.#values.set(name, BigInt(type.initialValue ?? 0));
  }

  #use(commandBuffer: string, kind: EventUse["kind"], names: readonly string[]): void {
    const known = this.#uses.get(commandBuffer);
    if (known) known.push({ kind, names });
    else this.#uses.set(commandBuffer, [{ kind, names }]);
  }
}
