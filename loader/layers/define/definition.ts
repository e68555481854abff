import type { ChainItem, ExtenderOf, Out } from "../../base.ts";
import type { HandleName, StructTypes } from "../../gen/names_gen.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type {
  VkPhysicalDeviceFeatures,
  VkPhysicalDeviceFeatures2,
  VkPhysicalDeviceLimits,
  VkPhysicalDeviceProperties,
  VkPhysicalDeviceProperties2,
} from "../../gen/types_core_gen.ts";
import type { Layer, LayerHooks, ReplacedLayer } from "../../layer.ts";

/** The create info of a handle type, as a layer reads it. */
export type CreateInfo<Type extends HandleName> = InfoName<Type> extends infer Name extends keyof StructTypes
  ? Out<StructTypes[Name]>
  : Record<string, unknown>;

/**
 * The name of the create info: `VkBufferCreateInfo` for `VkBuffer`,
 * `VkSwapchainCreateInfoKHR` for `VkSwapchainKHR`.
 */
export type InfoName<Type extends string> = Type extends `${infer Base}${"KHR" | "EXT"}` ? Extract<
    `${Base}CreateInfo${Type extends `${Base}${infer Suffix}` ? Suffix : never}`,
    keyof StructTypes
  >
  : Type extends "VkDeviceMemory" ? "VkMemoryAllocateInfo"
  : Extract<`${Type}CreateInfo` | `${Type}AllocateInfo`, keyof StructTypes>;

/** An object for which a layer begins to keep state. */
export interface NewObject<Type extends HandleName> {
  /** The handle. */
  readonly handle: bigint;
  /** The first argument of the command that created the object. For an instance, the instance itself. */
  readonly owner: bigint;
  /** The command that created the object; `undefined` if the object is older than the layer. */
  readonly command?: keyof RawCommands;
  /**
   * The create info, decoded at the first access. Available only during the
   * call, and not for objects that are older than the layer.
   */
  readonly info?: CreateInfo<Type>;
}

/** The types of objects' state, by handle type. */
export type StateTypes = { readonly [Type in HandleName]?: unknown };

/** For each handle type, the function that makes the state of a new object. */
export type StateMakers<Types extends StateTypes> = {
  readonly [Type in keyof Types]: (object: NewObject<Type & HandleName>) => Types[Type];
};

/** Types whose handles begin with a dispatch key, so that the handle alone identifies the object. */
export type KeyedHandle = "VkPhysicalDevice" | "VkQueue" | "VkCommandBuffer";

/**
 * The state of objects, by handle type. For an instance or device, pass any of
 * its dispatchable handles: `VkDevice(queue)`. For another dispatchable object,
 * pass its handle: `VkQueue(queue)`. For all others, pass a handle of their
 * owner first: `VkBuffer(device, buffer)`. An object that is older than the
 * layer gets its state at the first access.
 */
export type LayerStates<Types extends StateTypes> = {
  readonly [Type in keyof Types]: Type extends "VkInstance" | "VkDevice" | KeyedHandle ? (handle: bigint) => Types[Type]
    : (owner: bigint, handle: bigint) => Types[Type];
};

/** Reads numbers at an address. NULL reads as `null`. Throws a `TypeError` if no memory is there. */
export interface NumberReader<Value> {
  /** Reads one number. The type leaves `null` out, because the parameters that lead to one number must not be NULL. */
  (address: bigint): Value;
  /** Reads an array of so many numbers. */
  (address: bigint, count: number): Value[] | null;
}

