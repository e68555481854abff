import type { Output } from "./outputs.ts";

/** A value that a device writes, by the name it has in TypeScript. */
export interface Field {
  /** The member's name in a record. */
  readonly name: string;
  /** The kind of the result. */
  // deno-lint-ignore no-explicit-any
  readonly output: Output<any>;
  /** Whether the caller writes a value before, which is another argument of the method. */
  readonly isInOut?: boolean;
}

/** The values of a result, as the C function has them. */
export interface Values {
  /** Before the lists. */
  readonly before: readonly unknown[];
  /** A row of the lists for each element. */
  readonly rows: readonly (readonly unknown[])[];
  /** Behind them. */
  readonly after: readonly unknown[];
}

/** The output of a function of hwcomposer2.h, and its form as a method's result. */
export interface Result {
  /** Pointers to single values. */
  readonly before: readonly Field[];
  /** The lists behind a count, if there are any: NULL asks for the count alone. */
  readonly rows: readonly Field[];
  /** Pointers to single values behind the lists. */
  readonly after: readonly Field[];
  /** Returns the method's result; `code` is the function's own result. */
  pack(values: Values, code: number): unknown;
  /** The opposite. */
  unpack(returned: unknown): Values;
}

// deno-lint-ignore no-explicit-any
type Fields = Readonly<Record<string, Output<any>>>;
type Row = Readonly<Record<string, unknown>>;

function fieldsOf(outputs: Fields): Field[] {
  return Object.entries(outputs).map(([name, output]) => ({ name, output }));
}

function recordOf(fields: readonly Field[], values: readonly unknown[]): Row {
  return Object.fromEntries(fields.map(({ name }, index) => [name, values[index]]));
}

function valuesOf(fields: readonly Field[], record: Row): unknown[] {
  return fields.map(({ name }) => record[name]);
}

const NO_VALUES: Values = { before: [], rows: [], after: [] };

/** Nothing. */
export const NOTHING: Result = {
  ...NO_VALUES,
  before: [],
  rows: [],
  after: [],
  pack: () => {},
  unpack: () => NO_VALUES,
};

/** One value. */
export function one<Value>(output: Output<Value>): Result {
  return {
    ...NOTHING,
    before: [{ name: "value", output }],
    pack: ({ before }) => before[0],
    unpack: (value) => ({ ...NO_VALUES, before: [value] }),
  };
}

/** A record of values. */
export function record(outputs: Fields): Result {
  const before = fieldsOf(outputs);
  return {
    ...NOTHING,
    before,
    pack: (values) => recordOf(before, values.before),
    unpack: (returned) => ({ ...NO_VALUES, before: valuesOf(before, returned as Row) }),
  };
}

/** An array of values. */
export function list<Value>(output: Output<Value>): Result {
  return {
    ...NOTHING,
    rows: [{ name: "value", output }],
    pack: ({ rows }) => rows.map(([value]) => value),
    unpack: (returned) => ({ ...NO_VALUES, rows: (returned as unknown[]).map((value) => [value]) }),
  };
}

/** An array of records, which C has in parallel arrays. */
export function rows(outputs: Fields): Result {
  const fields = fieldsOf(outputs);
  return {
    ...NOTHING,
    rows: fields,
    pack: (values) => values.rows.map((row) => recordOf(fields, row)),
    unpack: (returned) => ({ ...NO_VALUES, rows: (returned as Row[]).map((row) => valuesOf(fields, row)) }),
  };
}

/** A record with another result as one member, and with single values before or behind it in C. */
export function around(before: Fields, name: string, inner: Result, after: Fields = {}): Result {
  const first = fieldsOf(before), last = fieldsOf(after);
  return {
    before: first,
    rows: inner.rows,
    after: last,
    pack: (values, code) => ({
      ...recordOf(first, values.before),
      [name]: inner.pack(values, code),
      ...recordOf(last, values.after),
    }),
    unpack: (returned) => ({
      before: valuesOf(first, returned as Row),
      rows: inner.unpack((returned as Row)[name]).rows,
      after: valuesOf(last, returned as Row),
    }),
  };
}

/** A result that is another one, changed on its way. */
export function mapped<From, To>(inner: Result, pack: (value: From) => To, unpack: (value: To) => From): Result {
  return {
    ...inner,
    pack: (values, code) => pack(inner.pack(values, code) as From),
    unpack: (returned) => inner.unpack(unpack(returned as To)),
  };
}
