import { Entrances } from "../install/entrances.ts";
import { Installation, restock, restockLater } from "../install/installation.ts";
import { Seat } from "../seats/seat.ts";
import { SeatElement } from "../seats/seat_element.ts";

/**
 * What native code of the process calls into: a loader that is installed, and
 * TypeScript layers that stand below native ones.
 */
export const nativeSide = { Installation, Entrances, restock, restockLater, Seat, SeatElement } as const;

/** See {@linkcode nativeSide}. */
export type NativeSide = typeof nativeSide;
