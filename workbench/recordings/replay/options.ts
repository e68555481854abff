import { callback, list, number, type OptionRules, text, yesOrNo } from "../../../ffi/check_options.ts";
import type { VkInstance, VkPhysicalDevice } from "../../../loader/gen/types_core_gen.ts";
import type { RecordedLine } from "../record/line.ts";

/** Data that can be read where the recorded program could read new data. */
export interface ReplayedRead {
  /** The buffer, or the linear image, by its recorded name. */
  readonly buffer: string;
  /** Offset in bytes from the start of the buffer or image. */
  readonly offset: number;
  /** The data of the recorded program. */
  readonly recorded: Uint8Array;
  /** The data of this device; `undefined` if the host cannot see it. */
  readonly replayed: Uint8Array | undefined;
}

/** Results of queries where the recorded program got some. */
export interface ReplayedQueries {
  /** The query pool, by its recorded name. */
  readonly queryPool: string;
  /** Number of the first query in the pool. */
  readonly firstQuery: number;
  /** VkQueryType of the pool. Two runs of a program never have the same timestamps. */
  readonly queryType: number;
  /** The results of the recorded program, as its call wanted them. */
  readonly recorded: Uint8Array;
  /** The results of this device. */
  readonly replayed: Uint8Array;
}

/** A submission that the device has finished. */
export interface ReplayedSubmit {
  /** Number of the submission, from 0. */
  readonly submission: number;
  /** Returns the bytes of a buffer, by its recorded name. Throws a `TypeError` for an unknown name. */
  read(buffer: string): Uint8Array;
}

/** A presented image. */
export interface ReplayedPresent {
  /** The image, by its recorded name. */
  readonly image: string;
  /** The VkFormat of the image. */
  readonly format: number;
  /** Texels of a row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** The texels of the first layer, row by row, in the format. */
  read(): Uint8Array;
}

/** Options of `replayRecording()`. */
export interface ReplayOptions {
  /**
   * Called for each line. Returns what to do instead, one line or several, or
   * nothing to leave the line out. Return the line itself to keep it.
   */
  readonly edit?: (line: RecordedLine) => RecordedLine | readonly RecordedLine[] | undefined;
  /** Called with readable data wherever the recorded program could read new data. */
  readonly onRead?: (read: ReplayedRead) => void;
  /** Called with the results of queries wherever the recorded program got some. */
  readonly onQueries?: (queries: ReplayedQueries) => void;
  /**
   * Called with the number of a line and its command, before a call is made
   * again within which the recorded program ended.
   */
  readonly onUnfinished?: (line: number, command: string) => void;
  /** Called for each submission when the device has finished it. */
  readonly onSubmit?: (submitted: ReplayedSubmit) => void;
  /** Called for each presented image. */
  readonly onPresent?: (presented: ReplayedPresent) => void;
  /**
   * Called with the new instance and the chosen device. The returned object is
   * disposed of before they are destroyed.
   */
  readonly onInstance?: (instance: VkInstance, gpu: VkPhysicalDevice) => Disposable | void;
  /** Further instance extensions to enable. */
  readonly instanceExtensions?: readonly string[];
  /** Whether to accept a file that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /** Milliseconds that a wait for the device may take before the replay fails. Default 60000. */
  readonly timeout?: number;
  /** The value of each byte of new memory that hosts see, from 0 to 255. Default 0. */
  readonly fill?: number;
}

/** The rules of {@linkcode ReplayOptions}. */
export const REPLAY_RULES: OptionRules<ReplayOptions> = {
  edit: callback("changes lines"),
  onRead: callback("takes what was read"),
  onQueries: callback("takes results of queries"),
  onUnfinished: callback("takes a line and a command"),
  onSubmit: callback("takes a queue"),
  onPresent: callback("takes what is presented"),
  onInstance: callback("takes the instance"),
  instanceExtensions: list("a list of extensions", text("a name")),
  unsealed: yesOrNo,
  timeout: number,
  fill: number,
};

/** The result of a replay. */
export interface ReplayReport {
  /** The name of the physical device; of several, with semicolons between. */
  readonly deviceName: string;
  /** The number of recorded calls that were repeated. */
  readonly calls: number;
  /** The buffers and images for which this device needs memory of their own. */
  readonly moved: readonly string[];
  /** Work that the device never got, because no line gives what the work waits for: a sentence for each queue. */
  readonly held: readonly string[];
  /**
   * The line and command of a call within which the recorded program ended, and
   * which returned here; `undefined` for a recording without such a call.
   */
  readonly again: string | undefined;
}
