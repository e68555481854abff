import type { NativeCall } from "../../../../loader/command/compile.ts";
import {
  VK_SUCCESS,
  VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR,
  VK_TIME_DOMAIN_DEVICE_KHR,
} from "../../../../loader/gen/native_gen.ts";
import type { Arguments } from "../../../../loader/layers/shipped/trace/arguments.ts";
import type { FencePool } from "../fence_pool.ts";
import { nanoseconds } from "../../../../loader/layers/shipped/native/clock.ts";
import { Batches } from "./batches.ts";
import { type Bracket, Brackets } from "./brackets.ts";
import type { Below } from "./below.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import { GpuClock, type Moment, type Span } from "./gpu_clock.ts";
import { Queries } from "./queries.ts";
import { PASS_QUERIES, type Passes, type RenderPasses } from "./render_passes.ts";
import { inFrame } from "../../../../ffi/arena.ts";
import { codec } from "../../../../loader/codec/codec.ts";

/** Asks the driver for both clocks at one moment; `undefined` if the driver fails. */
function calibrated(
  device: bigint,
  below: Below,
  extension: NonNullable<GpuFacts["extension"]>,
): Moment | undefined {
  const ask = extension === "VK_KHR_calibrated_timestamps"
    ? below.vkGetCalibratedTimestampsKHR
    : below.vkGetCalibratedTimestampsEXT;
  return inFrame((memory) => {
    const { view } = memory, { size, encode } = codec("VkCalibratedTimestampInfoKHR");
    const domains = [VK_TIME_DOMAIN_DEVICE_KHR, VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR];
    const infos = memory.alloc(size * domains.length), out = memory.alloc(24);
    domains.forEach((timeDomain, index) => encode({ timeDomain }, infos + size * index));
    const [infosAt, stamps, deviation] = [memory.address(infos), memory.address(out), memory.address(out + 16)];
    if (ask(device, domains.length, infosAt, stamps, deviation) !== VK_SUCCESS) return undefined;
    const [ticks, time, error] = [0, 8, 16].map((at) => view.getBigUint64(out + at, true));
    return { ticks, time: Number(time), error: Number(error), by: extension };
  });
}

/** Nanoseconds after which a queue that does nothing but write two timestamps is given up. */
const PATIENCE = 1_000_000_000n;

/**
 * Lets an idle queue write a timestamp and waits for the timestamp: the GPU wrote it between the call and the end of
 * the wait, so that half of the time in between is the error. `undefined` if the driver fails.
 */
function anchored(queue: bigint, fences: FencePool, queries: Queries, bracket: Bracket): Moment | undefined {
  const { below } = queries, fence = fences.take();
  if (fence === undefined) return undefined;
  const called = nanoseconds(), isSubmitted = submitAlone(queue, below, bracket, fence);
  if (isSubmitted && !fences.wait(fence, PATIENCE)) {
    fences.lose(fence);
    return undefined;
  }
  const seen = nanoseconds(), error = (seen - called) / 2;
  fences.put(fence);
  const [first, last] = isSubmitted ? queries.read(bracket.queries, 2) ?? [] : [];
  if (first === undefined) return undefined;
  return { ticks: first + (last - first) / 2n, time: called + error, error: Math.ceil(error), by: "fence" };
}

function submitAlone(queue: bigint, below: Below, { before, after }: Bracket, fence: bigint): boolean {
  return inFrame((memory) => {
    const { size, encode } = codec("VkSubmitInfo"), info = memory.alloc(size);
    encode({ pCommandBuffers: [before, after] }, info);
    return below.vkQueueSubmit(queue, 1, memory.address(info), fence) === VK_SUCCESS;
  });
}

/** Timestamps around one submission. */
export interface Timing {
  readonly bracket: Bracket;
  readonly passes: readonly Passes[];
  /** The queue's family. */
  readonly family: number;
}

/** The time in which the GPU ran a submission. */
export interface GpuSpan extends Span {
  /** The render passes, by their beginning; inside the submission, and none inside another. */
  readonly passes: readonly Span[];
  /** The most that the times may be off, in nanoseconds. */
  readonly error: number;
  /** The source of the GPU's clock and CLOCK_MONOTONIC: the name of an extension, or `"fence"`. */
  readonly by: string;
}

/** Nanoseconds after which the clocks are compared again. */
const CALIBRATION = 1e9;
/** Timestamps that a queue writes to find out the offset of the clocks; the best attempt counts. */
const ATTEMPTS = 4;

/** The times at which the GPU of one device ran submitted work. */
export class GpuTimes {
  /** The query pools for render passes. */
  readonly passQueries: Queries;
  readonly #facts: GpuFacts;
  readonly #fences: FencePool;
  readonly #passes: RenderPasses;
  readonly #queries: Queries;
  readonly #clock: GpuClock;
  readonly #brackets = new Map<number, Brackets>();
  #compared = 0;

