import { Entrances } from "../install/entrances.ts";
import { Installation, restock, restockLater } from "../install/installation.ts";
import { Seat } from "../seats/seat.ts";
import { SeatElement } from "../seats/seat_element.ts";

/**
 * The part of the loader that native code of the process calls: an installed
 * loader, and TypeScript layers below native ones.
 */
export const nativeSide = { Installation, Entrances, restock, restockLater, Seat, SeatElement } as const;

/** See {@linkcode nativeSide}. */
export type NativeSide = typeof nativeSide;
