import { HEAD, SLOT, SLOTS, STATE } from "../layout.ts";
import { type Parts, setNumber } from "./parts.ts";

/** Takes the first free slot. Without one, the call goes on by itself. */
export function writeTake(parts: Parts): void {
  const { code } = parts, slot = 1, value = 2, other = 3, left = 4;
  const found = code.label(), taken = code.label();
  setNumber(parts, slot, parts.place!.channel + BigInt(HEAD.size));
  code.set(left, SLOTS);
  const next = code.here();
  code.set(value, STATE.free);
  code.set(other, STATE.taken);
  code.exchange(slot, value, other, taken);
  code.jump(found);
  code.place(taken);
  code.add(slot, SLOT.size);
  code.decrement(left);
  code.ifNotZero(left, next);
  code.finish(0);
  code.place(found);
}
