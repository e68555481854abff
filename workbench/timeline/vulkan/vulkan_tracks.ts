import { peek64 } from "../../../ffi/machine.ts";
import type { AnyHook, ForeignCall, Layer } from "../../../loader/layer.ts";
import { defineLayer } from "../../../loader/layers/define/define_layer.ts";
import { commandsBelow } from "../../../loader/layers/hooks/below.ts";
import { argumentReader, type Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { TraceFields } from "../../../loader/layers/shipped/trace/line.ts";
import { effectOf, type EffectParts } from "./effects.ts";
import { Queues } from "./queues.ts";
import { signalReader, type Signals } from "./signals.ts";
import { nanoseconds } from "../../../loader/layers/shipped/native/clock.ts";
import type { TraceWriter, Track } from "./trace_writer.ts";

/** Signals that nobody waited for are forgotten beyond this number, the oldest first. */
const MOST = 4096;

/**
 * The arrows from those who signal to those who wait, by what is signalled: a
 * fence, a semaphore, or a semaphore's value. Whoever waits takes the arrow,
 * except for values, which many may wait for.
 */
class Flows {
  readonly #open = new Map<string, number>();
  readonly #next: () => number;

  /** Takes the source of new numbers. */
  constructor(next: () => number) {
    this.#next = next;
  }

  /** Returns the arrow that begins where something is signalled. */
  signal(what: string): number {
    const flow = this.#next();
    this.#open.delete(what);
    this.#open.set(what, flow);
    if (this.#open.size > MOST) this.#open.delete(this.#open.keys().next().value!);
    return flow;
  }

  /** Returns the arrow that ends with a wait; none if nobody signals. */
  wait(what: string): number[] {
    const flow = this.#open.get(what);
    if (flow === undefined) return [];
    if (!what.includes("=")) this.#open.delete(what);
    return [flow];
  }
}

/** The targets of {@linkcode VulkanTracks}. */
export interface VulkanTracksOptions {
  /** Whether a command's calls are written. */
  readonly predicate: (command: string) => boolean;
  /** Whether the calls' arguments are written, too. */
  readonly withArguments: boolean;
  /** Whether the GPU writes timestamps of its own. */
  readonly gpuTimes: boolean;
  /** Called with the ANativeWindow of a new surface. */
  readonly onWindow: (address: bigint) => void;
}

/** A call that is being made: what was read of it before. */
interface Call {
  readonly inputs: TraceFields | undefined;
  readonly signals: Signals | undefined;
  readonly begun: number;
  readonly flows: readonly number[];
  /** The arrows of the call around this one, which a layer makes, if there is one. */
  readonly carried: readonly number[];
}

const SUBMITS = /^vkQueue(Submit2?|Submit2KHR|BindSparse)$/;
/** Commands whose success means that somebody's signal has arrived. */
const WAITS = /^vk(WaitForFences|GetFenceStatus|WaitSemaphores(KHR)?)$/;

/** A layer that writes calls as slices of the thread, and the work of queues as slices of each queue. */
export class VulkanTracks {
  readonly layer: Layer;
  /** Whether calls are written; can be changed at any time. */
  enabled = true;
  readonly #writer: TraceWriter;
  readonly #options: VulkanTracksOptions;
  readonly #flows: Flows;
  readonly #queues: Queues;
  readonly #parts: EffectParts;
  readonly #threads: ThreadTracks;

  /** Writes to a trace. Not for use inside a callback. */
  constructor(writer: TraceWriter, options: VulkanTracksOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#flows = new Flows(() => writer.newFlow());
    this.#queues = new Queues(writer, (device) => commandsBelow(this.layer, device));
    const below = (handle: bigint) => commandsBelow(this.layer, handle), { gpuTimes, onWindow } = options;
    const isOn = () => this.#isOn;
    this.#parts = { queues: this.#queues, instances: new Map(), below, onWindow, gpuTimes, isOn };
    this.#threads = new ThreadTracks(writer);
    this.layer = defineLayer({
      name: "VK_LAYER_PUMICE_perfetto_trace",
      anyCommand: (command) => this.#hook(command),
      onForeignThread: "record",
      recorded: (call) => this.#hear(call),
    });
  }

  /** Writes the work that is done by now. */
  poll(): void {
    this.#queues.poll();
  }

  /** Writes a call of another thread. The pointers among its arguments lead nowhere now. */
  #hear(call: ForeignCall): void {
    if (call.command === "vkDestroyDevice") this.#queues.abandon(call.args[0] as bigint);
    if (this.#isOn && this.#options.predicate(call.command)) this.#threads.write(call);
  }

  /** Objects are watched even while no calls are written, so that the layer's own objects end with the device. */
  #hook(command: string): AnyHook | undefined {
    const traced = this.#options.predicate(command) ? this.#traced(command) : undefined;
    const isSilent = !traced && SUBMITS.test(command); // the work has no slice, and needs no timestamps
    const effect = isSilent ? undefined : effectOf(command, this.#parts);
    if (!effect || !traced) return effect ?? traced;
    return (next, ...args) => traced((...given) => effect(next, ...given), ...args);
  }

  #traced(command: string): AnyHook {
    const reader = argumentReader(command), signals = signalReader(command);
    const reads = this.#options.withArguments || signals !== undefined;
    if (!reads && !SUBMITS.test(command) && !WAITS.test(command)) return this.#sliced(command);
    return (next, ...args) => {
      if (!this.#isOn) return next(...args);
      this.poll();
      const inputs = reads ? attempt(() => reader.inputs(args)) : undefined;
      const call = this.#begin(command, inputs, inputs && signals && ofOwner(signals(inputs), args[0] as bigint));
      let result: unknown, threw: unknown;
      try {
        return result = next(...args);
      } catch (error) {
        threw = error;
        throw error;
      } finally {
        this.#writer.carried = call.carried;
        this.#end(command, args, call, result, threw);
      }
    };
  }

  /** A command of whose calls nothing but their time is told, as of nearly all of a frame. */
  #sliced(command: string): AnyHook {
    const writer = this.#writer, { thread } = writer;
    return (next, ...args) => {
      if (!this.#isOn) return next(...args);
      this.poll();
      const { carried } = writer;
      writer.begin(thread, command);
      try {
        const result = next(...args);
        writer.carried = carried;
        if (typeof result === "number" && result < 0) writer.end(thread, { args: { result } });
        else writer.end(thread);
        return result;
      } catch (error) {
        writer.carried = carried;
        writer.end(thread, { args: { result: String(error) } });
        throw error;
      } finally {
        this.poll();
      }
    };
  }

  get #isOn(): boolean {
    return this.enabled && this.#writer.isOpen;
  }

  #begin(command: string, inputs: TraceFields | undefined, signals: Signals | undefined): Call {
    const begun = nanoseconds(), isWait = WAITS.test(command);
    const sent = signals?.signals.map((what) => this.#flows.signal(what)) ?? [];
    const taken = isWait ? [] : signals?.waits.flatMap((what) => this.#flows.wait(what)) ?? [];
    const args = this.#options.withArguments ? inputs : undefined, flows = [...sent, ...taken];
    this.#writer.begin(this.#writer.thread, command, { time: begun, args, flows });
    const { carried } = this.#writer;
    if (taken.length > 0) this.#writer.carried = taken;
    return { inputs, signals, begun, flows, carried };
  }

  #end(command: string, args: Arguments, call: Call, result: unknown, threw: unknown): void {
    const { thread } = this.#writer, failed = threw !== undefined || typeof result === "number" && result < 0;
    if (WAITS.test(command) && result === 0) {
      const flows = call.signals?.waits.flatMap((what) => this.#flows.wait(what)) ?? [];
      if (flows.length > 0) this.#writer.instant(thread, "signalled", { flows });
    }
    const shown = failed ? { result: threw === undefined ? result as number : String(threw) } : undefined;
    this.#writer.end(thread, { args: shown });
    if (failed || !SUBMITS.test(command)) return this.poll();
    this.#queues.submitted(args[0] as bigint, { name: command, submitted: call.begun, flows: call.flows });
  }
}

/** Names signals by their instance or device, too: two devices may have the same handles. */
function ofOwner({ signals, waits }: Signals, handle: bigint): Signals {
  const key = peek64(handle), named = (what: string) => `${key}:${what}`;
  return { signals: signals.map(named), waits: waits.map(named) };
}

/** Arguments that cannot be read (for example a chain that is a ring) must not end the call. */
function attempt(read: () => TraceFields): TraceFields {
  try {
    return read();
  } catch (error) {
    return { unreadable: String(error) };
  }
}

/** A recorded call of another thread, of Vulkan or of EGL. */
type Recorded = Pick<ForeignCall, "time" | "tid" | "lost"> & { readonly command: string };

/** The calls of other threads, as marks on a track for each thread: nobody knows when those calls ended. */
export class ThreadTracks {
  readonly #writer: TraceWriter;
  readonly #tracks = new Map<number, Track>();
  #lost = 0;

  /** Adds tracks to a trace. */
  constructor(writer: TraceWriter) {
    this.#writer = writer;
  }

  /** Writes a call that was made a while ago, and how many calls were lost since the last that was written. */
  write({ command, time, tid, lost }: Recorded): void {
    const track = this.#of(tid);
    if (lost > this.#lost) this.#writer.instant(track, "lost calls", { time, args: { calls: lost - this.#lost } });
    this.#lost = Math.max(this.#lost, lost);
    this.#writer.instant(track, command, { time });
  }

  #of(tid: number): Track {
    let track = this.#tracks.get(tid);
    if (track === undefined) this.#tracks.set(tid, track = this.#writer.threadTrack(tid, `thread ${tid}`));
    return track;
  }
}
