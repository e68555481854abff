/** Stores a number, an integer below 2⁵³, as a u64, without making a bigint of it. */
export function setLong(view: DataView, at: number, value: number): void {
  view.setUint32(at, value >>> 0, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}
