import { COPIES, NOTE, PLANS_AT, STEPS_AT } from "../layout.ts";
import type { CopyStep } from "./copies.ts";

/** Writes the plans of programs' copies for notes into a channel, which lies at an address in programs. */
export function writePlans(
  view: DataView,
  channel: bigint,
  plans: ReadonlyMap<number, readonly CopyStep[]>,
): void {
  let at: number = STEPS_AT;
  const put = (offset: number, value: number) => view.setBigUint64(at + offset, BigInt(value), true);
  for (const [command, steps] of plans) {
    view.setBigUint64(PLANS_AT + 8 * command, channel + BigInt(at), true);
    steps.forEach(({ address, count, size, most, to, sType = 0 }, index) => {
      put(COPIES.size, size);
      put(COPIES.address, address);
      put(COPIES.count, count);
      put(COPIES.elements, most);
      put(COPIES.to, to);
      put(COPIES.result, NOTE.copies + 8 * index);
      put(COPIES.struct, sType);
      put(COPIES.words, sType === 0 ? 0 : size / 8);
      at += COPIES.bytes;
    });
    at += 8; // a size of 0
  }
}
