import type { RecordingEvent } from "../types.ts";
import type { Parameters } from "./parameters.ts";

/** The events of a recording by column, with each text once: a page reads ten thousands of rows at once. */
export interface EventTable {
  /** Every text that a row has. */
  readonly texts: readonly string[];
  /** Kind, name and the short arguments, as places among the texts. */
  readonly kind: readonly number[];
  readonly name: readonly number[];
  readonly brief: readonly number[];
  /** Number of the event that this one is inside of; -1 for none. */
  readonly parent: readonly number[];
  readonly depth: readonly number[];
  readonly inside: readonly number[];
  readonly line: readonly number[];
  /** 1 for an action, 0 for other events. */
  readonly action: readonly number[];
}

/** Characters of the short arguments. */
const BRIEF = 120;

/** Returns the events by column. */
export function eventTable(events: readonly RecordingEvent[], parameters: Parameters): EventTable {
  const texts: string[] = [], places = new Map<string, number>();
  const place = (text: string): number => {
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, texts.push(text) - 1);
    return texts.length - 1;
  };
  return {
    texts,
    kind: events.map(({ kind }) => place(kind)),
    name: events.map(({ name }) => place(name)),
    brief: events.map((event) => place(briefOf(event, parameters))),
    parent: events.map(({ parent = -1 }) => parent),
    depth: events.map(({ depth }) => depth),
    inside: events.map(({ inside }) => inside),
    line: events.map(({ line }) => line),
    action: events.map(({ isAction }) => isAction ? 1 : 0),
  };
}

/** The arguments that are a number or a name, without the object that the call is made on. */
function briefOf({ call, kind }: RecordingEvent, parameters: Parameters): string {
  if (!call || kind === "label") return "";
  const plain = Object.entries(call.args).filter(([name, value]) =>
    !/^(commandBuffer|device|queue)$/.test(name) && (typeof value === "number" || typeof value === "string")
  );
  const values = parameters.ofCall(call.command, Object.fromEntries(plain));
  const text = values.map(({ name, text }) =>
    `${name} ${
      text?.replace(/VK_(PIPELINE_STAGE|PIPELINE_BIND_POINT|IMAGE_LAYOUT|SUBPASS_CONTENTS|INDEX_TYPE|FILTER)_/g, "")
    }`
  ).join(", ");
  return text.length <= BRIEF ? text : `${text.slice(0, BRIEF)}…`;
}
