/**
 * The small types from which the generated Vulkan types are built.
 *
 * @module
 */
import type { RawCommands } from "./gen/raw_commands_gen.ts";
import type { Layer, LayerControls } from "./layer.ts";

/** The name of the C type of a handle or of an enum's value, which TypeScript alone sees. */
export declare const C_TYPE: unique symbol;

/**
 * The brand that makes a bigint a handle of one type. Only commands return handles; no number can be written instead.
 */
export interface HandleOf<Name extends string> {
  /** The C type; never present at run time. */
  readonly [C_TYPE]: Name;
}

/** A non-dispatchable handle: a 64-bit value that TypeScript accepts only where the handle's own type is expected. */
export type Handle<Name extends string> = bigint & HandleOf<Name>;

/** The brand that makes a number a value of one enum or of one type of flags. */
export interface ValueOf<Name extends string> {
  /** The C type; never present at run time. */
  readonly [C_TYPE]?: Name;
}

/**
 * An enum or flags value: a plain number, or a bigint for 64-bit flags. Any
 * number is accepted; constants of another enum are not.
 */
export type Enum<Name extends string, Value extends number | bigint = number> = Value & ValueOf<Name>;

/** Data to be copied into native memory, or the address of data that is already there. */
export type Bytes = ArrayBufferView | ArrayBuffer | bigint;

/** The members of a C union. Give exactly one. */
export interface Union {
  /** Marks unions for {@linkcode Out}; never present. */
  readonly __union?: never;
}

/**
 * Structs of a chain, in order: an array. TypeScript compares a struct that
 * fits nowhere with the structs themselves because this is no array type, so
 * that the error names the nearest struct.
 */
export interface ChainList<Struct> extends Pick<readonly Struct[], number | "length" | "map"> {}

/** A `pNext` chain: one struct, a list of structs in order, or the address of a chain in native memory. */
export type Next<Struct> = Struct | ChainList<Struct> | bigint | null;

/** The first members of every struct with a structure type. */
export interface Struct<Type extends number, Extenders = never> {
  /** The structure type; filled in by default. */
  sType?: Type;
  /** The structs that extend this struct. */
  pNext?: Next<Extenders>;
}

/**
 * The first members of every struct that may stand in the `pNext` chain of
 * another struct. In a chain, `sType` is required.
 */
export interface Extender<Type extends number, Extenders = never> {
  /** The structure type. */
  sType: Type;
  /** The structs that extend this struct. */
  pNext?: Next<Extenders>;
}

/** A struct that is given directly in one place and in a chain in another. In a chain, `sType` is required. */
export type Chained<Direct extends { sType?: number }> = Direct & { sType: Exclude<Direct["sType"], undefined> };

/** An object that commands are called on: `VkInstance`, `VkPhysicalDevice`, `VkDevice`, `VkQueue`, `VkCommandBuffer`. */
export interface Dispatchable {
  /** The native handle. */
  readonly handle: bigint;
  /**
   * Every command in its raw form: handles, pointers and 64-bit values are
   * bigints, everything else is a number. Throws a `TypeError` if the first
   * argument, the object of the command, is NULL, of another kind or destroyed.
   * An address that cannot be read ends the process.
   */
  readonly raw: RawCommands;
}

/** Methods of instances beside the commands. */
export interface InstanceExtras extends LayerControls<Layer>, Disposable {
  /** Destroys the instance and everything that was made from it. A second call does nothing. */
  close(): void;
}

/** Methods of devices beside the commands. */
export interface DeviceExtras extends Pick<LayerControls<Layer>, "supports">, Disposable {
  /** Destroys the device and everything that was made from it. A second call does nothing. */
  close(): void;
}

/**
 * A value that a command returns: every member is present, numeric arrays are
 * arrays of numbers, and objects are bare handles.
 */
export type Out<T> = T extends Dispatchable ? bigint
  : T extends bigint | number | string | boolean | null | undefined ? T
  : T extends ArrayBuffer | ArrayBufferView ? Uint8Array
  : T extends readonly (infer Item)[] ? Out<Item>[]
  : T extends ArrayLike<infer Item> ? Item[]
  : "__union" extends keyof T ? { [Key in keyof T]?: Out<T[Key]> }
  : { [Key in keyof T]-?: OutMember<Key, Exclude<T[Key], undefined>> };

/** A member that came back. A `pNext` that takes addresses begins a chain; that of any other struct is one pointer. */
export type OutMember<Key, Member> = [Key, bigint] extends ["pNext", Member] ? OutNext<Member> : Out<Member>;

/** The structs of a returned chain, in order. */
export type OutNext<Chain> = Out<ChainMember<Chain>>[];

/** The structs that may stand in a chain, from the type of a `pNext` member. */
export type ChainMember<Chain> = Exclude<Chain, ChainList<unknown> | bigint | null | undefined>;

/** The structs that may stand in the `pNext` chain of a struct. */
export type ExtenderOf<Root extends { pNext?: unknown }> = ChainMember<Root["pNext"]> & { sType: number };

/**
 * The structs to append to the `pNext` chain of a struct that the driver fills.
 * Give structure types, or struct literals if the driver also reads members.
 */
export type ChainOf<Root extends { pNext?: unknown }> = readonly (
  | ExtenderOf<Root>["sType"]
  | ChainItem<ExtenderOf<Root>>
)[];

/** A struct literal for a chain that the driver fills. Only `sType` is required. */
export type ChainItem<Item extends { sType: number }> = Item extends unknown
  ? Pick<Item, "sType"> & Partial<Omit<Item, "sType">>
  : never;

/** A struct that the driver filled, with the structs of its chain in the requested order. */
export type Filled<Root extends { pNext?: unknown }, Chain extends ChainOf<Root>> = Omit<Out<Root>, "pNext"> & {
  pNext: { -readonly [Index in keyof Chain]: Out<Extract<ExtenderOf<Root>, { sType: TypeIn<Chain[Index]> }>> };
};

/** The structure type of an item of a chain. */
export type TypeIn<Item> = Item extends number ? Item : Item extends { sType: infer Type } ? Type : never;
