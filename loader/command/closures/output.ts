import { arena } from "../../../ffi/arena.ts";
import { codec } from "../../codec/codec.ts";
import { layoutOf } from "../../codec/layout/layout.ts";
import type { Frame } from "./frame.ts";
import { countFor, valueFor } from "./input.ts";
import { DISPATCHABLE, isFilled, type Parameter, takesChain } from "../plan.ts";
import * as runtime from "../runtime.ts";
import { SCALAR_ACCESS } from "./scalar.ts";

/** Makes room for an output: zeroed, with the structure types filled in. */
export function makeRoom(frame: Frame, output: Parameter): void {
  const size = itemSize(output), count = output.len === "" ? 1 : lengthFor(frame, output);
  const at = arena().alloc(count * size);
  frame.places.set(output, at);
  frame.lengths.set(output, count);
  if (!isStruct(output)) return arena().zero(at, count * size);
  const given = takesChain(output) ? runtime.givenOutput(frame.given.get(output.name)) : undefined;
  for (let i = 0; i < count; i++) codec(output.type).encodeOut(given, at + i * size);
}

/** Reads an output after the call. */
export function readOutput(frame: Frame, output: Parameter): unknown {
  const at = frame.places.get(output)!;
  if (output.len === "") return readItem(frame, output, at);
  const room = frame.lengths.get(output) ?? 0;
  const count = isFilled(frame.plan, output) ? runtime.fitting(frame.filled, room, frame.plan.command.name) : room;
  if (output.kind === "void") return runtime.copyBytes(at, count);
  return runtime.list(count, at, itemSize(output), (place) => readItem(frame, output, place));
}

function isStruct({ kind, stars }: Parameter): boolean {
  return kind === "struct" && stars < 2;
}

function itemSize(output: Parameter): number {
  if (isStruct(output)) return codec(output.type).size;
  return output.kind === "void" && output.stars < 2 ? 1 : SCALAR_ACCESS[output.kind].size;
}

function readItem({ self }: Frame, output: Parameter, at: number): unknown {
  if (isStruct(output)) return codec(output.type).decode(at);
  if (DISPATCHABLE.has(output.type)) return self.wrap(output.type, arena().view.getBigUint64(at, true));
  return output.kind === "void" && output.stars < 2 ? arena().bytes[at] : SCALAR_ACCESS[output.kind].load(at);
}

/**
 * Returns how many elements an output array has: a parameter, a member of an
 * input struct, or the result of the count query.
 */
function lengthFor(frame: Frame, output: Parameter): number {
  if (isFilled(frame.plan, output)) return frame.filled;
  const [first, member] = output.len.split("->");
  const source = frame.plan.parameters.find((each) => each.name === first);
  if (!source) return Number(output.len);
  if (member) {
    const field = layoutOf(source.type).fields.find((each) => each.name === member)!;
    return arena().view.getUint32(frame.places.get(source)! + field.offset, true);
  }
  if (source.role === "count") return countFor(frame, source);
  return Number(valueFor(frame, source));
}
