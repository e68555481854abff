import { callback, checkOptions, list, number, oneOf, type OptionRules, text } from "../../../../ffi/check_options.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { endsFrame, type FrameEnd } from "../frames.ts";
import { microseconds } from "../native/clock.ts";
import { type NativeFile, newFile } from "../native/file.ts";
import { prepareHooks } from "../native/prepare.ts";
import { type ArgumentReader, argumentReader, type Arguments } from "./arguments.ts";
import type { TraceFields, TraceLine } from "./line.ts";

/** Options of {@linkcode apiTrace}: where lines go, and which calls are traced. */
export interface ApiTraceOptions {
  /** Gets each line, without a line break. Give this or `path`. */
  readonly write?: (line: string) => void;
  /** The file to write. The system has every line before the call continues, so that a crash loses none. */
  readonly path?: string;
  /**
   * Called once for each command that is used. Returns whether to trace the
   * command. Default: all. Other commands cost nothing.
   */
  readonly predicate?: (command: string) => boolean;
  /** The first and the last frame to trace, counted from 0. Default: all frames, and the calls before and after. */
  readonly frames?: readonly [from: number, to: number];
  /** The end of a frame. Default: `"present"`. */
  readonly frameEnd?: FrameEnd;
}

const RULES: OptionRules<ApiTraceOptions> = {
  write: callback("takes a line"),
  path: text("the path of a file"),
  predicate: callback("says whether a command is traced"),
  frames: list("the first and the last frame", number),
  frameEnd: oneOf("present", "submit"),
};

/** A layer that writes calls down. */
export interface ApiTrace extends Disposable {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** Whether the layer is writing. May be changed at any time. */
  enabled: boolean;
  /** The error of a failed write. Nothing is written afterwards, and the program continues. */
  readonly error: unknown;
  /** Stops writing and closes the file. A second call does nothing. */
  close(): void;
}

/**
 * Makes a layer that writes every call as two lines of JSON: the inputs before
 * the call, and the outputs after it. {@linkcode TraceLine} describes the
 * lines; {@linkcode traceText} formats them as text.
 *
 * Of a command buffer's inheritance info only the address is shown, because the
 * call does not say whether the info counts.
 *
 * @throws {TypeError} if not exactly one of `write` and `path` is given, or if
 *   `frames` is not a range.
 * @throws {Error} if the file cannot be created.
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
export function apiTrace(options: ApiTraceOptions): ApiTrace {
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
  readonly #options: ApiTraceOptions;
  readonly #file: NativeFile | undefined;
  #calls = 0;
  #frame = 0;

  constructor(options: ApiTraceOptions) {
    this.#options = options;
    prepareHooks();
    if (options.path !== undefined) this.#file = newFile(options.path, "apiTrace({ path })");
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
    const size = this.#file?.size ?? 0;
    try {
      if (this.error !== undefined) return;
      const text = JSON.stringify(line);
      if (this.#file) this.#file.writeText(`${text}\n`);
      else this.#options.write!(text);
    } catch (error) {
      this.error ??= error;
      this.#file?.cutTo(size); // a part of a line is no line
    }
  }
}

/** Arguments that cannot be read (for example a chain that is a ring) must not end the call. */
function attempt(read: () => TraceFields): TraceFields {
  try {
    return read();
  } catch (error) {
    return { unreadable: String(error) };
  }
}
