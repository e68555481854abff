import { callback, checkOptions, oneOf, type OptionRules, text } from "../../../ffi/check_options.ts";
import type { AnyHook, ForeignThreadPolicy, Layer } from "../../../loader/layer.ts";
import { ProgramGone } from "../../../loader/error.ts";
import { VK_ERROR_INITIALIZATION_FAILED } from "../../../loader/gen/native_gen.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import { commandsBelow } from "../../../loader/layers/hooks/below.ts";
import { defineLayer } from "../../../loader/layers/define/define_layer.ts";
import { newFile } from "../../../loader/layers/shipped/native/file.ts";
import { prepareHooks } from "../../../loader/layers/shipped/native/prepare.ts";
import { CapturedAddresses } from "./captured_addresses.ts";
import { coreName, countsFromEnd, givesSecrets, isRecorded } from "./commands.ts";
import { Follower, type Sides } from "./follower.ts";
import type { RecordedCall, RecordedLine, RecordHeader } from "./line.ts";
import { LineFile, type OpenCall } from "./lines.ts";
import { unknownIn } from "./names.ts";
import { prepareShadows } from "./shadow.ts";
import { isPackedName, packFile } from "./packed.ts";
import { Sidecar } from "./sidecar.ts";
import { PageWatches } from "./written_pages.ts";
import {
  CAPTURE,
  GATHER,
  LATE,
  REST,
  type Rest,
  type SplitLayer,
  WATCHES,
} from "../../layer_server/server/layer_kind.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../loader/gen/command_table_gen.js";

/**
 * Commands that may wait for something that another thread has yet to do. The
 * loader's thread must not wait in their place.
 */
const WAITS = /^vk(Wait|DeviceWaitIdle|QueueWaitIdle)/;

/**
 * Returns the policy of each recorded command for calls on other threads. Waits
 * continue at once, because a replay waits by itself where it must.
 */
