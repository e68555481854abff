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

/** A struct of which only the members that matter are given; the rest is zero. */
export type PartialStruct<T> = {
  readonly [Key in keyof T]?: T[Key] extends number | bigint | string | boolean | ArrayLike<unknown> | null ? T[Key]
    : PartialStruct<T[Key]>;
};

/** An extension by its name, then with the registry's revision, or with a revision. */
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

/** What a physical device of a driver written in TypeScript says about itself. Read anew at each query. */
export interface PhysicalDeviceSpec {
  /** VkPhysicalDeviceProperties; `apiVersion` is the driver's and `deviceName` "Scripted device" unless given. */
  readonly properties?: PartialStruct<VkPhysicalDeviceProperties>;
  /** VkPhysicalDeviceFeatures. Default: none. */
  readonly features?: PartialStruct<VkPhysicalDeviceFeatures>;
  /** VkPhysicalDeviceMemoryProperties. Default: 256 MiB that are device-local and host-coherent. */
  readonly memoryProperties?: PartialStruct<VkPhysicalDeviceMemoryProperties>;
  /** Default: one family with one queue for graphics, compute and transfer. */
  readonly queueFamilies?: readonly PartialStruct<VkQueueFamilyProperties>[];
  /** The device extensions. Default: none. */
  readonly extensions?: readonly ExtensionSpec[];
  /** What queries that end in 2 put into the structs of the caller's `pNext` chain, by `sType`; others stay as they are. */
  readonly chain?: readonly ChainedSpec[];
  /** Devices that name the same group are one; others are each a group of their own. */
  readonly group?: string;
}

/** A command that no registry knows. */
export interface UnknownCommand {
  /** Its signature, such as `"s:qw"`: see {@linkcode parseSignature} of `@pumice/gfx/ffi`. */
  readonly signature: string;
  /** Whether its first parameter is a VkPhysicalDevice, so that vk_icdGetPhysicalDeviceProcAddr has it. */
  readonly physicalDevice?: boolean;
  /** What it does; gets the raw arguments and returns the raw result. */
  // deno-lint-ignore no-explicit-any -- the arguments depend on the signature
  readonly run: (...args: any[]) => number | bigint | void;
}

/** What {@linkcode defineDriver} is told. */
export interface DriverSpec {
  /** What to call the driver in messages. */
  readonly name: string;
  /** What vkEnumerateInstanceVersion says, packed; `null` for a 1.0 driver that has no such command. Default: 1.3. */
  readonly apiVersion?: number | null;
  /** The instance extensions. Default: none. */
  readonly instanceExtensions?: readonly ExtensionSpec[];
  /** The physical devices. Default: one that has nothing special. */
  readonly physicalDevices?: readonly PhysicalDeviceSpec[];
  /**
   * Hooks over what the driver would do by itself, as in a layer: `next` is
   * that. A command named here is there whether or not an extension brings it.
   * Hooks over the two GetProcAddr commands see every name that is asked for.
   */
  readonly commands?: Layer["commands"];
  /** Commands, or functions of the loader-driver interface, that the driver does not have after all. */
  readonly missing?: readonly string[];
  /** Commands outside the registry, by name. */
  readonly unknownCommands?: Readonly<Record<string, UnknownCommand>>;
  /** Whether objects are allocated and freed by the application's VkAllocationCallbacks, if it gives some. Default: no. */
  readonly allocates?: boolean;
  /**
   * What commands do that are called on another thread than this one:
   * `"skip"`, the default, fails (where there is nothing to do but succeed, it
   * succeeds); `"block"` waits until this thread gets to its event loop, and
   * for ever if this thread waits for that one.
   */
  readonly onForeignThread?: "skip" | "block";
}

/** What can be said of a driver, and what fits. */
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
  /** The physical devices there are now: add and remove them at will. A device keeps its handle within an instance. */
  readonly physicalDevices: PhysicalDeviceSpec[];
  /** The names of the commands called so far, in order. Set its `length` to 0 to begin anew. */
  readonly calls: string[];
  /** How many objects of a type there are now, such as `"VkInstance"` or `"VkBuffer"`. */
  live(type: string): number;
  /** Frees the driver. Close the loaders that use it before. A second call does nothing. */
  close(): void;
}
