import type { ChainElement } from "../chain/element.ts";
import type { Layer } from "../layer.ts";
import type { NativeLayer } from "../layers/choice/library.ts";
import type { OpenGroup, OpenLayers } from "../layers/choice/open.ts";
import type { ForeignCalls } from "../layers/hooks/foreign_calls.ts";
import { LayerGroups } from "../layers/hooks/groups.ts";
import type { NewCommands } from "../layers/hooks/new_commands.ts";
import type { Seat } from "./seat.ts";
import type { SeatElement } from "./seat_element.ts";

/** What seats are made of: machine code, which not every loader brings. */
export interface SeatParts {
  /** A seat. */
  readonly Seat: typeof Seat;
  /** A seat in one instance's chain. */
  readonly SeatElement: typeof SeatElement;
}

/** The chain of one instance that is about to be made. */
export interface Arrangement {
  /** The native chain, top to bottom: native layers, and seats of TypeScript layers below them. */
  readonly elements: readonly ChainElement[];
  /** The instance's TypeScript layers. */
  readonly groups: LayerGroups;
  /** Frees what belongs to the instance. It must be gone. */
  close(): void;
}

/** All places of a loader's TypeScript layers below native ones, top to bottom. */
export class Seats {
  readonly #parts: SeatParts | undefined;
  readonly #foreign: ForeignCalls;
  readonly #added: NewCommands;
  readonly #seats: Seat[] = [];

  /** Those for the groups below the first; without them, the native layers are closed again. No `parts`: there is one group. */
  constructor(
    parts: SeatParts | undefined,
    { groups, native }: OpenLayers,
    foreign: ForeignCalls,
    added: NewCommands,
  ) {
    this.#parts = parts;
    this.#foreign = foreign;
    this.#added = added;
    try {
      groups.slice(1).forEach(({ typescript }, index) => this.#reach(index + 1, typescript));
    } catch (error) {
      this.close();
      for (const layer of native) layer.close();
      throw error;
    }
  }

  /** The seats. */
  get all(): readonly Seat[] {
    return this.#seats;
  }

  /** Makes the callbacks that these layers need wherever they may stand. Not inside a callback. */
  prepare(layers: readonly Layer[]): void {
    for (const seat of this.#seats) seat.prepare(layers);
  }

  /** Has a place for these layers below the native ones of so many groups. Not inside a callback. */
  prepareBelow(groups: number, layers: readonly Layer[]): void {
    this.#reach(groups, layers);
  }

  /**
   * Arranges the layers of an instance: a loader's groups, native layers that
   * the machine adds below them, and TypeScript layers below all.
   */
  arrange(groups: readonly OpenGroup[], added: readonly NativeLayer[], bottom: readonly Layer[]): Arrangement {
    const arranged = withAdded(groups, added, bottom), seats = arranged.length - 1;
    if (bottom.length > 0) this.#reach(seats, bottom);
    const live = new LayerGroups(arranged.map(named));
    const seated = this.#seats.slice(0, seats).map((seat) => new this.#parts!.SeatElement(seat, live));
    return {
      elements: arranged.flatMap(({ native }, index) => [...seated.slice(Math.max(index - 1, 0), index), ...native]),
      groups: live,
      close: () => seated.forEach((element) => element.close()),
    };
  }

  /** Says whether Deno itself may be calling, while garbage is collected, too. */
  set mayCollect(may: boolean) {
    for (const seat of this.#seats) seat.mayCollect = may;
  }

  /** Frees the callbacks. No instance may be left. */
  close(): void {
    for (const seat of this.#seats) seat.close();
  }

  /** At least so many seats, the last of which may hold these layers. */
  #reach(count: number, layers: readonly Layer[]): void {
    const next = () => this.#seats.length;
    while (next() < count) this.#seats.push(new this.#parts!.Seat(next(), this.#foreign, this.#added));
    this.#seats.at(-1)?.prepare(layers);
  }
}

function withAdded(
  groups: readonly OpenGroup[],
  added: readonly NativeLayer[],
  bottom: readonly Layer[],
): readonly OpenGroup[] {
  const last = groups.at(-1)!, native = [...last.native, ...added], above = groups.slice(0, -1);
  if (bottom.length === 0) return [...above, { ...last, native }];
  if (native.length > 0) return [...above, { ...last, native }, { typescript: bottom, native: [] }];
  return [...above, { typescript: [...last.typescript, ...bottom], native }];
}

function named({ typescript, native }: OpenGroup) {
  return { typescript, native: native.map(({ name }) => name) };
}
