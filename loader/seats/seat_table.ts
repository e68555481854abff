import { copyMemory, fillTable, peek64, poke64, publish64 } from "../../ffi/machine.ts";
import { absentCommand } from "../chain/table/dispatch_table.ts";
import { namesOf, type SeatLayout, seatLayout, tableLayout } from "../chain/table/table_layout.ts";
import type { Command } from "../command/registry/table.ts";
import type { SeatCode } from "./seat_code.ts";

/** Bytes of one function pointer. */
const POINTER = 8;

/** A seat's part of the dispatch table of one instance or device. Somebody else owns the table. */
export class SeatTable {
  /** The level of its commands. */
  readonly level: "instance" | "device";
  /** The table's address, which is word 0 of the object and of all its objects. */
  readonly address: bigint;
  readonly #layout: SeatLayout;
  readonly #count: number;

  /** Selects the part of the seat with this index. */
  constructor(level: "instance" | "device", index: number, address: bigint) {
    this.level = level;
    this.address = address;
    this.#layout = seatLayout(level, index);
    this.#count = tableLayout(level).count;
  }

  /**
   * Fills the table from the GetInstanceProcAddr or GetDeviceProcAddr below the
   * seat, which all commands enter at first.
   */
  fill(getProcAddr: bigint, handle: bigint, { shown }: SeatCode): void {
    const { next, enter, shown: told, below } = this.#layout, bytes = POINTER * this.#count;
    fillTable({ getProcAddr, handle, names: namesOf(this.level), table: this.#at(next) });
    copyMemory(this.#at(enter), this.#at(next), bytes);
    poke64(this.#at(below), getProcAddr);
    if (this.level === "device") copyMemory(this.#at(told), shown.address, bytes);
    else fillTable({ getProcAddr, handle, names: namesOf("device"), table: this.#at(told) });
  }

  /** Slot of the GetProcAddr that gets the names which the table lacks. */
  get belowSlot(): bigint {
    return this.#at(this.#layout.below);
  }

  /** The function below the seat for a command; 0n for none. */
  next({ slot }: Command): bigint {
    return peek64(this.#at(this.#layout.next + slot));
  }

  /** Puts a function below a missing command that a hook answers. The function reports the absence and fails. */
  bring({ slot }: Command): void {
    poke64(this.#at(this.#layout.next + slot), absentCommand(this.level, slot, true));
  }

  /** Sets where the layer above enters one command; by default, the function below. Safe while it is calling. */
  divert(command: Command, address: bigint = this.next(command)): void {
    publish64(this.#at(this.#layout.enter + command.slot), address);
  }

  #at(slot: number): bigint {
    return this.address + BigInt(POINTER * slot);
  }
}
