import type { NativeCall } from "../command/compile.ts";
import type { Command } from "../command/table.ts";
import type { Layer } from "../layer.ts";
import { compose } from "../layers/compose.ts";
import type { SeatTable } from "./seat_table.ts";

/** One instance or device as the layers of a seat have it before them. */
export class SeatSide {
  /** The seat's part of its dispatch table. */
  readonly table: SeatTable;
  /** The seat's layers, top to bottom. */
  readonly layers: () => readonly Layer[];
  /** What hooks of a command go on to. */
  readonly bottom: (command: Command) => NativeCall;
  readonly #composed = new Map<string, NativeCall>();

  /** For a table that is filled. */
  constructor(table: SeatTable, layers: () => readonly Layer[], bottom: (command: Command) => NativeCall) {
    this.table = table;
    this.layers = layers;
    this.bottom = bottom;
  }

  /** A command with the hooks of all layers before it. */
  call(command: Command): NativeCall {
    let call = this.#composed.get(command.name);
    if (!call) this.#composed.set(command.name, call = compose(this.layers(), command, this.bottom(command)));
    return call;
  }

  /** Forgets what was composed, after layers came or went. */
  refresh(): void {
    this.#composed.clear();
  }
}
