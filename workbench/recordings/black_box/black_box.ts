/**
 * The keeping of a program's last submissions, with the contents that they began from.
 *
 * Copying all memory of the device in each frame would cost more than the frame. Copying what a submission reads before
 * it writes would need copies inside of the program's own command buffers. So lines are kept from the beginning of the
 * program, and contents are read back only when a segment of lines is full, and only those that lines say were written
 * since the last time:
 *
 * ```text
 *   state 1    segment 1      state 2    segment 2      (state 3, when segment 2 is full: segment 1 goes)
 *   contents   500 calls of   contents   the calls      ring_folder.ts  the files; all are replaced at once
 *   objects    vkQueueSubmit  objects    since then     ring.ts         the segments
 *   |                         |                         living_state.ts what lives now, line by line
 *   +-- checkpoint.ts --------+-- read_back.ts          latest_lines.ts what later lines make needless
 * ```
 *
 * Two layers do that. The upper one is the recorder of `record/`, whose lines go to the ring. The lower one, watcher.ts,
 * makes buffers and images that can be copied (copyable_objects.ts), marks commands (marks.ts), bounds waits, and reads
 * contents back before a submission; the recorder sees nothing of that. Everything is in files when the driver is
 * entered, so that read_ring.ts and write_recording.ts make a recording of the folder in any process, at any time,
 * whatever became of the program. unfinished.ts finds the command that the marks do not have.
 *
 * Not kept: contents of images with several samples, of transient attachments and of swapchains; results of
 * queries from before; two resources in the same bytes of memory, of which one is written and the other read.
 *
 * @module
 */

import { callback, checkOptions, number, oneOf, type OptionRules, text } from "../../../ffi/check_options.ts";
import type { Layer } from "../../../loader/layer.ts";
import { prepareHooks } from "../../../loader/layers/shipped/native/prepare.ts";
import type { ComparedPiece } from "../compare/contents/piece.ts";
import { sizeOf } from "../compare/contents/piece.ts";
import { Recorder } from "../record/record.ts";
import { Checkpoints, type Place } from "./checkpoint.ts";
import { queueFlags } from "./live_device.ts";
import type { MarkedCommands } from "./marks.ts";
import { readBack } from "./read_back.ts";
import { Ring } from "./ring.ts";
import { type SavedBlackBox, saveRing } from "./saved.ts";
import type { MarkedBuffer } from "./unfinished.ts";
import { Watcher } from "./watcher.ts";

/** Options of {@linkcode blackBox}. */
export interface BlackBoxOptions {
  /**
   * The recording that is written when something happens. A file that is there stays: the next free name is taken, with
   * a number, such as `black-box-2.jsonl`.
   */
  readonly path: string;
  /** The most MiB that the last submissions and the contents that they began from may have. Default 512. */
  readonly mebibytes?: number;
  /** The least number of the last submissions that are kept, once there were so many. Default 500. */
  readonly submissions?: number;
  /** Milliseconds after which a wait counts as one that hangs. Default 10000. */
  readonly bound?: number;
  /**
   * The treatment of calls on a native program's other threads, as of `apiRecording`: `"note"`, the default, or
   * `"block"`.
   */
  readonly otherThreads?: "note" | "block";
  /** Called with one sentence for each thing that a replay will lack, when it is noticed. Default: no messages. */
  readonly log?: (message: string) => void;
  /** Called with each recording that was written. */
  readonly onSaved?: (saved: SavedBlackBox) => void;
}

const RULES: OptionRules<BlackBoxOptions> = {
  path: text("the path of a file"),
  mebibytes: number,
  submissions: number,
  bound: number,
  otherThreads: oneOf("note", "block"),
  log: callback("takes a sentence"),
  onSaved: callback("takes what was saved"),
};

/** Layers that keep the last submissions of a program. */
export interface BlackBox extends Disposable {
  /** The layers, for `layers` of `loadVulkan`, in this order. They must see the creation of the instance. */
  readonly layers: readonly Layer[];
  /** The recordings that were written. */
  readonly saved: readonly SavedBlackBox[];
  /** The error of a failed write, such as one on a full disk. Nothing is kept afterwards, and the program continues. */
  readonly error: unknown;
  /** The events that happened unseen, one sentence each. A recording with gaps cannot be replayed. */
  readonly gaps: readonly string[];
  /**
   * Writes the last submissions now.
   *
   * @throws {Error} if the recording cannot be written.
   */
  save(reason: string): SavedBlackBox;
  /** Adds a gap: a sentence about what happened unseen. */
  missed(sentence: string): void;
  /** Ends the work, and removes what was kept. A second call does nothing. */
  close(): void;
}

