import type { ByteDifference, TexelDifference } from "./contents/difference.ts";
import type { ComparedPiece } from "./contents/piece.ts";
import type { BoundState } from "./bound_state.ts";
import type { DriverIdentity } from "./driver_process/protocol.ts";

/** Contents that differ between the two drivers. */
export interface PieceDifference {
  /** The piece that was compared. */
  readonly piece: ComparedPiece;
  /** The difference of a buffer. */
  readonly bytes?: ByteDifference;
  /** The difference of an image. */
  readonly texels?: TexelDifference;
  /** The place of the first texel that differs; its sample, if the image has several. */
  readonly at?: {
    readonly x: number;
    readonly y: number;
    readonly z: number;
    readonly layer: number;
    readonly sample?: number;
  };
}

/** The bytes of a buffer or of a level of an image on both drivers. */
export interface PieceContents {
  /** The piece that was read. */
  readonly piece: ComparedPiece;
  /** The bytes. */
  readonly contents: readonly [Uint8Array, Uint8Array];
}

/** The first command whose result differs. */
export interface DifferingAction {
  /** The command's name. */
  readonly command: string;
  /** The command's arguments as the recording has them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Number of the command's line in the recording's file, from 1. */
  readonly line: number;
  /** Everything else that decides the command's effect. */
  readonly boundState: BoundState;
  /**
   * The contents of the bound buffers and images before the command; without those that are too large to be shown.
   */
  readonly before: readonly PieceContents[];
  /** The command's number among the actions of the submission, from 0. */
  readonly index: number;
  /** The number of actions in the submission. */
  readonly of: number;
}

/** A difference between the behaviour of two drivers. */
export interface DriverDifference {
  /**
   * The contents differ, or one driver's process crashed or timed out, or a driver lost its device, or one driver
   * refused what the other did. "unrepeatable": a second replay of one driver has other contents than its first, so that
   * nothing is known of a difference.
   */
  readonly kind: "differs" | "crashed" | "timed out" | "lost" | "failed" | "unrepeatable";
  /** The driver that crashed, timed out, failed or is not repeatable: 0 or 1; undefined for contents that differ. */
  readonly side?: 0 | 1;
  /** The end of the process, or the error. */
  readonly reason?: string;
  /** Number of the submission, from 0; undefined for a difference outside of submissions. */
  readonly submission?: number;
  /** Number of the submission's line, or of the line that failed, in the recording's file. */
  readonly line?: number;
  /** Whether a second replay did not crash or hang, or had no difference. */
  readonly isFlaky?: boolean;
  /** The first command whose result differs; undefined unless it was looked for. */
  readonly action?: DifferingAction;
  /** The contents that differ after that command, or after the submission. */
  readonly differences: readonly PieceDifference[];
  /** The bytes of these contents on both drivers, or in two replays of one driver, by the names of the pieces. */
  readonly contents: ReadonlyMap<string, readonly [Uint8Array, Uint8Array]>;
}

/** The outcome of comparing two drivers. */
export interface DriverComparison {
  /** The identities of the drivers; undefined for a driver that never got so far. */
  readonly drivers: readonly [DriverIdentity | undefined, DriverIdentity | undefined];
  /** The number of submissions that were compared. */
  readonly submissions: number;
  /** The number of buffers and levels of images that were compared. */
  readonly pieces: number;
  /** The number of replays of the recording, or of a part of it, on each driver. */
  readonly replays: number;
  /** Resources that could not be read, with the reason. */
  readonly unread: Readonly<Record<string, string>>;
  /** The first difference; undefined if there is none. */
  readonly finding?: DriverDifference;
}
