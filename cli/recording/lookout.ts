import { manifestOf, type RingContents } from "../../workbench/recordings/black_box/read_ring.ts";
import { type SavedBlackBox, savedText, saveRing } from "../../workbench/recordings/black_box/saved.ts";
import type { MarkedBuffer } from "../../workbench/recordings/black_box/unfinished.ts";
import { type TemporaryFolder, temporaryFolder } from "../../loader/temporary_folder.ts";
import { hearSignals } from "../../workbench/process/stop.ts";

/** The settings of looking after a process with a black box. */
interface LookoutOptions {
  /** The recording that is written. */
  readonly path: string;
  /** Milliseconds after which a call counts as one that hangs. */
  readonly bound: number;
  /** The variable that tells the process of the folder. */
  readonly ring: string;
  readonly warn: (text: string) => void;
}

/** Milliseconds between looks, and that the layer itself gets to tell of a wait. */
const LOOK = 100, GRACE = 1000;
/** The file that validation layers of Khronos log to, and that which says so. */
const MESSAGES = "messages.txt", SETTINGS = "vk_layer_settings.txt", SETTINGS_PATH = "VK_LAYER_SETTINGS_PATH";
/** The most kinds of validation errors that are worth a recording each. */
const MOST_ERRORS = 4;
/** Exit codes of programs that were told to end: SIGHUP, SIGINT, SIGTERM. */
const TOLD: readonly number[] = [129, 130, 143];

/** Looks after a process with a black box, and writes the recordings that the process itself cannot write. */
export class Lookout implements Disposable {
  readonly #options: LookoutOptions;
  readonly #folder: TemporaryFolder = temporaryFolder("black");
  readonly #hearing: Disposable;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #own: SavedBlackBox[] = [];
  readonly #codes = new Set<string>();
  /** Whether the user's own settings of layers hold. */
  readonly #hasSettings = Deno.env.get(SETTINGS_PATH) !== undefined;
  #isBad = false;
  #messages = 0;
  /** The beginning of the call in the file, and when it was first seen. */
  #open: { readonly key: string; readonly since: number; isTold: boolean } | undefined;