/** A black box whose program may be another process. */
export interface ProgramBox extends BlackBox {
  /** Names the process of the program. */
  runsIn(process: number): void;
  /** Writes the lines that wait for spare time, so that any process can make a recording of the folder. */
  flush(): void;
}

/**
 * Makes layers that keep the last submissions of a program, with the contents that they began from, and write them as a
 * recording when something happens: the device is lost, or a wait takes longer than `bound`. `save` writes them at any
 * time. The recording stands alone: `replayRecording` repeats it. Nothing is written if nothing happens.
 *
 * All calls since the program's start are kept until there are `submissions` of them, or a quarter of `mebibytes` is
 * full. Then the contents of all buffers and images that have changed are read back from the device, and what came
 * before the last such time is forgotten.
 *
 * The layers write marks between the commands of command buffers: with vkCmdFillBuffer outside of passes, and with
 * VK_AMD_buffer_marker or VK_NV_device_diagnostic_checkpoints, where the driver has one of them, everywhere. They name
 * the command that the device did not finish.
 *
 * @throws {Error} if the folder for what is kept, `path` with `.ring` at the end, cannot be made.
 *
 * @example The last submissions before a lost device
 * ```ts ignore
 * import { blackBox } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using box = blackBox({ path: "lost.jsonl", onSaved: ({ path, reason }) => console.log(path, reason) });
 * using vulkan = loadVulkan({ layers: [...box.layers] });
 * // … draw …
 * ```
 */
export function blackBox(options: BlackBoxOptions): BlackBox {
  checkOptions("blackBox()", options, RULES, ["path"]);
  const folder = `${options.path}.ring`;
  Deno.mkdirSync(folder);
  return boxIn(folder, options, () => Deno.removeSync(folder, { recursive: true }));
}

/** The same, with a folder of the caller's for what is kept, which the caller removes. */
export function boxIn(folder: string, options: BlackBoxOptions, remove: () => void = () => {}): ProgramBox {
  prepareHooks();
  return new Box(folder, options, remove);
}

/** Gaps that end where contents are read back. */
const CLOSED = /^Nobody saw (who wrote|how work ended)/;
/** Submissions that pass until a device that was busy is asked again. */
const PAUSE = 50;

class Box implements ProgramBox {
  readonly layers: readonly Layer[];
  readonly saved: SavedBlackBox[] = [];
  readonly #folder: string;
  readonly #options: BlackBoxOptions;
  readonly #remove: () => void;
  readonly #recorder: Recorder;
  readonly #watcher: Watcher;
  readonly #checkpoints: Checkpoints;
  #ring!: Ring;
  #bound: number;
  #pause = 0;
  #error: unknown;
  #isOpen = true;
  #isSaving = false;
  #wasLost = false;
  #isElsewhere = false;

