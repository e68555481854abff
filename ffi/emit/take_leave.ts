import { LEAVE } from "./layout.ts";
import type { Routine, Variable } from "./routine.ts";

/**
 * Writes `void takeLeave()`: calls both functions of the {@linkcode LEAVE} block
 * that have something to be called with, once.
 */
export function writeTakeLeave(code: Routine, slot: number): void {
  const block: Variable = 0, argument: Variable = 1, none: Variable = 2;
  code.begin("takeLeave");
  code.loadSlot(block, slot);
  code.set(none, 0);
  for (const [call, given] of [[LEAVE.storeAll, LEAVE.lists], [LEAVE.shutDoor, LEAVE.door]]) {
    const nothing = code.label();
    code.load(argument, block, given);
    code.ifZero(argument, nothing);
    code.store(block, given, none);
    code.pass(0, argument);
    code.callAt(block, call);
    code.place(nothing);
  }
  code.finish(0);
}
