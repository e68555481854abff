import { copyMemory, fillTable, peek64, poke64, publish64 } from "../../ffi/machine.ts";
import { absentCommand } from "../chain/table/absent.ts";
import { namesOf } from "../chain/table/names.ts";
import { type SeatLayout, seatLayout } from "../chain/table/seat_layout.ts";
import { tableLayout } from "../chain/table/table_layout.ts";
import type { Command } from "../command/registry/table.ts";
import type { SeatCode } from "./seat_code.ts";

/** Bytes of one function pointer. */
const POINTER = 8;

/** A seat's part of the dispatch table of one instance or device, which somebody else owns. */
export class SeatTable {
  /** Which commands it holds. */
  readonly level: "instance" | "device";
  /** The table's address: what word 0 of the object and of all its objects holds. */
  readonly address: bigint;
  readonly #layout: SeatLayout;
  readonly #count: number;

  /** The part of the seat with this index. */
  constructor(level: "instance" | "device", index: number, address: bigint) {
    this.level = level;
    this.address = address;
    this.#layout = seatLayout(level, index);
    this.#count = tableLayout(level).count;
  }

  /** Fills it by the GetInstanceProcAddr or GetDeviceProcAddr below the seat; every command enters there at first. */
  fill(getProcAddr: bigint, handle: bigint, { shown }: SeatCode): void {
    const { next, enter, shown: told, below } = this.#layout, bytes = POINTER * this.#count;
    fillTable({ getProcAddr, handle, names: namesOf(this.level), table: this.#at(next) });
    copyMemory(this.#at(enter), this.#at(next), bytes);
    poke64(this.#at(below), getProcAddr);
    if (this.level === "device") copyMemory(this.#at(told), shown.address, bytes);
    else fillTable({ getProcAddr, handle, names: namesOf("device"), table: this.#at(told) });
  }

  /** Where the GetProcAddr stands that names it lacks are passed on to. */
  get belowSlot(): bigint {
    return this.#at(this.#layout.below);
  }

  /** What lies below the seat for a command; 0n for nothing. */
  next({ slot }: Command): bigint {
    return peek64(this.#at(this.#layout.next + slot));
  }

  /** Puts something below a command that is not there, because a hook answers it: it fails, and says so. */
  bring({ slot }: Command): void {
    poke64(this.#at(this.#layout.next + slot), absentCommand(this.level, slot, true));
  }

  /** Leads the layer above elsewhere at one command; by default, to what lies below. Safe while it is calling. */
  divert(command: Command, address: bigint = this.next(command)): void {
    publish64(this.#at(this.#layout.enter + command.slot), address);
  }

  #at(slot: number): bigint {
    return this.address + BigInt(POINTER * slot);
  }
}
