import { VK_FENCE_CREATE_SIGNALED_BIT, VK_SEMAPHORE_TYPE_TIMELINE } from "../../../loader/gen/enums_core_gen.js";
import type { Fields, RecordedCall } from "../record/line.ts";

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

/** A fence, an event or a binary semaphore: whether it is signalled, and was so when it was made. */
interface Flag {
  /** The device; `undefined` for an object that no line made. */
  readonly device: string | undefined;
  readonly atFirst: boolean;
  isSet: boolean;
}

/** A timeline semaphore: its value, and the value with which it was made. */
interface Timeline {
  readonly device: string | undefined;
  readonly atFirst: bigint;
  value: bigint;
}

/** An object whose state is not the one with which it was made: signalled or not, or its value. */
export type Changed = { readonly name: string } & ({ readonly isSet: boolean } | { readonly value: bigint });

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

/**
 * The fences, semaphores and events of a recording as they are, or will be once the work is done that was handed to the
 * device. {@linkcode Flow} decides which work that is.
 */
export class SyncState {
  readonly #timelines = new Map<string, Timeline>();
  /** Fences, events and binary semaphores. */
  readonly #flags = new Map<string, Flag>();
  readonly #uses = new Map<string, EventUse[]>();

  /** Notes what a call other than a submission says about fences, semaphores, events and command buffers. */
  note(core: string, { args, out }: RecordedCall): void {
    const { commandBuffer, event, pSignalInfo } = args;
    if (core === "vkCreateSemaphore") this.#madeSemaphore(args, out?.pSemaphore);
    else if (core === "vkCreateFence") this.#madeFence(args, out?.pFence);
    else if (core === "vkCreateEvent") this.#made(args.device, out?.pEvent, false);
    else if (core === "vkSignalSemaphore") this.give(pSignalInfo.semaphore, BigInt(pSignalInfo.value));
    else if (core === "vkSetEvent") this.give(event);
    else if (core === "vkResetEvent") this.#take(event);
    else if (core === "vkResetFences") args.pFences.forEach((name: string) => this.#take(name));
    else if (core === "vkBeginCommandBuffer") this.#uses.delete(commandBuffer);
    else if (core === "vkCmdExecuteCommands") this.#use(commandBuffer, "execute", args.pCommandBuffers);
    else if (/^vkCmdSetEvent2?$/.test(core)) this.#use(commandBuffer, "set", [event]);
    else if (/^vkCmdResetEvent2?$/.test(core)) this.#use(commandBuffer, "reset", [event]);
    else if (/^vkCmdWaitEvents2?$/.test(core)) this.#use(commandBuffer, "wait", args.pEvents);
    else if (GIVES.test(core)) {
      const { semaphore, fence } = Object.values(args).find(isInfo) ?? args;
      for (const each of [semaphore, fence]) this.give(each);
    }
  }

  /** Notes that a timeline semaphore gets a value, or that another object is signalled. */
  give(name: string | undefined, value = 0n): void {
    if (name === undefined) return;
    const timeline = this.#timelines.get(name);
    if (!timeline) this.#flag(name).isSet = true;
    else if (value > timeline.value) timeline.value = value;
  }

  /** Whether a fence, an event or a binary semaphore is signalled, or will be when all work is done that was handed over. */
  has(name: string): boolean {
    return this.#flags.get(name)?.isSet === true;
  }

  /** Forgets an object that was destroyed. */
  forget(name: string): void {
    for (const each of [this.#timelines, this.#flags, this.#uses]) each.delete(name);
  }

  /** Returns the objects of a device whose state is not the one with which they were made. */
  changed(device: string): Changed[] {
    const flags = [...this.#flags].filter(([, each]) => each.device === device && each.isSet !== each.atFirst);
    const timelines = [...this.#timelines].filter(([, each]) => each.device === device && each.value !== each.atFirst);
    return [
      ...flags.map(([name, { isSet }]) => ({ name, isSet })),
      ...timelines.map(([name, { value }]) => ({ name, value })),
    ];
  }

  /** The value that a timeline semaphore has, or will have when all work is done that was handed over; `undefined` for any other object. */
  value(name: string): bigint | undefined {
    return this.#timelines.get(name)?.value;
  }

  /** Returns what a timeline semaphore lacks for a value; `undefined` if the value will come, or it is no timeline. */
  lackingValue(name: string, value: bigint): Lacking | undefined {
    return (this.#timelines.get(name)?.value ?? value) < value ? { name, value } : undefined;
  }

  /** Returns what parts of a submission lack, one after the other; `undefined` if they lack nothing. */
  lacking(batches: readonly Batch[]): Lacking | undefined {
    return this.run(batches, false);
  }

  /** Returns what parts of a submission lack. If they lack nothing, what they give is noted, unless they do not go yet. */
  run(batches: readonly Batch[], goes = true): Lacking | undefined {
    const changes: [name: string, given: boolean][] = [], values = new Map<string, bigint>();
    const valueOf = (name: string) => values.get(name) ?? this.#timelines.get(name)?.value;
    const has = (name: string) => changes.findLast(([each]) => each === name)?.[1] ?? this.has(name);
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
    for (const [name, given] of changes) this.#flag(name).isSet = given;
    for (const [name, value] of values) this.#timelines.get(name)!.value = value;
  }

  /** Returns a command buffer and those that it executes, each once. */
  within(commandBuffer: string, known: ReadonlySet<string> = new Set()): ReadonlySet<string> {
    if (known.has(commandBuffer)) return known;
    const executed = (this.#uses.get(commandBuffer) ?? []).flatMap(({ kind, names }) =>
      kind === "execute" ? names : []
    );
    return executed.reduce(
      (all, name) => this.within(name, all),
      new Set([...known, commandBuffer]) as ReadonlySet<string>,
    );
  }

  /** Returns the first event that a command buffer waits for and that nothing sets. `around` executes the command buffer. */
  #execute(
    commandBuffer: string,
    has: (event: string) => boolean,
    change: (event: string, given: boolean) => void,
    around: readonly string[] = [],
  ): string | undefined {
    if (around.includes(commandBuffer)) return undefined;
    for (const { kind, names } of this.#uses.get(commandBuffer) ?? []) {
      for (const name of names) {
        if (kind === "wait" && !has(name)) return name;
        if (kind === "set" || kind === "reset") change(name, kind === "set");
        const lacking = kind === "execute" ? this.#execute(name, has, change, [...around, commandBuffer]) : undefined;
        if (lacking !== undefined) return lacking;
      }
    }
  }

  #madeSemaphore({ device, pCreateInfo: { pNext = [] } }: Fields, name: string): void {
    const type = (pNext as Fields[]).find(({ semaphoreType }) => semaphoreType !== undefined);
    if (type?.semaphoreType !== VK_SEMAPHORE_TYPE_TIMELINE) return this.#made(device, name, false);
    const atFirst = BigInt(type.initialValue ?? 0);
    this.#timelines.set(name, { device, atFirst, value: atFirst });
  }

  #madeFence({ device, pCreateInfo: { flags = 0 } }: Fields, name: string): void {
    this.#made(device, name, (flags & VK_FENCE_CREATE_SIGNALED_BIT) !== 0);
  }

  #made(device: string, name: string, atFirst: boolean): void {
    this.#flags.set(name, { device, atFirst, isSet: atFirst });
  }

  #take(name: string): void {
    this.#flag(name).isSet = false;
  }

  #flag(name: string): Flag {
    const known = this.#flags.get(name) ?? { device: undefined, atFirst: false, isSet: false };
    this.#flags.set(name, known);
    return known;
  }

  #use(commandBuffer: string, kind: EventUse["kind"], names: readonly string[]): void {
    const known = this.#uses.get(commandBuffer);
    if (known) known.push({ kind, names });
    else this.#uses.set(commandBuffer, [{ kind, names }]);
  }
}

/** Commands that signal a semaphore or a fence without a submission. */
const GIVES = /^vk(AcquireNextImage2?$|ImportSemaphore|ImportFence)/;

/** Newer commands have their arguments in one struct. */
function isInfo(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && ("semaphore" in value || "fence" in value);
}