  /** `facts` names the extension only if the device has the extension. */
  constructor(device: bigint, below: Below, facts: GpuFacts, fences: FencePool, passes: RenderPasses) {
    this.#facts = facts;
    this.#fences = fences;
    this.#passes = passes;
    this.passQueries = new Queries(device, below, PASS_QUERIES);
    this.#queries = new Queries(device, below, 2);
    this.#clock = new GpuClock(facts.period);
  }

  /** Whether the layer can write timestamps on queues of a family. */
  isTimed(family: number): boolean {
    return (this.#facts.bits[family] ?? 0) > 0 && this.#facts.period > 0;
  }

  /** Submits work with timestamps around. Returns the result, and the timestamps if there are any. */
  submit(family: number, command: string, args: Arguments, next: NativeCall): [result: number, timing?: Timing] {
    if (!this.isTimed(family)) return [next(...args)];
    this.#compare(family, args[0] as bigint);
    const batches = new Batches(command, args), brackets = this.#bracketsOf(family);
    const passes = this.#passes.of(batches.buffers);
    const bracket = this.#clock.isSet && batches.canGrow ? brackets.take() : undefined;
    if (!bracket) return [next(...args)];
    let result: number | undefined;
    try {
      result = batches.within(bracket, next);
    } finally {
      if (result !== VK_SUCCESS) brackets.put(bracket);
    }
    return [result, result === VK_SUCCESS ? { bracket, family, passes } : undefined];
  }

  /** Reads the timestamps of work that has ended. */
  read({ bracket, family, passes }: Timing, submitted: number, seen: number): GpuSpan | undefined {
    const clock = this.#clock, bits = this.#facts.bits[family], stamps = this.#queries.read(bracket.queries, 2);
    this.#bracketsOf(family).put(bracket);
    if (!stamps) return undefined;
    const whole = clock.spanOf(stamps, bits, submitted, seen);
    const inside = passes.flatMap((each) => this.#passSpans(each, bits));
    return { ...whole, passes: oneAfterTheOther(inside, whole), error: clock.error, by: clock.by };
  }

  /** Forgets the command buffers of the device. */
  forget(): void {
    this.#passes.forget(this.passQueries.device);
  }

  /** Destroys everything, before the device is destroyed. */
  close(): void {
    for (const brackets of this.#brackets.values()) brackets.close();
    this.#queries.close();
    this.passQueries.close();
  }

  #passSpans(passes: Passes, bits: number): Span[] {
    const stamps = passes.read().map((stamp) => this.#clock.timeOf(stamp, bits));
    return Array.from({ length: stamps.length / 2 }, (_, at) => ({ begun: stamps[2 * at], ended: stamps[2 * at + 1] }));
  }

  #bracketsOf(family: number): Brackets {
    let brackets = this.#brackets.get(family);
    if (!brackets) this.#brackets.set(family, brackets = new Brackets(this.#queries, family));
    return brackets;
  }

  /** Compares the clocks: now and then where the driver can do so, once where a queue must help. */
  #compare(family: number, queue: bigint): void {
    const { extension } = this.#facts, { device, below } = this.#queries, now = nanoseconds();
    if (this.#compared > 0 && (!extension || now - this.#compared < CALIBRATION)) return;
    this.#compared = now;
    const known = extension && calibrated(device, below, extension);
    const moment = known ?? (this.#clock.isSet ? undefined : this.#anchor(family, queue));
    if (moment) this.#clock.set(moment);
  }

  /** A queue that does not answer is not asked again, and the bracket stays with it. */
  #anchor(family: number, queue: bigint): Moment | undefined {
    const brackets = this.#bracketsOf(family), moments: Moment[] = [];
    while (moments.length < ATTEMPTS) {
      const bracket = brackets.take();
      const moment = bracket && anchored(queue, this.#fences, this.#queries, bracket);
      if (!moment) break;
      brackets.put(bracket);
      moments.push(moment);
    }
    return moments.toSorted((one, other) => one.error - other.error)[0];
  }
}

/** Slices of a track must not overlap: each begins after the end of the one before. Times outside belong to another run. */
function oneAfterTheOther(spans: readonly Span[], { begun, ended }: Span): Span[] {
  const inside = spans.filter((each) => each.begun >= begun && each.begun <= each.ended && each.ended <= ended);
  let last = begun;
  return inside.toSorted((one, other) => one.begun - other.begun).map((each) => {
    const from = Math.max(each.begun, last);
    last = Math.max(from, each.ended);
    return { begun: from, ended: last };
  });
}
