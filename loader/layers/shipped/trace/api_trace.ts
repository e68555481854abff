import { callback, checkOptions, list, number, oneOf, type OptionRules, text } from "../../../../ffi/check_options.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { endsFrame, type FrameEnd } from "../frames.ts";
import { microseconds } from "../native/clock.ts";
import { type NativeFile, newFile } from "../native/file.ts";
import { prepareHooks } from "../native/prepare.ts";
import { type ArgumentReader, argumentReader, type Arguments } from "./arguments.ts";
import type { TraceFields, TraceLine } from "./line.ts";

/** What {@linkcode apiTrace} is told: where lines go, and which calls are traced. */
export interface TraceOptions {
  /** Gets each line, without a line break. Give this or `path`. */
  readonly write?: (line: string) => void;
  /** The file to write. Every line is the system's before the call goes on, so that a crash loses none. */
  readonly path?: string;
  /** Asked once for each command that is used, whether to trace it. Default: all. Others cost nothing. */
  readonly predicate?: (command: string) => boolean;
  /** The first and last frame to trace, counted from 0. Default: all, and what is called before and after. */
  readonly frames?: readonly [from: number, to: number];
  /** What ends a frame. Default: `"present"`. */
  readonly frameEnd?: FrameEnd;
}

const RULES: OptionRules<TraceOptions> = {
  write: callback("takes a line"),
  path: text("the path of a file"),
  predicate: callback("says whether a command is traced"),
  frames: list("the first and the last frame", number),
  frameEnd: oneOf("present", "submit"),
};

/** A layer that writes down calls. */
export interface ApiTrace extends Disposable {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** Whether it is writing; may be changed at any time. */
  enabled: boolean;
  /** What went wrong in writing; nothing is written after that, and the program goes on. */
  readonly error: unknown;
  /** Stops writing and closes the file. A second call does nothing. */
  close(): void;
}

/**
 * Makes a layer that writes every call as two lines of JSON: what was given,
 * before the call, and what came back, after it. {@linkcode TraceLine} says
 * what is in a line, {@linkcode traceText} makes text of them.
 *
 * Of a command buffer's inheritance info only the address is shown: the call
 * does not say whether it means anything.
 *
 * @throws {TypeError} when not exactly one of `write` and `path` is given, or `frames` is no range.
 * @throws {Error} when the file cannot be made.
 *
 * @example What a trace begins with
 * ```ts
 * import { apiTrace } from "@pumice/gfx/layers";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * using trace = apiTrace({ write: (line) => lines.push(line), predicate: (command) => !command.startsWith("vkGet") });
 * assertEquals(lines, ['{"schema":"pumice-api-trace","version":1}']);
 * assertEquals(trace.layer.anyCommand?.("vkGetPhysicalDeviceProperties"), undefined);
 * ```
 *
 * @example A file of frames 100 to 105
 * ```ts ignore
 * import { apiTrace } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using trace = apiTrace({ path: "trace.jsonl", frames: [100, 105] });
 * using vulkan = loadVulkan({ layers: [trace.layer] });
 * ```
 */
export function apiTrace(options: TraceOptions): ApiTrace {
  checkOptions("apiTrace()", options, RULES);
  const { frames } = options;
  if ((options.write === undefined) === (options.path === undefined)) {
    throw new TypeError("Cannot trace: give either `write`, a function that takes lines, or `path`, a file");
  }
  if (frames && !(frames[0] >= 0 && frames[1] >= frames[0])) {
    throw new TypeError(`Cannot trace frames ${frames[0]} to ${frames[1]}: give the first and the last, from 0 up`);
  }
  return new Tracer(options);
}

class Tracer implements ApiTrace {
  readonly layer: Layer = defineLayer({ name: "VK_LAYER_PUMICE_api_trace", anyCommand: (name) => this.#hook(name) });
  enabled = true;
  error: unknown;
  readonly #options: TraceOptions;
  readonly #file: NativeFile | undefined;
  #calls = 0;
  #frame = 0;

  constructor(options: TraceOptions) {
    this.#options = options;
    prepareHooks();
    if (options.path !== undefined) this.#file = newFile(options.path);
    this.#put({ schema: "pumice-api-trace", version: 1 });
  }

  close(): void {
    this.enabled = false;
    this.#file?.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #hook(command: string): AnyHook | undefined {
    const { predicate, frameEnd = "present" } = this.#options;
    const ends = endsFrame(frameEnd, command), traced = predicate === undefined || predicate(command);
    if (!traced) return ends ? (next, ...args) => this.#ended(next(...args)) : undefined;
    const reader = argumentReader(command);
    return (next, ...args) => {
      const run = () => next(...args);
      const result = this.#isOn ? this.#trace(command, reader, args, run) : run();
      return ends ? this.#ended(result) : result;
    };
  }

  get #isOn(): boolean {
    const [from, to] = this.#options.frames ?? [0, Infinity];
    return this.enabled && this.error === undefined && this.#frame >= from && this.#frame <= to;
  }

  #ended<T>(result: T): T {
    this.#frame++;
    return result;
  }

  #trace<T>(command: string, reader: ArgumentReader, args: Arguments, run: () => T): T {
    const call = ++this.#calls;
    this.#put({ call, frame: this.#frame, command, in: attempt(() => reader.inputs(args)) });
    const start = microseconds();
    const since = () => Number((microseconds() - start).toFixed(1));
    try {
      const value = run(), us = since(), failed = typeof value === "number" && value < 0;
      const out = failed ? {} : attempt(() => reader.outputs(args));
      this.#put({ call, command, out, result: reader.result(value), us });
      return value;
    } catch (error) {
      this.#put({ call, command, out: {}, us: since(), threw: String(error) });
      throw error;
    }
  }

  #put(line: TraceLine): void {
    try {
      const text = JSON.stringify(line);
      if (this.#file) this.#file.writeText(`${text}\n`);
      else this.#options.write!(text);
    } catch (error) {
      this.error ??= error;
    }
  }
}

/** Arguments that cannot be read (a chain that is a ring, say) must not end the call. */
function attempt(read: () => TraceFields): TraceFields {
  try {
    return read();
  } catch (error) {
    return { unreadable: String(error) };
  }
}
