import { callback, checkOptions, oneOf, type OptionRules, text } from "../../../../ffi/check_options.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { type NativeFile, newFile } from "../native/file.ts";
import { prepareHooks } from "../native/prepare.ts";
import { isRecorded } from "./commands.ts";
import { policies } from "./other_threads.ts";
import { crc32 } from "./crc32.ts";
import { Follower } from "./follower.ts";
import type { RecordedLine, RecordEnd, RecordHeader } from "./line.ts";
import { unknownIn } from "./names.ts";
import { prepareShadows } from "./shadow.ts";
import { Sidecar } from "./sidecar.ts";

/** What {@linkcode record} is told. */
export interface RecordOptions {
  /** The file to write. Beside it comes a folder of the same name with `.data` behind. */
  readonly path: string;
  /**
   * What to do about a native program's other threads. `"note"`, the default: they go on at once, their calls are not
   * recorded, and `log` and `unseen` tell of them. `"block"`: they wait until the loader's thread has recorded each
   * call, in the order in which the calls come, so that the recording can be replayed. Waits for the GPU still go on at
   * once. A program that has the loader's thread wait for its other threads hangs then: install the loader in a `Worker`.
   */
  readonly otherThreads?: "note" | "block";
  /** Told of everything that a replay will lack, when it is noticed; one sentence a call. Default: nobody is told. */
  readonly log?: (sentence: string) => void;
}

const RULES: OptionRules<RecordOptions> = {
  path: text("the path of a file"),
  otherThreads: oneOf("note", "block"),
  log: callback("takes a sentence"),
};

/** A layer that records. */
export interface Recording extends Disposable {
  /** The layer, for `layers` of `loadVulkan`: it must see the instance being made. */
  readonly layer: Layer;
  /** What happened unseen, in sentences; such a recording cannot be replayed. */
  readonly gaps: readonly string[];
  /** How many calls of other threads were noticed so far and not recorded. */
  readonly unseen: number;
  /** What went wrong in writing; nothing is written after that, and the program goes on. */
  readonly error: unknown;
  /** Writes the last line and closes the file. A second call does nothing. */
  close(): void;
}

/**
 * Makes a layer that records what a program does with Vulkan, so that
 * {@linkcode replay} can do it again on another driver, changed or not: a line
 * of JSON for each call that succeeded, and for what the program wrote into
 * mapped memory and could read there. {@linkcode RecordedLine} says what is in
 * a line.
 *
 * What other threads of a native program call is recorded where `otherThreads` says so;
 * Deno's own WebGPU calls some commands where no hook may run. What a recording lacks for
 * that is in `gaps`, and `log` is told of it at once.
 *
 * @throws {Error} when the file or the folder cannot be made.
 *
 * @example Record one program, replay it on another driver
 * ```ts ignore
 * import { record, replay } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using recording = record({ path: "frame.jsonl" });
 * {
 *   using vulkan = loadVulkan({ layers: [recording.layer] });
 *   // … draw …
 * }
 * recording.close();
 * replay({ driver: "libvk_swiftshader.so" }, "frame.jsonl");
 * ```
 */
export function record(options: RecordOptions): Recording {
  checkOptions("record()", options, RULES);
  prepareHooks();
  prepareShadows();
  return new Recorder(options);
}

const HEADER: RecordHeader = { schema: "pumice-recording", version: 1 };

class Recorder implements Recording {
  readonly layer: Layer;
  readonly gaps: string[] = [];
  unseen = 0;
  error: unknown;
  readonly #log: (sentence: string) => void;
  readonly #file: NativeFile;
  readonly #follower: Follower;
  readonly #unknown = new Set<string>();
  #lines = 0;
  #crc32 = 0;
  #open = true;

  constructor({ path, otherThreads = "note", log = () => {} }: RecordOptions) {
    this.#log = later(log);
    this.layer = defineLayer({
      name: "VK_LAYER_PUMICE_record",
      anyCommand: (name) => this.#hook(name),
      onForeignThread: policies(otherThreads),
      recorded: ({ command }) => this.#miss(command),
    });
    this.#follower = new Follower(new Sidecar(path), (line) => this.#put(line), (gap) => this.#gap(gap));
    this.#file = newFile(path);
    this.#file.writeText(`${JSON.stringify(HEADER)}\n`);
  }

  close(): void {
    if (!this.#open) return;
    const end: RecordEnd = { lines: this.#lines, crc32: this.#crc32.toString(16) };
    this.#attempt(() => this.#file.writeText(`${JSON.stringify(end)}\n`));
    this.#open = false;
    this.#file.close();
    this.#follower.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #hook(command: string): AnyHook | undefined {
    if (!isRecorded(command)) return undefined;
    const { before, after } = this.#follower.sides(command);
    return (next, ...args) => {
      const call = this.#attempt(() => before(args));
      const result = next(...args);
      if (call && !(typeof result === "number" && result < 0)) this.#attempt(() => after(call, args, result));
      return result;
    };
  }

  /** What cannot be recorded ends the recording, not the program. */
  #attempt<T>(step: () => T): T | undefined {
    if (!this.#open || this.error !== undefined) return undefined;
    try {
      return step();
    } catch (error) {
      this.error = error ?? "unknown";
    }
  }

  #put(line: RecordedLine): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#file.writeText(text);
    this.#crc32 = crc32(text, this.#crc32);
    this.#lines++;
    if (!("command" in line)) return;
    for (const type of unknownIn(text)) {
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

  /** A call of another thread. It is no gap by itself: what the thread made may be of no use to the others. */
  #miss(command: string): void {
    if (this.unseen++ > 0) return;
    this.#log(
      `Another thread called ${command}, which is not recorded; give the option otherThreads: "block" to record all threads`,
    );
  }
}

/** Tells once native code has returned: while it runs, what the function does may be forbidden. */
function later(log: (sentence: string) => void): (sentence: string) => void {
  return (sentence) => void Promise.resolve(sentence).then(log);
}
