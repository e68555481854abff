import type { Label } from "../../../ffi/asm/code.ts";
import type { Routine } from "../../../ffi/emit/routine.ts";
import { LOOKS, PRIVATE } from "./parts.ts";

/**
 * Looks for another state of a slot, and goes to `wait` with it.
 * Looks in vain make the next ones shorter, since the server needs the
 * processor then; others make them longer. Variable 0 is the library's own data,
 * variable 1 the slot, and variable 2 the state.
 */
export function writeLook(code: Routine, wait: Label): void {
  const data = 0, slot = 1, value = 2, other = 3, left = 4, changed = code.label(), sleep = code.label();
  code.load(left, data, PRIVATE.looks);
  const look = code.here();
  code.acquire(other, slot);
  code.ifNotEqual(other, value, changed);
  code.decrement(left);
  code.ifNotZero(left, look);
  code.load(other, data, PRIVATE.looks);
  code.bits(other, other, 1, 32);
  code.set(left, LOOKS.least);
  code.ifBelow(other, left, sleep);
  code.store(data, PRIVATE.looks, other);
  code.jump(sleep);
  code.place(changed);
  code.load(other, data, PRIVATE.looks);
  code.add(other, LOOKS.step);
  code.set(left, LOOKS.most);
  code.ifBelow(left, other, wait);
  code.store(data, PRIVATE.looks, other);
  code.jump(wait);
  code.place(sleep);
}
