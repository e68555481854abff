import type { PbfWriter } from "pbf";
import { ANNOTATION } from "./schema.ts";

/** A value beside an event: a number, a text, a list or an object of such values. */
export type Annotation = boolean | number | string | bigint | null | readonly Annotation[] | {
  readonly [name: string]: Annotation;
};

/** Items of a list beyond this number are not written: a trace shows calls, not their data. */
const MOST_ITEMS = 64;
/** Characters of a text beyond this number are not written. */
const MOST_CHARACTERS = 1024;

/** A value with its name. Items of a list have no name. */
type Named = readonly [name: string | undefined, value: Annotation];

/** Writes the fields of one DebugAnnotation. */
export function writeAnnotation([name, value]: Named, out: PbfWriter): void {
  if (name !== undefined) out.writeStringField(ANNOTATION.name, name);
  if (typeof value === "boolean") out.writeBooleanField(ANNOTATION.bool, value);
  else if (typeof value === "number") writeNumber(value, out);
  else if (Array.isArray(value)) writeItems(value, out);
  else if (typeof value === "object" && value !== null) writeEntries(value as Record<string, Annotation>, out);
  else out.writeStringField(ANNOTATION.string, value === null ? "NULL" : String(value).slice(0, MOST_CHARACTERS));
}

function writeNumber(value: number, out: PbfWriter): void {
  if (Number.isSafeInteger(value)) out.writeVarintField(ANNOTATION.int, value);
  else out.writeDoubleField(ANNOTATION.double, value);
}

function writeItems(items: readonly Annotation[], out: PbfWriter): void {
  for (const item of items.slice(0, MOST_ITEMS)) {
    out.writeMessage(ANNOTATION.items, writeAnnotation, [undefined, item] as Named);
  }
}

function writeEntries(entries: Record<string, Annotation>, out: PbfWriter): void {
  for (const entry of Object.entries(entries)) out.writeMessage(ANNOTATION.entries, writeAnnotation, entry as Named);
}