function policies(otherThreads: "note" | "block"): NonNullable<Layer["onForeignThread"]> {
  const policy: ForeignThreadPolicy = otherThreads === "block" ? "block" : "record";
  const names = `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ").filter((name) => isRecorded(name) && !WAITS.test(name));
  return Object.fromEntries(names.map((name) => [name, policy]));
}

/** Options of {@linkcode apiRecording}. */
export interface ApiRecordingOptions {
  /**
   * The file to write. A folder of the same name with `.data` at the end is made beside it. A file whose name ends with
   * `.gz` is packed at the end, which takes the permission to read it.
   */
  readonly path: string;
  /**
   * The treatment of calls on a native program's other threads. `"note"`, the default: they continue at once and are
   * not recorded, and `log` and `unseen` report them. `"block"`: they wait until the loader's thread has recorded each
   * call, in the order of the calls, so that the recording can be replayed. Waits for the GPU still continue at once. A
   * program whose loader thread waits for the other threads hangs then: install the loader in a `Worker`.
   */
  readonly otherThreads?: "note" | "block";
  /**
   * Called with one sentence for each thing that a replay will lack, when it is
   * noticed. Default: no messages.
   */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<ApiRecordingOptions> = {
  path: text("the path of a file"),
  otherThreads: oneOf("note", "block"),
  log: callback("takes a sentence"),
};

/** The place of a recording: its lines, and the bytes that would make them long. */
export interface RecordingPlace {
  /** The lines, as {@linkcode LineFile} takes them. */
  readonly lines: Pick<LineFile, "begin" | "end" | "put" | "close" | "abandon">;
  /** The bytes. */
  readonly payloads: Pick<Sidecar, "put">;
  /** Called once all lines are closed. */
  readonly finish?: () => void;
}

/** A layer that records. */
export interface ApiRecording extends Disposable {
  /** The layer, for `layers` of `loadVulkan`. It must see the creation of the instance. */
  readonly layer: Layer;
  /** The events that happened unseen, one sentence each. A recording with gaps cannot be replayed. */
  readonly gaps: readonly string[];
  /** The number of calls of other threads that were noticed so far and not recorded. */
  readonly unseen: number;
  /** The error of a failed write. Nothing is written afterwards, and the program continues. */
  readonly error: unknown;
  /**
   * Adds a gap: a sentence about what happened unseen, which the layer cannot
   * know itself. After the end of the recording the call does nothing.
   */
  missed(sentence: string): void;
  /** Writes the last line and closes the file. A second call does nothing. */
  close(): void;
}

/**
 * Makes a layer that records what a program does with Vulkan, so that
 * {@linkcode replayRecording} can repeat it on another driver, changed or
 * unchanged. The recording has a line of JSON for each successful call, and for
 * what the program wrote into mapped memory and could read there.
 * {@linkcode RecordedLine} describes the lines.
 *
 * `otherThreads` decides whether calls on other threads of a native program are
 * recorded. Deno's own WebGPU calls some commands where no hook may run. What a
 * recording lacks is in `gaps`, and is logged at once.
 *
 * @throws {Error} if the file or the folder cannot be created.
 *
 * @example Record one program, replay it on another driver
 * ```ts ignore
 * import { apiRecording, replayRecording } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using recording = apiRecording({ path: "frame.jsonl" });
 * {
 *   using vulkan = loadVulkan({ layers: [recording.layer] });
 *   // … draw …
 * }
 * recording.close();
 * replayRecording({ driver: "libvk_swiftshader.so" }, "frame.jsonl");
 * ```
 */
export function apiRecording(options: ApiRecordingOptions): ApiRecording {
  checkOptions("apiRecording()", options, RULES);
  return new Recorder(options, (header) => inFile(options.path, header));
}

/** Begins a file, with a folder for bytes beside it. */
function inFile(path: string, header: RecordHeader): RecordingPlace {
  const payloads = new Sidecar(path), finish = () => void (isPackedName(path) && packFile(path));
  try {
    return { payloads, lines: new LineFile(newFile(path, "apiRecording({ path })"), header), finish };
  } catch (error) {
    payloads.removeEmpty();
    throw error;
  }
}

const HEADER: RecordHeader = { schema: "pumice-recording", version: 1 };

/** Records into any place. */
export class Recorder implements ApiRecording {
  readonly layer: Layer & SplitLayer;
  readonly gaps: string[] = [];
  unseen = 0;
  error: unknown;
  readonly #log: (sentence: string) => void;
  readonly #place: RecordingPlace;
  readonly #follower: Follower;
  readonly #watches = new PageWatches();
  readonly #captured = new CapturedAddresses((handle) => commandsBelow(this.layer, handle));
  readonly #unknown = new Set<string>();
  #open = true;
  /** The rests of the hooks that are within `next`, the innermost last; `undefined` for one that {@linkcode REST} gave. */
  readonly #within: (Rest | undefined)[] = [];

  /** `open` begins the place of the recording. Throws what `open` throws. */
  constructor(
    { otherThreads = "note", log = () => {} }: Omit<ApiRecordingOptions, "path">,
    open: (header: RecordHeader) => RecordingPlace,
  ) {
    prepareHooks();
    prepareShadows();
    this.#log = later(log);
    this.layer = {
      ...defineLayer({
        name: "VK_LAYER_PUMICE_api_recording",
        anyCommand: (name) => this.#hook(name),
        onForeignThread: policies(otherThreads),
        recorded: ({ command }) => this.#miss(command),
      }),
      [REST]: () => this.#takeRest(),
      [WATCHES]: true,
      [LATE]: () => this.#follower.isQuiet,
      [CAPTURE]: (_command, _args, isGathered) => void this.#attempt(() => this.#follower.capture(isGathered)),
      [GATHER]: () => this.#follower,
    };
    try {
      this.#place = open(HEADER);
    } catch (error) {
      this.#watches.close();
      throw error;
    }
    const { payloads } = this.#place;
    this.#follower = new Follower(payloads, (line) => this.#put(line), (gap) => this.#gap(gap), this.#watches);
  }

  /** Returns the handle of a recorded name; `undefined` for an object that has ended. */
  handleOf(name: string): bigint | undefined {
    return this.#follower.handleOf(name);
  }

  /** Returns the name of a handle in use. */
  nameOf(type: string, handle: bigint): string | null {
    return this.#follower.nameOf(type, handle);
  }

  /** Forgets gaps that are closed, so that the same sentences can be added again. */
  closeGaps(isClosed: (sentence: string) => boolean): void {
    this.gaps.splice(0, Infinity, ...this.gaps.filter((each) => !isClosed(each)));
  }

  /** See {@linkcode ApiRecording.missed}. */
  missed(sentence: string): void {
    this.#attempt(() => this.#gap(sentence));
  }

  /** See {@linkcode ApiRecording.close}. */
  close(): void {
    if (!this.#open) return;
    this.#attempt(() => this.#lines.close());
    this.#lines.abandon();
    this.#attempt(() => this.#place.finish?.());
    this.#open = false;
    this.#follower.close();
    this.#watches.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  get #lines(): RecordingPlace["lines"] {
    return this.#place.lines;
  }

  #hook(command: string): AnyHook | undefined {
    if (givesSecrets(command)) return (next, ...args) => this.#noteSecret(command, () => next(...args));
    if (!isRecorded(command)) return undefined;
    const sides = this.#follower.sides(command), isWait = countsFromEnd(command), core = coreName(command);
    const record = this.#recording(sides, isWait, core);
    return (next, ...args) => {
      if (!this.#open || this.error !== undefined) return next(...args);
      return this.#captured.changed(core, args, (given) => record(next, given));
    };
  }

  #recording(sides: Sides, isWait: boolean, core: string): (next: NativeCall, args: Arguments) => unknown {
    const { before } = sides;
    return (next, args) => {
      let open = this.#attempt(() => this.#lines.begin(before(args), isWait));
      const rest = (result: unknown) => {
        const begun = open;
        open = undefined; // the thread may go on before its hook ends, and the rest runs once
        if (begun) this.#attempt(() => this.#returned(sides, begun, args, result, core));
      };
      this.#within.push(rest);
      try {
        const result = next(...args);
        rest(result);
        return result;
      } catch (error) {
        // When the program has ended within the call, its line stays open.
        if (!(error instanceof ProgramGone)) rest(VK_ERROR_INITIALIZATION_FAILED);
        throw error;
      } finally {
        this.#within.pop();
      }
    };
  }

  /** Returns the rest of the innermost hook that is within `next`, once. */
  #takeRest(): Rest | undefined {
    const last = this.#within.length - 1, rest = this.#within[last];
    if (rest) this.#within[last] = undefined;
    return rest;
  }

  #noteSecret<T>(command: string, next: () => T): T {
    this.#attempt(() =>
      this.#gap(`Nobody saw where the program put what ${command} gave, which only this driver understands`)
    );
    return next();
  }

  #returned({ after, effects }: Sides, open: OpenCall, args: Arguments, result: unknown, core: string): void {
    const line = after(open.call, args, result), opaque = line && this.#captured.after(core, args);
    if (opaque) line.opaque = opaque;
    this.#lines.end(open, line);
    if (!line) return;
    this.#nameUnknown(line);
    effects(line, args);
  }

  /** A failure to record ends the recording, not the program. The end of the program is no failure. */
  #attempt<T>(step: () => T): T | undefined {
    if (!this.#open || this.error !== undefined) return undefined;
    try {
      return step();
    } catch (error) {
      if (!(error instanceof ProgramGone)) this.error = error ?? "unknown";
    }
  }

  #put(line: RecordedLine): void {
    this.#lines.put(line);
  }

  #nameUnknown(line: RecordedCall): void {
    for (const type of unknownIn(line)) {
      if (!this.#unknown.has(type)) this.#gap(`Nobody saw how the ${type} was made that ${line.command} uses`);
      this.#unknown.add(type);
    }
  }

  #gap(missing: string): void {
    if (this.gaps.includes(missing)) return;
    this.gaps.push(missing);
    this.#log(missing);
    this.#put({ missing });
  }

  /**
   * Counts a call of another thread. The call alone is no gap: the recorded
   * calls may never use what the thread created.
   */
  #miss(command: string): void {
    if (this.unseen++ > 0) return;
    this.#log(
      `Another thread called ${command}, which is not recorded; give the option otherThreads: "block" to record all threads`,
    );
  }
}

/** Logs after native code has returned, because the log may not be allowed to run during its call. */
function later(log: (sentence: string) => void): (sentence: string) => void {
  return (sentence) => void Promise.resolve(sentence).then(log);
}
