/**
 * The few types that the generated Vulkan types are built from.
 *
 * @module
 */
import type { RawCommands } from "./gen/raw_commands_gen.ts";
import type { Layer, LayerPlace } from "./layer.ts";

/** A non-dispatchable handle: 64 bits that only fit where their own type is asked for. */
export type Handle<Name extends string> = bigint & { readonly __handle: Name };

/**
 * An enum or flags value: a plain number, or a bigint for 64-bit flags. Any number fits, constants of another enum
 * do not.
 */
export type Enum<Name extends string, Value extends number | bigint = number> = Value & { readonly __enum?: Name };

/** Data to be copied into native memory, or the address of data already there. */
export type Bytes = ArrayBufferView | ArrayBuffer | bigint;

/** The members of a C union: give the one that counts. */
export interface Union {
  /** Marks unions for {@linkcode Out}; never present. */
  readonly __union?: never;
}

/** A `pNext` chain: one struct, a list of structs in order, or the address of a chain already in native memory. */
export type Next<Struct> = Struct | readonly Struct[] | bigint | null;

/** What every struct with a structure type begins with. */
export interface Struct<Type extends number, Extenders = never> {
  /** Its structure type; filled in when left out. */
  sType?: Type;
  /** The structs that extend it. */
  pNext?: Next<Extenders>;
}

/** What every struct begins with that may stand in the `pNext` chain of another: there its type must be named. */
export interface Extender<Type extends number, Extenders = never> {
  /** Its structure type. */
  sType: Type;
  /** The structs that extend it. */
  pNext?: Next<Extenders>;
}

/** A struct in a chain that is also given directly elsewhere: in the chain its type must be named. */
export type Chained<Direct extends { sType?: number }> = Direct & { sType: Exclude<Direct["sType"], undefined> };

/** An object that commands are called on: `VkInstance`, `VkPhysicalDevice`, `VkDevice`, `VkQueue`, `VkCommandBuffer`. */
export interface Dispatchable {
  /** The native handle. */
  readonly handle: bigint;
  /**
   * Every command in its raw form: handles, pointers and 64-bit values as bigint, everything else as number. Throws a
   * `TypeError` when the first one, which the command is called on, is NULL, of another kind or destroyed; an address at
   * which nothing can be read ends the process.
   */
  readonly raw: RawCommands;
}

/** What instances have besides commands. */
export interface InstanceExtras extends Disposable {
  /** Destroys the instance with everything made from it; a second call does nothing. */
  close(): void;
  /**
   * Puts a TypeScript layer in the chain of the live instance and its devices:
   * on top, or at a place. Throws a `TypeError` when it is in the chain already
   * or there is no such place.
   */
  attach(layer: Layer, place?: LayerPlace): void;
  /** Takes a layer that was attached, or given when the instance was made, out of the live instance. */
  detach(layer: Layer): void;
  /** Puts a layer exactly where another one stands, from the next command on. */
  replace(old: Layer, layer: Layer): void;
}

/** What devices have besides commands. */
export interface DeviceExtras extends Disposable {
  /** Destroys the device with everything made from it; a second call does nothing. */
  close(): void;
}

/** What a command returns: every member present, numbers in real arrays, objects as their bare handles. */
export type Out<T> = T extends Dispatchable ? bigint
  : T extends bigint | number | string | boolean | null | undefined ? T
  : T extends ArrayBuffer | ArrayBufferView ? Uint8Array
  : T extends readonly (infer Item)[] ? Out<Item>[]
  : T extends ArrayLike<infer Item> ? Item[]
  : "__union" extends keyof T ? { [Key in keyof T]?: Out<T[Key]> }
  : { [Key in keyof T]-?: OutMember<Key, Exclude<T[Key], undefined>> };

/** A member that came back. A `pNext` that takes addresses begins a chain; that of any other struct is one pointer. */
export type OutMember<Key, Member> = [Key, bigint] extends ["pNext", Member] ? OutNext<Member> : Out<Member>;

/** The structs of a chain that came back, in order. */
export type OutNext<Chain> = Out<ChainMember<Chain>>[];

/** The structs that may stand in a chain, out of the type of a `pNext` member. */
export type ChainMember<Chain> = Exclude<Chain, readonly unknown[] | bigint | null | undefined>;

/** The structs that may stand in the `pNext` chain of a struct. */
export type ExtenderOf<Root extends { pNext?: unknown }> = ChainMember<Root["pNext"]> & { sType: number };

/**
 * What to hang on the `pNext` chain of a struct that the driver fills: structure types, or struct literals where the
 * driver reads members too.
 */
export type ChainOf<Root extends { pNext?: unknown }> = readonly (
  | ExtenderOf<Root>["sType"]
  | ChainItem<ExtenderOf<Root>>
)[];

/** A struct literal of a chain to be filled: only `sType` must be there. */
export type ChainItem<Item extends { sType: number }> = Item extends unknown
  ? Pick<Item, "sType"> & Partial<Omit<Item, "sType">>
  : never;

/** A struct that the driver filled, with the structs of its chain in the order asked for. */
export type Filled<Root extends { pNext?: unknown }, Chain extends ChainOf<Root>> = Omit<Out<Root>, "pNext"> & {
  pNext: { -readonly [Index in keyof Chain]: Out<Extract<ExtenderOf<Root>, { sType: TypeIn<Chain[Index]> }>> };
};

/** The structure type that an item of a chain names. */
export type TypeIn<Item> = Item extends number ? Item : Item extends { sType: infer Type } ? Type : never;
