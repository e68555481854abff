import type { LocalObject, RemoteObject } from "../../bus.ts";
import { failWith, STATUS } from "../../status.ts";
import type { AidlReader, AidlWriter } from "./dialect.ts";

/** The form of a value in a parcel of AIDL. */
export interface AidlType<Value> {
  /** Bytes that one takes at least. */
  readonly least: number;
  /** The value of a field that an older peer does not know. */
  readonly absent: Value;
  /** The version of the interface that brought a field of this type. */
  readonly since?: number;
  /** Elements of an array are written otherwise: as packed bytes. */
  readonly isByte?: boolean;
  /** The word that stands for null. */
  readonly nullWord?: number;
  /** Puts a value there. */
  write(to: AidlWriter, value: Value): void;
  /** Reads a value. Throws a `BinderStatusError` for a malformed one. */
  read(from: AidlReader): Value;
}

/** int, and enums backed by int. */
export const INT: AidlType<number> = {
  least: 4,
  absent: 0,
  write: (to, value) => to.i32(value),
  read: (from) => from.i32(),
};

/** long, and enums backed by long. */
export const LONG: AidlType<bigint> = {
  least: 8,
  absent: 0n,
  write: (to, value) => to.i64(value),
  read: (from) => from.i64(),
};

/** float. */
export const FLOAT: AidlType<number> = {
  least: 4,
  absent: 0,
  write: (to, value) => to.f32(value),
  read: (from) => from.f32(),
};

/** boolean, a whole word. */
export const BOOL: AidlType<boolean> = {
  least: 4,
  absent: false,
  write: (to, value) => to.i32(value ? 1 : 0),
  read: (from) => from.i32() !== 0,
};

/** byte, and enums without a backing type: a word alone, a byte in arrays. */
export const BYTE: AidlType<number> = {
  least: 4,
  absent: 0,
  isByte: true,
  write: (to, value) => to.i32(value << 24 >> 24),
  read: (from) => from.i32() << 24 >> 24,
};

/** String. */
export const STRING: AidlType<string> = {
  least: 8,
  absent: "",
  write: (to, value) => to.text(value),
  read: (from) => from.text() ?? failWith(STATUS.UNEXPECTED_NULL, "a string is null"),
};

/** byte[]. */
export const BYTES: AidlType<Uint8Array> = {
  least: 4,
  absent: new Uint8Array(),
  write(to, value) {
    to.i32(value.length);
    to.raw(value);
  },
  read: (from) => from.raw(from.count(1) ?? isNull("an array of bytes")),
};

/** ParcelFileDescriptor: a descriptor, which is its receiver's. */
export const FD: AidlType<number> = {
  least: 32,
  absent: -1,
  write(to, fd) {
    to.i32(1);
    to.i32(0);
    to.fd(fd);
  },
  read(from) {
    if (from.i32() === 0) isNull("a file descriptor");
    return readDescriptor(from);
  },
};

function readDescriptor(from: AidlReader): number {
  if (from.i32() !== 0) failWith(STATUS.BAD_VALUE, "a file descriptor with a channel is not known");
  return from.fd();
}

/** An object: one's own, or another process's. */
export type BinderValue = { readonly local: LocalObject } | { readonly remote: RemoteObject };

/** IBinder, or an interface, which is null for `null`. */
export const BINDER: AidlType<BinderValue | null> = {
  least: 24,
  absent: null,
  write(to, value) {
    to.object(value);
    to.stability(value === null);
  },
  read(from) {
    const item = from.object();
    from.stability();
    if (!item) return null;
    return item.kind === "local" ? { local: item.object } : { remote: item.object };
  },
};

/** T[], behind its count. */
export function array<Value>(of: AidlType<Value>): AidlType<readonly Value[]> {
  return of.isByte ? PACKED as unknown as AidlType<readonly Value[]> : {
    least: 4,
    absent: [],
    write(to, values) {
      to.i32(values.length);
      for (const value of values) of.write(to, value);
    },
    read(from) {
      const count = from.count(of.least) ?? isNull("an array"), values: Value[] = [];
      for (let index = 0; index < count; index++) values.push(of.read(from));
      return values;
    },
  };
}

/** Arrays of enums of bytes have no padding between their elements. */
const PACKED: AidlType<readonly number[]> = {
  least: 4,
  absent: [],
  write: (to, values) => BYTES.write(to, Uint8Array.from(values)),
  read: (from) => [...BYTES.read(from)].map((byte) => byte << 24 >> 24),
};

