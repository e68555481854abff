import { LASTING, NativeBlock } from "../../ffi/block.ts";
import { invokeAddress } from "../../ffi/machine.ts";

/** The word that says which thread is alone, and the functions, once other threads can destroy what drivers made. */
let shared: { readonly enter: bigint; readonly leave: bigint; readonly word: bigint } | undefined;

/** Whether this thread is in such a command, alone or after having waited too long. */
let isInside = false;

/**
 * Has one thread at a time in the commands of drivers that create and destroy instances and devices, from now on, as
 * with the Khronos loader: drivers may have lists without a lock of their own. `code` returns the addresses of the
 * functions `enterAlone` and `leaveAlone`. Returns the address of the word for the machine code of other threads.
 */
export function shareDrivers(code: (name: string) => bigint): bigint {
  shared ??= { enter: code("enterAlone"), leave: code("leaveAlone"), word: new NativeBlock(8, LASTING).address };
  return shared.word;
}

/**
 * Does this while no other thread is in such a command. A driver may be asked for its functions there, too. After two
 * seconds of waiting, does it in any case.
 */
export function alone<Result>(work: () => Result): Result {
  if (!shared || isInside) return work();
  const { enter, leave, word } = shared, isEntered = invokeAddress(enter, "w:q", [word]) !== 0;
  isInside = true;
  try {
    return work();
  } finally {
    isInside = false;
    if (isEntered) invokeAddress(leave, "v:q", [word]);
  }
}

/** Returns the address of an installed loader's export, by name. */
let find: ((name: string) => bigint) | undefined;

/** Sets the lookup of an installed loader. */
export function exportBy(lookup: (name: string) => bigint): void {
  find = lookup;
}

/**
 * Returns the address at which the installed loader exports a command; 0n if
 * none is installed or the command is not exported.
 */
export function exportedAddress(name: string): bigint {
  return find?.(name) ?? 0n;
}
