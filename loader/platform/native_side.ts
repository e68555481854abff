import { Entrances } from "../install/entrances.ts";
import { Installation, restock, restockLater } from "../install/installation.ts";
import { Seat } from "../seats/seat.ts";
import { SeatElement } from "../seats/seat_element.ts";

/**
 * The part of the loader that native code of the process calls: an installed
 * loader, and TypeScript layers below native ones.
 */
export const nativeSide: NativeSide = { Installation, Entrances, restock, restockLater, Seat, SeatElement };

/** See {@linkcode nativeSide}. */
export interface NativeSide {
  readonly Installation: typeof Installation;
  readonly Entrances: typeof Entrances;
  readonly restock: typeof restock;
  readonly restockLater: typeof restockLater;
  readonly Seat: typeof Seat;
  readonly SeatElement: typeof SeatElement;
}
