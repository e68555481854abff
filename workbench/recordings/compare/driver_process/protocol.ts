import type { Write } from "../../state_tracker/effects.ts";
import type { LoosePart } from "../tolerances/permitted_differences.ts";
import type { ComparedPiece } from "../contents/piece.ts";
import type { RecordingErrorCode } from "../../replay/error.ts";
import type { FuzzFacts } from "../../../programs/facts.ts";
import type { Fields } from "../../record/line.ts";

/** The task of a process: one driver with its layers. */
export interface SideTask {
  /** Options of `loadVulkan` that can be told to another process. */
  readonly vulkan: Fields;
  /** Files of layers in TypeScript, top to bottom. */
  readonly layerFiles: readonly string[];
  /** A folder for bytes. */
  readonly folder: string;
  /** The process that waits for the answers. */
  readonly parent: number;
}

/** A place inside a submission. */
export interface Cut {
  /** Number of the submission, from 0. */
  readonly submission: number;
  /** The number of its actions that are carried out. */
  readonly actions: number;
}

/** A place inside a submission, and the contents to read there. */
export interface Stop {
  readonly cut: Cut;
  /** The names of the only buffers and images to read. */
  readonly only?: readonly string[];
  /** Contents to read besides those that were written. */
  readonly also?: readonly Write[];
}

/** A replay that a process is asked for. */
export interface RunRequest {
  /** Path of the recording. */
  readonly run: string;
  /** Whether to accept a file that was cut or changed by hand. */
  readonly unsealed: boolean;
  /** Milliseconds to wait for a fence or semaphore. */
  readonly timeout: number;
  /** Ends inside a submission, and reads only there. Without it, contents are read after every submission. */
  readonly cut?: Cut;
  /** The names of the only buffers and images to read. */
  readonly only?: readonly string[];
  /** Contents to read besides those that were written. */
  readonly also?: readonly Write[];
  /** Whether other places may be asked for while the replay rests at its cut, so that it stays alive. */
  readonly stands?: boolean;
  /** Whether times and statistics that queries tell stay what they are; otherwise they are zero, as they differ. */
  readonly isMeasured?: boolean;
  /** Whether to note the errors of validation layers: all, or only whether there is one, at which the replay ends. */
  readonly validates?: "all" | "first";
  /** A file that gets the number of each line before the line is carried out, for a process that may crash. */
  readonly where?: string;
}

/** A process is asked what its driver can do, for programs that suit the driver. */
export interface FactsRequest {
  readonly facts: true;
}

/** A request to a process while a replay rests: go on, end, hand out bytes of pieces, or rest at another place. */
export type RestRequest =
  | { readonly next: true }
  | { readonly stop: true }
  | { readonly bytes: readonly number[] }
  | { readonly at: Stop };

/** A piece with the checksum of its contents. */
export interface ReadPiece extends ComparedPiece {
  /** Bytes of the contents. */
  readonly size: number;
  /** SHA-256; empty in a replay that stands. */
  readonly hash: string;
}

/** A message between two answers, so that a long recording is no hang. */
export interface Alive {
  readonly alive: true;
}

/** The answers of a process: one line of JSON each. */
export type Answer =
  /** A replay begins. A step of a timestamp has so many nanoseconds. */
  | { readonly began: DriverIdentity; readonly timestampPeriod: number }
  /** A submission is done; the process rests. */
  | {
    readonly submission: number;
    /** Number of the line in the recording's file. */
    readonly line: number;
    readonly pieces: readonly ReadPiece[];
    /** The buffers and images that could not be looked at, with the reasons. */
    readonly unread: Readonly<Record<string, string>>;
  }
  /** The replay cannot rest at the place that was asked for. It rests where it did. */
  | { readonly cannot: string }
  /** The asked bytes, one after the other in a file, and where drivers have permitted difference in each piece. */
  | { readonly file: string; readonly loose: readonly (readonly LoosePart[])[] }
  /** The replay ended. */
  | {
    readonly done: {
      readonly calls: number;
      readonly unread: Readonly<Record<string, string>>;
      readonly errors: readonly string[];
      /** For each of the errors, the number of the line at which the layer told it. */
      readonly errorLines: readonly number[];
    };
  }
  /** The replay failed: a line of the recording, or 0 for all of it. */
  | { readonly failed: string; readonly line: number; readonly code: RecordingErrorCode }
  /** The abilities of the driver. */
  | { readonly facts: FuzzFacts }
  /** The driver or a layer cannot be loaded: nothing can be replayed. */
  | { readonly unusable: string };

/** The identity of a driver. */
export interface DriverIdentity {
  /** The physical device's name. */
  readonly deviceName: string;
  /** The driver's name and version as it tells them. */
  readonly driver: string;
  /** Vulkan version of the device. */
  readonly apiVersion: string;
}

/** The lines of standard input, waited for: a replay cannot rest in any other way. */
export class RequestLines {
  readonly #buffer = new Uint8Array(65536);
  #text = "";
  readonly #decoder = new TextDecoder();

  /** Returns the next request; `undefined` at the end. */
  next(): FactsRequest | RunRequest | RestRequest | undefined {
    let end = this.#text.indexOf("\n");
    while (end < 0) {
      const count = Deno.stdin.readSync(this.#buffer);
      if (count === null) return undefined;
      this.#text += this.#decoder.decode(this.#buffer.subarray(0, count), { stream: true });
      end = this.#text.indexOf("\n");
    }
    const line = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    return JSON.parse(line);
  }
}
