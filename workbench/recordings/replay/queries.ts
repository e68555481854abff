import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { VK_EVENT_SET, VK_NOT_READY, VK_QUERY_RESULT_WAIT_BIT } from "../../../loader/gen/native_gen.ts";
import type { RecordedCall } from "../record/line.ts";
import type { ParsedCall } from "./arguments.ts";
import { parseValue } from "./parse.ts";
import type { Session } from "./session.ts";
import { until } from "./waits.ts";

/** Repeats a vkGetQueryPoolResults, whose answers the program got: asks until they are there, and reports both. */
export function readQueries(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const { queryPool, firstQuery, flags } = call.args;
  parsed.given.set("flags", Number(flags) & ~VK_QUERY_RESULT_WAIT_BIT);
  const { data } = until(session, () => {
    const found = session.ask(parsed) as { result: number; data: Uint8Array };
    return found.result === VK_NOT_READY ? undefined : found;
  }, `the queries of ${queryPool} from ${firstQuery} on have no results`);
  const content: StructObject | undefined = call.out?.pData;
  if (content === undefined) return;
  const view = parseValue({ name: "pData", type: "void" }, content, session) as Uint8Array;
  const queryType = session.queryTypes.get(queryPool) ?? 0;
  session.options.onQueries?.({ queryPool, firstQuery, queryType, recorded: view, replayed: data });
}

/**
 * Repeats a vkGetEventStatus: asks until the answer is the recorded one, which
 * the program acted on. An answer that work changes again may be gone here: then
 * the device has come far enough when the work is done.
 */
export function awaitEvent(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const { args: { event }, result } = call;
  if (result === undefined) return;
  const { flow } = session, isLasting = () => flow.willBeSet(event) === (result === VK_EVENT_SET);
  if (!isLasting() && flow.isHolding) flow.force();
  if (!isLasting()) return session.settle();
  until(session, () => session.ask(parsed) === result || undefined, `${event} has not the recorded state ${result}`);
}
