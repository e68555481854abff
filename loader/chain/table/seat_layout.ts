import { type TableLayout, tableLayout } from "./table_layout.ts";

/**
 * Where, in a dispatch table, the parts of a seat begin, in slots. A seat is a
 * place below a native layer where TypeScript layers stand.
 */
export interface SeatLayout {
  /** The commands of what lies below the seat. */
  readonly next: number;
  /** The commands as the layer above enters them: a callback that runs hooks, or the same as `next`. */
  readonly enter: number;
  /**
   * In a device's table: what the layer above is told of each command. In an
   * instance's: what the chain below answers for the commands of the device level.
   */
  readonly shown: number;
  /** The GetInstanceProcAddr or GetDeviceProcAddr below, which names in neither table are passed on to. */
  readonly below: number;
}

/** How many slots each seat takes in the tables of a level. */
export function seatSize(level: "instance" | "device"): number {
  return sizeOf(tableLayout(level), tableLayout("device"));
}

/** The layout of a seat, counted from the top. */
export function seatLayout(level: "instance" | "device", index: number): SeatLayout {
  const table = tableLayout(level), { count } = table;
  const next = table.size + index * seatSize(level), enter = next + count, shown = enter + count;
  return { next, enter, shown, below: shown + tableLayout("device").count };
}

function sizeOf({ count }: TableLayout, device: TableLayout): number {
  return 2 * count + device.count + 1;
}
