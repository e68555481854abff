import { failWith, STATUS } from "../../status.ts";
import type { BinderValue } from "../aidl/types.ts";
import { cString, type HidlReader, type HidlWriter, type NativeHandle, type Parent } from "./parcel.ts";

/** The form of an argument or a result of HIDL. */
export interface HidlType<Value> {
  /** Puts a value there. */
  write(to: HidlWriter, value: Value): void;
  /** Reads a value. Throws a `BinderStatusError` for a malformed one. */
  read(from: HidlReader): Value;
}

/** The form of a value in memory: within a struct or a list. */
export interface HidlLayout<Value> extends HidlType<Value> {
  /** Bytes that one takes. */
  readonly size: number;
  /** Puts a value into memory; what it points to follows by {@linkcode HidlLayout.writeChildren}. */
  put(view: DataView, at: number, value: Value): void;
  /** Writes what a value in a buffer points to. */
  writeChildren(to: HidlWriter, value: Value, place: Parent): void;
  /** Reads a value of a buffer, and what it points to. */
  get(view: DataView, at: number, from: HidlReader, index: number): Value;
}

/** A number or a boolean: in a parcel in its own place, padded to four bytes. */
function scalar<Value>(
  size: number,
  put: (view: DataView, at: number, value: Value) => void,
  get: (view: DataView, at: number) => Value,
): HidlLayout<Value> {
  return {
    size,
    put,
    get,
    writeChildren: () => {},
    write(to, value) {
      const bytes = new Uint8Array(size);
      put(new DataView(bytes.buffer), 0, value);
      to.raw(bytes);
    },
    read: (from) => get(new DataView(from.raw(size).buffer), 0),
  };
}

/** uint8_t. */
export const U8: HidlLayout<number> = scalar(
  1,
  (view, at, value) => view.setUint8(at, value),
  (view, at) => view.getUint8(at),
);
/** bool. */
export const BOOL: HidlLayout<boolean> = scalar(
  1,
  (view, at, value) => view.setUint8(at, value ? 1 : 0),
  (view, at) => view.getUint8(at) !== 0,
);
/** int32_t. */
export const S32: HidlLayout<number> = scalar(
  4,
  (view, at, value) => view.setInt32(at, value, true),
  (view, at) => view.getInt32(at, true),
);
/** uint32_t. */
export const U32: HidlLayout<number> = scalar(
  4,
  (view, at, value) => view.setUint32(at, value, true),
  (view, at) => view.getUint32(at, true),
);
/** int64_t. */
export const S64: HidlLayout<bigint> = scalar(
  8,
  (view, at, value) => view.setBigInt64(at, value, true),
  (view, at) => view.getBigInt64(at, true),
);
/** uint64_t. */
export const U64: HidlLayout<bigint> = scalar(
  8,
  (view, at, value) => view.setBigUint64(at, value, true),
  (view, at) => view.getBigUint64(at, true),
);
/** float. */
export const FLOAT: HidlLayout<number> = scalar(
  4,
  (view, at, value) => view.setFloat32(at, value, true),
  (view, at) => view.getFloat32(at, true),
);

/** A value that lies in a buffer of its own when it is an argument. */
function inBuffer<Value>(parts: Omit<HidlLayout<Value>, "write" | "read">): HidlLayout<Value> {
  return {
    ...parts,
    write(to, value) {
      const bytes = new Uint8Array(parts.size);
      parts.put(new DataView(bytes.buffer), 0, value);
      parts.writeChildren(to, value, { index: to.buffer(bytes), offset: 0 });
    },
    read(from) {
      const { bytes, index } = from.buffer(parts.size);
      return parts.get(viewOf(bytes), 0, from, index);
    },
  };
}

/** Bytes of hidl_string, hidl_vec and hidl_handle, and where their counts are. */
const POINTER_BYTES = 16, COUNT_AT = 8;

/** hidl_string. */
export const STRING: HidlLayout<string> = inBuffer({
  size: POINTER_BYTES,
  put: (view, at, value) => view.setUint32(at + COUNT_AT, cString(value).length - 1, true),
  writeChildren: (to, value, place) => void to.buffer(cString(value), place),
  get(view, at, from, index) {
    const size = view.getUint32(at + COUNT_AT, true), { bytes } = from.buffer(size + 1, { index, offset: at });
    return new TextDecoder().decode(bytes.subarray(0, size));
  },
});

/** hidl_handle. */
export const HANDLE: HidlLayout<NativeHandle | null> = {
  size: POINTER_BYTES,
  put: () => {},
  writeChildren: (to, value, place) => to.handle(value, place),
  get: (_view, at, from, index) => from.handle({ index, offset: at }),
  write: (to, value) => to.handle(value),
  read: (from) => from.handle(),
};