/** The `this` of a layer's hooks that are written as methods. */
export interface LayerContext<Types extends StateTypes> {
  /** The state that `onCreate` made. */
  readonly state: LayerStates<Types>;
  /** The commands below this layer, in raw form, for the instance or device of a dispatchable handle. */
  below(handle: bigint): RawCommands;
  /**
   * Reads the struct at an address and its chain. NULL reads as `null`. The
   * type leaves `null` out, because most parameters must not be NULL: test `===
   * null` where the specification allows NULL.
   *
   * @throws {TypeError} if no memory is at the address, or a struct of another
   *   `sType`.
   */
  read<Name extends keyof StructTypes>(name: Name, address: bigint): Out<StructTypes[Name]>;
  /** Reads an array of structs in the same way. NULL, with which a caller asks only for the count, reads as `null`. */
  readAll<Name extends keyof StructTypes>(name: Name, address: bigint, count: number): Out<StructTypes[Name]>[] | null;
  /**
   * Reads an array of handles or of other 64-bit values. NULL reads as `null`.
   * Throws a `TypeError` if no memory is there.
   */
  handles(address: bigint, count: number): bigint[] | null;
  /** Reads an unsigned 32-bit number, such as a count at its address; with a count, an array. NULL reads as `null`. */
  readonly u32: NumberReader<number>;
  /** Reads signed 32-bit numbers in the same way, such as VkResult. */
  readonly i32: NumberReader<number>;
  /** Reads unsigned 64-bit numbers in the same way, such as VkDeviceSize or one handle. */
  readonly u64: NumberReader<bigint>;
  /** Reads 32-bit floats in the same way. */
  readonly f32: NumberReader<number>;
  /** A copy of the bytes at an address; NULL is `null`. */
  bytes(address: bigint, size: number): Uint8Array<ArrayBuffer> | null;
  /** Reads the text at an address, up to the zero byte. NULL reads as `null`. */
  text(address: bigint): string | null;
  /**
   * Writes a struct to memory that is valid until the hook returns, and returns
   * the address. Values that were read can be written.
   */
  write<Name extends keyof StructTypes>(name: Name, value: StructTypes[Name] | Out<StructTypes[Name]>): bigint;
  /** Writes an array of structs in the same way. */
  writeAll<Name extends keyof StructTypes>(
    name: Name,
    values: readonly (StructTypes[Name] | Out<StructTypes[Name]>)[],
  ): bigint;
}

/** Some members of a struct of a chain. `sType` says which struct. */
export type SomeOf<Item> = Item extends { sType: infer Type } ? Partial<Item> & { readonly sType: Type } : never;

/** A layer's changes to what physical devices report. Members that are left out are reported unchanged. */
export interface DeviceChanges {
  /** Members of VkPhysicalDeviceProperties. */
  readonly properties?: Partial<Omit<VkPhysicalDeviceProperties, "limits" | "sparseProperties">>;
  /** Members of VkPhysicalDeviceLimits. */
  readonly limits?: Partial<VkPhysicalDeviceLimits>;
  /**
   * Members of VkPhysicalDeviceFeatures. If an application may enable a feature
   * that the driver lacks, a vkCreateDevice hook must remove the feature.
   */
  readonly features?: Partial<VkPhysicalDeviceFeatures>;
  /** Members of structs of the chains of VkPhysicalDeviceProperties2 and VkPhysicalDeviceFeatures2. */
  readonly chain?: readonly SomeOf<
    ChainItem<ExtenderOf<VkPhysicalDeviceProperties2>> | ChainItem<ExtenderOf<VkPhysicalDeviceFeatures2>>
  >[];
}

/** A layer as its author writes it. */
export interface LayerDefinition<Types extends StateTypes> extends Omit<Layer, "commands" | "onReplace"> {
  /**
   * State for objects, by handle type. The function is called after an object
   * was created. `state` returns its result until the object is destroyed.
   */
  readonly onCreate?: StateMakers<Types>;
  /**
   * Called when the layer takes the place of another (`replace`, or a file that
   * was saved), once for each live instance, before the first hook of the layer
   * runs: keeps what the old layer knows. If it throws, the old layer stays.
   * Default: state begins anew.
   */
  readonly onReplace?: (old: ReplacedLayer<Types>) => void;
  /** Hooks by command name. In methods, `this` is a {@linkcode LayerContext}. Commands without a hook cost nothing. */
  readonly commands?: LayerHooks & ThisType<LayerContext<Types>>;
  /**
   * Changes to what physical devices report: the same for all, or a function of
   * the handle that is called at each query.
   */
  readonly physicalDevice?: DeviceChanges | ((physicalDevice: bigint) => DeviceChanges);
}

/** A layer made by {@linkcode defineLayer}. */
export interface DefinedLayer<Types extends StateTypes> extends Layer {
  /** The state that `onCreate` made, for code outside hooks. */
  readonly state: LayerStates<Types>;
}