  constructor(folder: string, options: BlackBoxOptions, remove: () => void) {
    const { mebibytes = 512, submissions = 500, bound = 10_000, otherThreads, log } = options;
    this.#folder = folder;
    this.#options = options;
    this.#remove = remove;
    this.#bound = bound;
    this.#recorder = new Recorder({ otherThreads, log }, (header) => {
      this.#ring = new Ring(folder, { bytes: mebibytes * 2 ** 20, submissions }, header);
      return this.#ring.place;
    });
    this.#ring.onLost = ({ command }) => this.#happened(`${command} returned VK_ERROR_DEVICE_LOST`);
    const { onForeignThread } = this.#recorder.layer;
    this.#watcher = new Watcher(
      {
        lost: (command) => this.#lost(command),
        hangs: (sentence) => this.#happened(sentence),
        submitting: (queue) => this.#attempt(() => this.#advance(queue)),
        submitted: (commands) => this.#attempt(() => this.#submitted(commands)),
        isWaiting: () => this.#ring.isFull,
        spare: () => this.flush(),
      },
      bound,
      onForeignThread,
    );
    this.#checkpoints = new Checkpoints(this.#ring.living, this.#ring.folder, {
      flags: (device, family) => this.#flags(device, family),
      refusal: (resource) => this.#refusal(resource),
      read: (place, pieces) => this.#read(place, pieces),
    });
    this.layers = [this.#recorder.layer, this.#watcher.layer];
  }

  get error(): unknown {
    return this.#recorder.error ?? this.#error;
  }

  get gaps(): readonly string[] {
    return this.#recorder.gaps;
  }

  save(reason: string): SavedBlackBox {
    return this.#save(reason, !this.#isElsewhere);
  }

  /** The process of the program is another one: lines are written while its thread makes calls. */
  flush(): void {
    if (!this.#isOpen || this.error !== undefined) return;
    try {
      this.#ring.flush();
    } catch (error) {
      this.#error ??= error;
    }
  }

  /** Marks can be read where the program's memory is at hand. */
  #save(reason: string, canRead: boolean): SavedBlackBox {
    const latest = ({ address, base }: MarkedBuffer) =>
      canRead ? this.#watcher.markAt(BigInt(address), base) : undefined;
    if (this.#isElsewhere) this.flush();
    const saved = saveRing(this.#folder, this.#options.path, reason, latest);
    this.saved.push(saved);
    this.#options.onSaved?.(saved);
    return saved;
  }

  runsIn(process: number): void {
    this.#isElsewhere = true;
    this.#attempt(() => this.#ring.runsIn(process));
  }

  missed(sentence: string): void {
    this.#recorder.missed(sentence);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#recorder.close();
    this.#remove();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A device is lost once; what comes then says the same. */
  #lost(command: string): void {
    if (!this.#wasLost) this.#ring.lost = command;
    this.#wasLost = true;
  }

  #happened(reason: string): void {
    this.#attempt(() => {
      if (this.#recorder.error === undefined) this.#save(reason, true);
    });
  }

  /** A failure here must not stop the program; the error is told in the end. */
  #attempt(step: () => void): void {
    if (!this.#isOpen || this.#isSaving) return;
    this.#isSaving = true;
    try {
      step();
    } catch (error) {
      this.#error ??= error;
    } finally {
      this.#isSaving = false;
    }
  }

  /** Reads contents back and forgets old submissions, if the ring is full. */
  #advance(queue: bigint): void {
    if (this.#wasLost || !this.#ring.isFull || this.#pause-- > 0) return;
    this.#pause = PAUSE;
    const places = this.#checkpoints.places();
    if (!places.some((place) => this.#recorder.handleOf(place.queue) === queue)) return;
    if (this.#ring.living.tracker.flow.isHolding || !places.every((place) => this.#isIdle(place))) return;
    const saving = this.#checkpoints.save(this.#ring.room);
    if (!saving) return;
    this.#pause = 0;
    this.#recorder.closeGaps((sentence) => CLOSED.test(sentence));
    this.#ring.living.closeGaps((sentence) => CLOSED.test(sentence));
    this.#ring.advance(saving);
  }

  #isIdle({ device }: Place): boolean {
    return this.#watcher.settle(this.#recorder.handleOf(device)!, BigInt(this.#bound) * 1_000_000n);
  }

  #flags(device: string, family: number): number {
    const live = this.#live(device);
    return live ? queueFlags(live.gpu, live.belowGpu)[family] ?? 0 : 0;
  }

  #refusal(resource: string): string | undefined {
    const handle = this.#recorder.handleOf(resource);
    return handle !== undefined && this.#watcher.canCopy(handle) ? undefined : "the driver cannot copy it";
  }

  #read({ device, queue, family }: Place, pieces: readonly ComparedPiece[]): Uint8Array<ArrayBuffer>[] | undefined {
    const live = this.#live(device), handle = this.#recorder.handleOf(queue), { tracker } = this.#ring.living;
    if (!live || handle === undefined) return undefined;
    const living = pieces.map((piece) => ({
      piece,
      handle: this.#recorder.handleOf(piece.resource)!,
      size: sizeOf(piece, tracker),
      layouts: piece.image?.layers.map((layer) => tracker.layouts.of(piece.resource, piece.image!.level, layer)!) ?? [],
    }));
    return readBack(live, handle, family, living, BigInt(this.#bound) * 1_000_000n);
  }

  #live(device: string) {
    const handle = this.#recorder.handleOf(device);
    return handle === undefined ? undefined : this.#watcher.device(handle);
  }

  #submitted(commands: readonly MarkedCommands[]): void {
    this.#ring.submitted(commands.map(({ handle, address, ...marked }) => ({
      ...marked,
      address: `${address}`,
      buffer: this.#recorder.nameOf("VkCommandBuffer", handle)!,
    })));
  }
}
