import { peek64 } from "../../../../ffi/machine.ts";
import { structsAt } from "../../../codec/codec.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { commandsBelow } from "../../hooks/below.ts";
import { argumentReader, type Arguments } from "../trace/arguments.ts";
import type { TraceFields } from "../trace/line.ts";
import { Flows } from "./flows.ts";
import { Queues } from "./queues.ts";
import { signalReader, type Signals } from "./signals.ts";
import { nanoseconds, type TraceWriter } from "./trace_writer.ts";

/** What a {@linkcode VulkanTracks} writes. */
export interface VulkanTracksOptions {
  /** Whether a command's calls are written. */
  readonly predicate: (command: string) => boolean;
  /** Whether the calls' arguments are written, too. */
  readonly withArguments: boolean;
  /** Called with the ANativeWindow of a new surface. */
  readonly onWindow: (address: bigint) => void;
}

/** A call that is being made: what was read of it before. */
interface Call {
  readonly inputs: TraceFields | undefined;
  readonly signals: Signals | undefined;
  readonly begun: number;
  readonly flows: readonly number[];
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

  /** Writes to a trace. Not for use inside a callback. */
  constructor(writer: TraceWriter, options: VulkanTracksOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#flows = new Flows(() => writer.newFlow());
    this.#queues = new Queues(writer, (device) => commandsBelow(this.layer, device));
    this.layer = defineLayer({ name: "VK_LAYER_PUMICE_perfetto_trace", anyCommand: (command) => this.#hook(command) });
  }

  /** Writes the work that is done by now. */
  poll(): void {
    this.#queues.poll();
  }

  #hook(command: string): AnyHook | undefined {
    const traced = this.#options.predicate(command) ? this.#traced(command) : undefined;
    const effect = this.#effect(command);
    if (!effect) return traced;
    const call: AnyHook = traced ?? ((next, ...args) => next(...args));
    return (next, ...args) => {
      if (!this.#isOn) return next(...args);
      return effect(() => call(next, ...args), args);
    };
  }

  /** What else happens at a command: queues come and go, and surfaces. */
  #effect(command: string): ((run: () => unknown, args: Arguments) => unknown) | undefined {
    if (/^vkGetDeviceQueue2?$/.test(command)) {
      return (run, args) => {
        run();
        const queue = peek64(args.at(-1) as bigint);
        if (queue !== 0n) this.#queues.follow(args[0] as bigint, queue);
      };
    }
    if (command === "vkDestroyDevice") {
      return (run, args) => {
        this.#queues.forget(args[0] as bigint);
        return run();
      };
    }
    if (command !== "vkCreateAndroidSurfaceKHR") return undefined;
    return (run, args) => {
      const [{ window }] = structsAt("VkAndroidSurfaceCreateInfoKHR", args[1] as bigint, 1);
      this.#options.onWindow(window as bigint);
      return run();
    };
  }

  #traced(command: string): AnyHook {
    const reader = argumentReader(command), signals = signalReader(command);
    const reads = this.#options.withArguments || signals !== undefined;
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
        this.#end(command, args, call, result, threw);
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
    return { inputs, signals, begun, flows };
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