  /** Begins to look. Processes that are started from now on learn of the folder. */
  constructor(options: LookoutOptions) {
    this.#options = options;
    const { path } = this.#folder;
    Deno.env.set(options.ring, path);
    if (!this.#hasSettings) {
      Deno.writeTextFileSync(`${path}/${SETTINGS}`, settingsText(`${path}/${MESSAGES}`));
      Deno.env.set(SETTINGS_PATH, `${path}/${SETTINGS}`);
    } else options.warn(`black box: ${SETTINGS_PATH} is set, so errors of validation layers write no recording`);
    this.#hearing = hearSignals(
      ["SIGUSR2", "SIGQUIT"],
      (signal) => this.#save(signal === "SIGQUIT" ? "Ctrl-\\ was pressed" : `${signal} arrived`, false),
    );
    this.#timer = setInterval(() => this.#look(), LOOK);
  }

  /** Writes what is to be written after the process has ended, and tells. Returns the exit code. */
  end(code: number): number {
    this.#look();
    const more = this.#codes.size - MOST_ERRORS;
    if (more > 0) {
      this.#options.warn(`black box: ${more} more kinds of validation errors wrote no recording of their own`);
    }
    const manifest = manifestOf(this.#folder.path), all = [...this.#own, ...this.#noted()];
    if (manifest && !manifest.closed && !TOLD.includes(code)) {
      this.#save(`the program's process ended amid its work, with exit code ${code}`, true);
    } else if (all.length === 0 && !this.#isBad) {
      this.#options.warn("black box: nothing happened, so nothing was written");
    }
    const isBad = this.#isBad || this.#noted().length > 0;
    return code === 0 && isBad ? 1 : code;
  }

  /** Ends the work, and removes the folder. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#hearing[Symbol.dispose]();
    Deno.env.delete(this.#options.ring);
    if (!this.#hasSettings) Deno.env.delete(SETTINGS_PATH);
    this.#folder[Symbol.dispose]();
  }

  #look(): void {
    this.#lookAtMessages();
    const key = openCallIn(this.#folder.path), now = performance.now();
    if (key !== this.#open?.key) this.#open = key === undefined ? undefined : { key, since: now, isTold: false };
    if (!this.#open || this.#open.isTold || now - this.#open.since < this.#options.bound + GRACE) return;
    this.#open.isTold = true;
    if (this.#noted().some(({ reason }) => reason.includes("has not returned"))) return;
    const [command] = /vk\w+/.exec(this.#open.key) ?? ["a call"];
    this.#save(`${command} has not returned in ${(now - this.#open.since) / 1000 | 0} s`, true);
  }

  /** Passes new messages of validation layers on. */
  #lookAtMessages(): void {
    const text = textOf(`${this.#folder.path}/${MESSAGES}`), news = text.slice(this.#messages);
    this.#messages = text.length;
    if (news === "") return;
    this.#options.warn(news.trimEnd());
    for (const [, code] of news.matchAll(/Error.*?\[ ((?:VUID|UNASSIGNED|SYNC)-[\w-]+) \]/g)) {
      if (this.#codes.has(code)) continue;
      this.#codes.add(code);
      if (this.#codes.size <= MOST_ERRORS) this.#save(`a validation layer found ${code}`, true);
    }
  }

  #save(reason: string, isFinding: boolean): void {
    const { warn, path } = this.#options;
    try {
      const saved = saveRing(this.#folder.path, path, reason, isFinding ? latestIn : () => undefined);
      this.#own.push(saved);
      this.#isBad ||= isFinding || saved.trouble !== undefined || Object.keys(saved.unsaved).length > 0;
      warn(savedText(saved));
    } catch (error) {
      this.#isBad = true;
      const isEarly = error instanceof Deno.errors.NotFound && !manifestOf(this.#folder.path);
      const why = isEarly ? "no call was made yet" : `the recording cannot be written: ${(error as Error).message}`;
      warn(`black box: ${reason}, and ${why}`);
    }
  }

  /** The recordings that the process itself has written. */
  #noted(): SavedBlackBox[] {
    const text = textOf(`${this.#folder.path}/saved.jsonl`);
    return text.split("\n").flatMap((line) => line === "" ? [] : [JSON.parse(line)]);
  }
}

function settingsText(log: string): string {
  const names = ["debug_action = VK_DBG_LAYER_ACTION_LOG_MSG", "report_flags = error", `log_filename = ${log}`];
  return names.map((each) => `khronos_validation.${each}\n`).join("");
}

/** Returns the beginning of a call that is in the newest file of a ring without its end. */
function openCallIn(folder: string): string | undefined {
  const name = manifestOf(folder)?.segments.at(-1), path = `${folder}/${name}`;
  if (name === undefined) return undefined;
  try {
    using file = Deno.openSync(path);
    const { size } = file.statSync(), bytes = new Uint8Array(Math.min(size, TAIL));
    file.seekSync(size - bytes.length, Deno.SeekMode.Start);
    file.readSync(bytes);
    const text = new TextDecoder().decode(bytes), last = text.slice(text.lastIndexOf("\n") + 1);
    return last === "" ? undefined : `${name} ${size} ${last}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Bytes at the end of a file in which a call begins, unless its line is very long. */
const TAIL = 1 << 12;

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Reads a mark in the memory of the program; `undefined` if the program has ended, or the memory is a device's. */
function latestIn({ address }: MarkedBuffer, { manifest }: RingContents): number | undefined {
  try {
    using memory = Deno.openSync(`/proc/${manifest.process}/mem`);
    memory.seekSync(BigInt(address), Deno.SeekMode.Start);
    const bytes = new Uint8Array(4);
    if (memory.readSync(bytes) === 4) return new DataView(bytes.buffer).getUint32(0, true);
  } catch {
    // without the mark the command is not named
  }
}
