import { INTEGER_REGISTERS, INVOKE } from "../../../ffi/emit/layout.ts";
import { FLOATS } from "../commands.ts";
import type { Signature } from "../../../ffi/signature.ts";

/** Reads the arguments of a call from a block laid out as `INVOKE`, as a processor passes them. */
export function takenArguments(
  view: DataView,
  { parameters }: Signature,
  processor: string,
): (number | bigint)[] {
  const registers = INTEGER_REGISTERS[processor];
  let integers = 0, floats = 0, stacked = 0;
  return Array.from(parameters, (letter) => {
    const isFloat = letter === "f" || letter === "d";
    if (isFloat && floats < FLOATS) return readArgument(view, INVOKE.floats + 8 * floats++, letter);
    if (!isFloat && integers < registers) return readArgument(view, INVOKE.integers + 8 * integers++, letter);
    return readArgument(view, INVOKE.stack + 8 * stacked++, letter);
  });
}

function readArgument(view: DataView, at: number, letter: string): number | bigint {
  if (letter === "q") return view.getBigUint64(at, true);
  if (letter === "f") return view.getFloat32(at, true);
  if (letter === "d") return view.getFloat64(at, true);
  return letter === "s" ? view.getInt32(at, true) : view.getUint32(at, true);
}