/** `@nullable T` of an array or a string, whose count is -1 then. */
export function nullableArray<Value>(of: AidlType<Value>): AidlType<Value | null | undefined> {
  return {
    least: 4,
    absent: null,
    nullWord: -1,
    write: (to, value) => (value ?? null) === null ? to.i32(-1) : of.write(to, value!),
    read(from) {
      return from.skipIf(-1) ? null : of.read(from);
    },
  };
}

/** `@nullable T` of a parcelable or a file descriptor, whose word of presence is 0 then. */
export function nullable<Value>(of: AidlType<Value>): AidlType<Value | null | undefined> {
  return {
    least: 4,
    absent: null,
    nullWord: 0,
    write: (to, value) => (value ?? null) === null ? to.i32(0) : of.write(to, value!),
    read(from) {
      return from.skipIf(0) ? null : of.read(from);
    },
  };
}

/** The same type, for a field that a version brought, with the value that older peers mean. */
export function since<Value>(version: number, of: AidlType<Value>, absent: Value = of.absent): AidlType<Value> {
  return { ...of, since: version, absent };
}

/** A method of an interface. */
export interface AidlMethod {
  /** The number of its transactions. */
  readonly code: number;
  /** The version of the interface that brought it. */
  readonly since: number;
  /** Nothing is answered. */
  readonly oneway?: boolean;
  // deno-lint-ignore no-explicit-any
  readonly args: readonly AidlType<any>[];
  // deno-lint-ignore no-explicit-any
  readonly result?: AidlType<any>;
}

/** Arguments and results of the methods of an interface. */
export type AidlMethods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** An interface: its name, and its methods by their names. */
export interface AidlInterface<Methods> {
  readonly descriptor: string;
  readonly methods: { readonly [Name in keyof Methods]: AidlMethod };
}

// deno-lint-ignore no-explicit-any
type Fields = Readonly<Record<string, AidlType<any>>>;

/**
 * A stable parcelable: a word of presence, its size, and its fields. What a newer peer adds is skipped. Most fields of a
 * frame's commands are null: their words are written and skipped by runs.
 */
export function parcelable<Value extends object>(members: Fields): AidlType<Value> {
  const names = Object.keys(members), types = Object.values(members);
  const nulls = types.map(({ nullWord = NEVER_NULL }) => nullWord);
  const absent = Object.fromEntries(names.map((name, index) => [name, types[index].absent]));
  const ends = new Map<number, number>();
  const endOf = (version: number) => {
    if (!ends.has(version)) ends.set(version, types.filter(({ since = 1 }) => since <= version).length);
    return ends.get(version)!;
  };
  return {
    least: 8,
    absent: absent as Value,
    write(to, value) {
      const end = endOf(to.dialect.version);
      to.i32(1);
      const start = to.zeros(4);
      let written = 0;
      for (let index = 0; index < end; index++) {
        const field = (value as Record<string, unknown>)[names[index]] ?? absent[names[index]];
        if (field === null && nulls[index] !== NEVER_NULL) continue;
        to.words(nulls, written, index);
        types[index].write(to, field);
        written = index + 1;
      }
      to.words(nulls, written, end);
      to.patch(start, to.size - start);
    },
    read(from) {
      if (from.i32() === 0) isNull("a parcelable");
      const start = from.at, size = from.i32();
      if (size < 4) failWith(STATUS.BAD_VALUE, `a parcelable has ${size} bytes`);
      return from.within(start, size, () => {
        const value: Record<string, unknown> = { ...absent };
        for (let index = from.skipWords(nulls, 0); index < types.length && from.left > 0;) {
          value[names[index]] = types[index].read(from);
          index = from.skipWords(nulls, index + 1);
        }
        return value as Value;
      });
    },
  };
}

/** Stands in a list of words of null for a type that has none: no word is half of one. */
const NEVER_NULL = 0.5;

/** A union: a word of presence, the tag, and the field. */
export function union<Value extends { readonly tag: string; readonly value: unknown }>(
  members: Fields,
): AidlType<Value> {
  const fields = Object.entries(members), tags = new Map(fields.map(([name], tag) => [name, tag]));
  return {
    least: 8,
    absent: { tag: fields[0][0], value: fields[0][1].absent } as Value,
    write(to, { tag, value }) {
      to.i32(1);
      to.i32(tags.get(tag)!);
      members[tag].write(to, value);
    },
    read(from) {
      if (from.i32() === 0) isNull("a union");
      const number = from.i32(), field = fields[number];
      if (!field) failWith(STATUS.BAD_VALUE, `a union has no member ${number}`);
      return { tag: field[0], value: field[1].read(from) } as Value;
    },
  };
}

function isNull(what: string): never {
  return failWith(STATUS.UNEXPECTED_NULL, `${what} is null`);
}
