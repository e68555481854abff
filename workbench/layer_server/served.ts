import type { ForeignThreadPolicy, LayerControls } from "../../loader/layer.ts";

/** The treatment of the calls of a command, see `policies` of `serveLayers`. */
export type ServePolicy = ForeignThreadPolicy | {
  /** The memory that is copied, by the names of arguments, or of arguments and members with points between them. */
  readonly record: readonly string[];
};

/** The options of serving layers of any interface. */
export interface ServingOptions {
  /**
   * Milliseconds that a thread of a program waits for an answer before the
   * program goes on without the layers; rounded to tenths of a second. Default
   * 5000. `Infinity`: as long as this process lives, for single-stepping.
   */
  readonly timeout?: number;
  /**
   * Whether layers that come later may hook any command. Without this option,
   * only those that the layers of the start hook: the calls of all others do not
   * cost programs anything then. Default false.
   */
  readonly live?: boolean;
  /**
   * The address to listen at for programs that share no memory with this process:
   * `tcp:127.0.0.1:PORT` (0: any free port), `unix:PATH` or `abstract:NAME`.
   * Who knows the keys in the layer library can connect. Default: shared memory.
   */
  readonly listen?: string;
  /** The address for programs, with `listen`. Default: where this process listens. */
  readonly connect?: string;
  /**
   * With `listen`: a file with the keys that a program and this process show each other, so that a layer library
   * written once (`pumice layer-library --connect=ADDRESS --key-file=FILE`) can be used again. It is written if it is
   * not there, for its owner alone. This isolate's memory lies where that library expects it, so that nothing may use
   * it before. Default: new keys for each server.
   */
  readonly keyFile?: string;
  /**
   * With `listen`: where programs run. Default `"x86_64-linux"`. For
   * `"aarch64-android"`, this isolate's memory lies where phones' kernels let
   * programs have memory, so that nothing may use it before.
   */
  readonly runsOn?: "x86_64-linux" | "aarch64-linux" | "aarch64-android";
  /** Hears of each error that a hook throws. The program gets an error code. Default: prints the error. */
  readonly onError?: (error: unknown) => void;
  /**
   * Gets a sentence for each program that cannot be served, such as one with another key, and for each that was cut off
   * so that calls it had noted may be missing. Default: no messages.
   */
  readonly log?: (message: string) => void;
}

/** Layers of one interface that programs can load. */
export interface ServedLayers<Kind>
  extends AsyncDisposable, Pick<LayerControls<Kind>, "attach" | "detach" | "replace" | "drain" | "lostCalls"> {
  /** A folder with the native layer library of this server. */
  readonly folder: string;
  /** With `listen`: where programs connect to, with the port that was free. */
  readonly address: string | undefined;
  /** The number of programs that have connected so far. */
  readonly connected: number;
  /** The number of programs that are connected now. */
  readonly programs: number;
  /** Ends the server: programs go on without the layers. A second call does nothing. */
  close(): Promise<void>;
}
