import { arena } from "../../ffi/arena.ts";
import type { Method } from "../command/method.ts";
import { readText, readValues } from "../command/output.ts";
import type { DebugMessage } from "../command/types.ts";
import type { Gl } from "./gl_scope.ts";

/** Bytes for the texts of all messages that are fetched at once. */
const TEXTS = 65536;

/** glGetDebugMessageLog(count): takes at most `count` messages out of the log. */
export function debugLogMethod(gl: Gl, name: "glGetDebugMessageLog" | "glGetDebugMessageLogKHR"): Method {
  return (count: number): DebugMessage[] => {
    const memory = arena(), mark = memory.mark(), texts = memory.alloc(TEXTS);
    const [sources, types, ids, severities, lengths] = Array.from({ length: 5 }, () => memory.alloc(4 * count));
    const at = [sources, types, ids, severities, lengths].map((each) => memory.address(each));
    const found = gl.raw[name](count, TEXTS, at[0], at[1], at[2], at[3], at[4], memory.address(texts));
    const messages = read(found, [sources, types, ids, severities, lengths], texts);
    memory.release(mark);
    return messages;
  };
}

function read(count: number, offsets: readonly number[], texts: number): DebugMessage[] {
  const [sources, types, ids, severities, lengths] = offsets.map((at) => readValues("u", at, count) as number[]);
  let at = texts;
  return sources.map((source, index) => {
    const message = readText(at, lengths[index]);
    at += lengths[index];
    return { source, type: types[index], id: ids[index], severity: severities[index], message };
  });
}
