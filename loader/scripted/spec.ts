import { either, list, object, oneOf, type OptionRules, text, typed, yesOrNo } from "../../ffi/check_options.ts";
import type { DirectDriver } from "../driver/interface/driver.ts";
import type { ChainItem, ExtenderOf } from "../base.ts";
import type {
  VkExtensionProperties,
  VkPhysicalDeviceFeatures,
  VkPhysicalDeviceFeatures2,
  VkPhysicalDeviceMemoryProperties,
  VkPhysicalDeviceMemoryProperties2,
  VkPhysicalDeviceProperties,
  VkPhysicalDeviceProperties2,
  VkQueueFamilyProperties,
  VkQueueFamilyProperties2,
} from "../gen/types_core_gen.ts";
import type { Layer } from "../layer.ts";

/** A struct with only the given members; the rest is zero. */
export type PartialStruct<T> = {
  readonly [Key in keyof T]?: T[Key] extends number | bigint | string | boolean | ArrayLike<unknown> | null ? T[Key]
    : PartialStruct<T[Key]>;
};

/** An extension: its name, with the registry's revision, or a name and a revision. */
export type ExtensionSpec = string | VkExtensionProperties;

/** A struct for the `pNext` chain of a query that ends in 2. */
export type ChainedSpec = ChainItem<
  ExtenderOf<
    | VkPhysicalDeviceFeatures2
    | VkPhysicalDeviceProperties2
    | VkPhysicalDeviceMemoryProperties2
    | VkQueueFamilyProperties2
  >
>;

/** The answers of a physical device of a driver written in TypeScript. Read again at each query. */
export interface PhysicalDeviceSpec {
  /** VkPhysicalDeviceProperties. Default: `apiVersion` is the driver's and `deviceName` is "Scripted device". */
  readonly properties?: PartialStruct<VkPhysicalDeviceProperties>;
  /** VkPhysicalDeviceFeatures. Default: none. */
  readonly features?: PartialStruct<VkPhysicalDeviceFeatures>;
  /** VkPhysicalDeviceMemoryProperties. Default: 256 MiB that are device-local and host-coherent. */
  readonly memoryProperties?: PartialStruct<VkPhysicalDeviceMemoryProperties>;
  /** The queue families. Default: one family with one queue for graphics, compute and transfer. */
  readonly queueFamilies?: readonly PartialStruct<VkQueueFamilyProperties>[];
  /** The device extensions. Default: none. */
  readonly extensions?: readonly ExtensionSpec[];
  /**
   * The answers for structs in the `pNext` chain of queries that end in 2, by
   * `sType`. Other structs stay unchanged.
   */
  readonly chain?: readonly ChainedSpec[];
  /** Devices with the same group name form one group. Other devices are groups of their own. */
  readonly group?: string;
}

/** A command outside the registry. */
export interface UnknownCommand {
  /** The signature of the command, such as `"s:qw"`: see {@linkcode parseSignature} of `@pumice/gfx/ffi`. */
  readonly signature: string;
  /** Whether its first parameter is a VkPhysicalDevice, so that vk_icdGetPhysicalDeviceProcAddr has it. */
  readonly physicalDevice?: boolean;
  /** The implementation. It gets the raw arguments and returns the raw result. */
  // deno-lint-ignore no-explicit-any -- the arguments depend on the signature
  readonly run: (...args: any[]) => number | bigint | void;
}

/** Options of {@linkcode defineDriver}. */
export interface DriverSpec {
  /** The driver's name in messages. */
  readonly name: string;
  /** The packed result of vkEnumerateInstanceVersion; `null` for a 1.0 driver without the command. Default `VK_API_VERSION_1_3`. */
  readonly apiVersion?: number | null;
  /** The instance extensions. Default: none. */
  readonly instanceExtensions?: readonly ExtensionSpec[];
  /** The physical devices. Default: one without special features. */
  readonly physicalDevices?: readonly PhysicalDeviceSpec[];
  /**
   * Hooks over the driver's own commands, as in a layer; `next` is the driver's
   * own. A command named here exists whether or not an extension provides it.
   * Hooks over the two GetProcAddr commands see every queried name.
   */
  readonly commands?: Layer["commands"];
  /** Commands, or functions of the loader-driver interface, that the driver lacks. */
  readonly missing?: readonly string[];
  /** Commands outside the registry, by name. */
  readonly unknownCommands?: Readonly<Record<string, UnknownCommand>>;
  /** Whether objects are allocated with the application's VkAllocationCallbacks, if it gives some. Default: no. */
  readonly allocates?: boolean;
  /**
   * The treatment of a call on another thread. `"skip"`, the default: it fails, or succeeds if the command has nothing
   * else to do. `"block"`: it waits until this thread reaches its event loop. That is a deadlock if this thread waits
   * for the other.
   */
  readonly onForeignThread?: "skip" | "block";
}

/** The options of a driver and their rules. */
export const SPEC_RULES: OptionRules<DriverSpec> = {
  name: typed("a name", "string"),
  apiVersion: (value) => value === null || typeof value === "number" ? undefined : "a version, or null for none",
  instanceExtensions: list("a list of extensions", either(text("a name"), object("a name, or its name and version"))),
  physicalDevices: list("a list of physical devices", object("an object that describes one")),
  commands: object("an object of functions by the commands' names"),
  missing: list("a list of commands", text("a name")),
  unknownCommands: object("an object of commands by their names"),
  allocates: yesOrNo,
  onForeignThread: oneOf("skip", "block"),
};

/** A driver written in TypeScript. */
export interface ScriptedDriver extends DirectDriver, Disposable {
  /** The current physical devices. Add and remove them at will. A device keeps its handle within an instance. */
  readonly physicalDevices: PhysicalDeviceSpec[];
  /** The names of the commands called so far, in order. Set its `length` to 0 to start again. */
  readonly calls: string[];
  /** Returns how many live objects of a type there are, such as `"VkInstance"` or `"VkBuffer"`. */
  live(type: string): number;
  /** Frees the driver. Close the loaders that use it first. A second call does nothing. */
  close(): void;
}