/** hidl_vec. */
export function vec<Value>(of: HidlLayout<Value>): HidlLayout<readonly Value[]> {
  return inBuffer({
    size: POINTER_BYTES,
    put: (view, at, values) => view.setUint32(at + COUNT_AT, values.length, true),
    writeChildren(to, values, place) {
      const bytes = new Uint8Array(of.size * values.length), view = new DataView(bytes.buffer);
      values.forEach((value, at) => of.put(view, at * of.size, value));
      const index = to.buffer(bytes, place);
      values.forEach((value, at) => of.writeChildren(to, value, { index, offset: at * of.size }));
    },
    get(view, at, from, parent) {
      const count = view.getUint32(at + COUNT_AT, true);
      if (count === 0) {
        from.emptyBuffer();
        return [];
      }
      const { bytes, index } = from.buffer(count * of.size, { index: parent, offset: at }), elements = viewOf(bytes);
      return Array.from({ length: count }, (_, element) => of.get(elements, element * of.size, from, index));
    },
  });
}

// deno-lint-ignore no-explicit-any
type Fields = Readonly<Record<string, readonly [number, HidlLayout<any>]>>;

/** A struct: its size, and its fields at their offsets. */
export function struct<Value extends object>(size: number, members: Fields): HidlLayout<Value> {
  const fields = Object.entries(members);
  return inBuffer<Value>({
    size,
    put(view, at, value) {
      for (const [name, [offset, type]] of fields) {
        type.put(view, at + offset, (value as Record<string, unknown>)[name]);
      }
    },
    writeChildren(to, value, { index, offset: at }) {
      for (const [name, [offset, type]] of fields) {
        type.writeChildren(to, (value as Record<string, unknown>)[name], { index, offset: at + offset });
      }
    },
    get(view, at, from, index) {
      const all = fields.map(([name, [offset, type]]) => [name, type.get(view, at + offset, from, index)]);
      return Object.fromEntries(all) as Value;
    },
  });
}

/** Sixteen floats, `float[4][4]`. */
export const MATRIX: HidlLayout<readonly number[]> = inBuffer<readonly number[]>({
  size: 64,
  put: (view, at, values) => values.forEach((value, index) => view.setFloat32(at + 4 * index, value, true)),
  writeChildren: () => {},
  get: (view, at) => Array.from({ length: 16 }, (_, index) => view.getFloat32(at + 4 * index, true)),
});

/** An interface, which is null for `null`. */
export const INTERFACE: HidlType<BinderValue | null> = {
  write: (to, value) => to.object(value),
  read(from) {
    const item = from.object();
    if (!item) return null;
    return item.kind === "local" ? { local: item.object } : { remote: item.object };
  },
};

/** A fast message queue: where its parts lie in the memory of its handle. */
export interface QueueDescriptor {
  readonly grantors: readonly {
    readonly flags: number;
    readonly fdIndex: number;
    readonly offset: number;
    readonly extent: bigint;
  }[];
  /** The memory; its descriptors are the receiver's. */
  readonly handle: NativeHandle | null;
  /** Bytes of an element. */
  readonly quantum: number;
  /** 1 for a queue with one reader that the writer waits for. */
  readonly flags: number;
}

const GRANTORS = vec(struct<QueueDescriptor["grantors"][number]>(24, {
  flags: [0, U32],
  fdIndex: [4, U32],
  offset: [8, U32],
  extent: [16, U64],
}));
const HANDLE_AT = 16, QUANTUM_AT = 24, FLAGS_AT = 28;

/** MQDescriptor of a synchronized queue. */
export const QUEUE: HidlType<QueueDescriptor> = inBuffer<QueueDescriptor>({
  size: 32,
  put(view, at, { grantors, quantum, flags }) {
    GRANTORS.put(view, at, grantors);
    view.setUint32(at + QUANTUM_AT, quantum, true);
    view.setUint32(at + FLAGS_AT, flags, true);
  },
  writeChildren(to, { grantors, handle }, { index, offset }) {
    GRANTORS.writeChildren(to, grantors, { index, offset });
    to.handle(handle, { index, offset: offset + HANDLE_AT });
  },
  get(view, at, from, index) {
    const grantors = GRANTORS.get(view, at, from, index), handle = from.handle({ index, offset: at + HANDLE_AT });
    return {
      grantors,
      handle,
      quantum: view.getUint32(at + QUANTUM_AT, true),
      flags: view.getUint32(at + FLAGS_AT, true),
    };
  },
});

/** A method of an interface. */
export interface HidlMethod {
  /** The number of its transactions. */
  readonly code: number;
  /** The version of the interface that defines it. */
  readonly in: string;
  /** Nothing is answered. */
  readonly oneway?: boolean;
  // deno-lint-ignore no-explicit-any
  readonly args: readonly HidlType<any>[];
  // deno-lint-ignore no-explicit-any
  readonly results: readonly HidlType<any>[];
}

/** An interface: its package and name, and its methods by their names. */
export interface HidlInterface<Methods> {
  readonly package: string;
  readonly name: string;
  /** The versions of it, oldest first. */
  readonly versions: readonly string[];
  readonly methods: { readonly [Name in keyof Methods]: HidlMethod };
}

/** The name of a version of an interface, such as `android.hardware.graphics.composer@2.1::IComposer`. */
export function nameOf(
  { package: folder, name }: Pick<HidlInterface<unknown>, "package" | "name">,
  version: string,
): string {
  return `${folder}@${version}::${name}`;
}

function viewOf(bytes: Uint8Array): DataView {
  if (bytes.byteLength === 0) return failWith(STATUS.BAD_VALUE, "a buffer is empty");
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
