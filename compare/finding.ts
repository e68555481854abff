import type { ByteDifference, TexelDifference } from "./contents/difference.ts";
import type { ComparedPiece } from "./contents/piece.ts";
import type { InHand } from "./in_hand.ts";
import type { DriverIdentity } from "./sides/protocol.ts";

/** Contents that differ between the two drivers. */
export interface PieceDifference {
  /** What was compared. */
  readonly piece: ComparedPiece;
  /** What differs in a buffer. */
  readonly bytes?: ByteDifference;
  /** What differs in an image. */
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
  /** What was read. */
  readonly piece: ComparedPiece;
  /** The bytes. */
  readonly contents: readonly [Uint8Array, Uint8Array];
}

/** The first command whose result differs. */
export interface DifferingAction {
  /** The command's name. */
  readonly command: string;
  /** Its arguments as the recording has them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Number of its line in the recording's file, from 1. */
  readonly line: number;
  /** Everything else that decides what it does. */
  readonly inHand: InHand;
  /** What the buffers and images in hand contained before the command; without those that are too large to be shown. */
  readonly before: readonly PieceContents[];
  /** Its number among the actions of the submission, from 0. */
  readonly index: number;
  /** How many actions the submission has. */
  readonly of: number;
}

/** One of two drivers did something else than the other. */
export interface DriverDifference {
  /**
   * The contents differ, or one driver's process crashed or timed out, or one driver
   * refused what the other did, or a second replay of one driver has other
   * contents than its first, so that nothing is known of a difference.
   */
  readonly kind: "differs" | "crashed" | "timed out" | "failed" | "unrepeatable";
  /** Which driver crashed, timed out, failed or is not repeatable: 0 or 1; undefined for contents that differ. */
  readonly side?: 0 | 1;
  /** How it ended, or the error. */
  readonly reason?: string;
  /** Number of the submission, from 0; undefined for what happened outside of submissions. */
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

/** What comparing two drivers came to. */
export interface DriverComparison {
  /** The drivers as they tell who they are; undefined for one that never got so far. */
  readonly drivers: readonly [DriverIdentity | undefined, DriverIdentity | undefined];
  /** How many submissions were compared. */
  readonly submissions: number;
  /** How many buffers and levels of images were compared. */
  readonly pieces: number;
  /** How often the recording, or a part of it, was replayed on each driver. */
  readonly replays: number;
  /** Resources that could not be read, with the reason. */
  readonly unread: Readonly<Record<string, string>>;
  /** What differs first; undefined if nothing does. */
  readonly finding?: DriverDifference;
}
