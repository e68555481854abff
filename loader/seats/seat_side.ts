import { isAbsent } from "../chain/table/dispatch_table.ts";
import type { NativeCall } from "../command/compile.ts";
import type { Command } from "../command/registry/table.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { Layer } from "../layer.ts";
import { belowIn } from "../layers/hooks/below.ts";
import { compose } from "../layers/hooks/hooks.ts";
import type { LayerGroups } from "../layers/hooks/groups.ts";
import type { SeatTable } from "./seat_table.ts";

/** One instance or device as the layers of a seat see it. */
export class SeatSide {
  /** The seat's part of the dispatch table. */
  readonly table: SeatTable;
  readonly #groups: LayerGroups;
  readonly #group: number;
  /** Returns the function below the hooks of a command. */
  readonly bottom: (command: Command) => NativeCall;
  readonly #composed = new Map<string, NativeCall>();

  /** Takes a filled table. */
  constructor(table: SeatTable, groups: LayerGroups, group: number, bottom: (command: Command) => NativeCall) {
    this.table = table;
    this.#groups = groups;
    this.#group = group;
    this.bottom = bottom;
  }

  /** The seat's layers, top to bottom. */
  layers(): readonly Layer[] {
    return this.#groups.of(this.#group);
  }

  /** The address of the function below the hooks of a command; 0n for none. */
  address(command: Command): bigint {
    const address = this.table.next(command);
    return isAbsent(address) ? 0n : address;
  }

  /** The commands below one of the layers. */
  below(layer: Layer): RawCommands {
    return belowIn(this, layer);
  }

  /** Returns a command with the hooks of all layers. */
  call(command: Command): NativeCall {
    let call = this.#composed.get(command.name);
    if (!call) {
      const composed = compose(this.layers(), command, this.bottom(command));
      call = this.#groups.within(composed, command.params.length);
      this.#composed.set(command.name, call);
    }
    return call;
  }

  /** Forgets composed commands after a change of layers. */
  refresh(): void {
    this.#composed.clear();
  }
}
