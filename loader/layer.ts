import type { RawCommands } from "./gen/raw_commands_gen.ts";
import type { HandleName } from "./gen/names_gen.ts";

/** A command in its raw form: handles, addresses and 64-bit values are bigints, everything else is a number. */
export type RawCommand<Name extends keyof RawCommands> = RawCommands[Name];

/**
 * A layer's code for one command. The hook gets the next element of the chain
 * and the raw arguments, and returns the result for the caller. The hook
 * decides whether to call `next`. An error that the hook throws reaches the
 * caller.
 */
export type Hook<Name extends keyof RawCommands> = (
  next: RawCommand<Name>,
  ...args: Parameters<RawCommand<Name>>
) => ReturnType<RawCommand<Name>>;

/** Hooks by command name. */
export type HooksByName = { readonly [Name in keyof RawCommands]?: Hook<Name> };

/** The hooks of a layer: a function for each command that the layer intercepts, by the command's C name. */
export interface LayerHooks extends HooksByName {}

/** A hook for a command that is only known by name. */
// deno-lint-ignore no-explicit-any -- the arguments depend on the command, which is not known here
export type AnyHook = (next: (...args: any[]) => any, ...args: any[]) => any;

/** An extension that a layer provides. */
export interface LayerExtension {
  /** The extension's name, such as `VK_EXT_debug_utils`. */
  readonly extensionName: string;
  /** The version of the extension. */
  readonly specVersion: number;
  /**
   * Whether the extension is listed for applications. An unlisted extension can
   * still be enabled by name. Default true.
   */
  readonly isListed?: boolean;
}

/**
 * The treatment of a native program's call of a hooked command on a foreign thread, where no hook can run at once.
 * `"skip"`: the call continues below the layer, as if there were no hook. `"record"`: the same, and the layer hears of
 * the call later. `"block"`: the call waits until the event loop has run the hook. That is a deadlock if the event loop
 * is waiting for the calling thread.
 */
export type ForeignThreadPolicy = "skip" | "record" | "block";

/** Memory of a program that was copied when the program made a recorded call. */
export interface CopiedMemory {
  /** The copied argument or member, as the policy names it, such as `pSubmits.pCommandBuffers`. */
  readonly path: string;
  /** The address that the program passed; 0n for NULL. */
  readonly address: bigint;
  /** Bytes that the call has there. */
  readonly size: number;
  /** The bytes that were copied: fewer than `size` if there was no room for all, or no memory at the address. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The members of the first struct that are numbers, handles or addresses, by name; `{}` for what is no struct. */
  readonly members: Readonly<Record<string, number | bigint>>;
}

/** A call of a hooked command on another thread. */
export interface ForeignCall {
  /** The command's name. */
  readonly command: keyof RawCommands;
  /** The raw arguments. The objects and memory behind handles and addresses may be gone. */
  readonly args: readonly (number | bigint)[];
  /** The thread, as a number that no other living thread has. */
  readonly thread: bigint;
  /** The time of the call, in nanoseconds of CLOCK_MONOTONIC. */
  readonly time: number;
  /** The system's number of the thread, as `gettid` returns. */
  readonly tid: number;
  /** The memory that was copied when the call was made, if a policy of `serveLayers()` names something. */
  readonly copies?: readonly CopiedMemory[];
  /** Calls of other threads that were lost so far, in total, because there was no room to record them. */
  readonly lost: number;
}

/** A command that a layer adds and that the registry does not have. */
export interface NewCommand {
  /**
   * A letter for the result, a colon, and a letter for each parameter: `q` 64
   * bits and addresses, `w` u32, `s` i32, `f` float, `d` double, `v` no result.
   */
  readonly signature: string;
  /** The implementation. 64-bit arguments and results are bigints, all others are numbers. */
  // deno-lint-ignore no-explicit-any -- the arguments depend on the signature
  readonly call: (...args: any[]) => any;
  /**
   * The treatment of a call on another thread: it does nothing (`"skip"`, the default), or waits for the event loop
   * (`"block"`).
   */
  readonly onForeignThread?: "skip" | "block";
}

/** The layer whose place another layer takes in one live instance and in the devices of the instance. */
export interface ReplacedLayer<Types> {
  /** The layer that stood there. */
  readonly layer: Layer;
  /** The handle of the instance. */
  readonly instance: bigint;
  /**
   * Takes over the state that the old layer has for the living objects of a type, as it is or as `convert` changes it.
   * The old layer may be of another version, so that its state has no known type. Nothing happens if the old layer has
   * no state for the type.
   *
   * @throws {TypeError} if `onCreate` of the new layer does not have the type.
   */
  // deno-lint-ignore no-explicit-any -- the state is the old layer's
  keep<Type extends keyof Types & HandleName>(type: Type, convert?: (state: any, handle: bigint) => Types[Type]): void;
}

/** A layer written in TypeScript. */
export interface Layer {
  /** The layer's name, which begins with `VK_LAYER_` by convention. */
  readonly name: string;
  /** Whether applications are told of the layer, and may name it. Default true. */
  readonly isListed?: boolean;
  /** Hooks by command name. Commands without a hook cost nothing. */
  readonly commands?: LayerHooks;
  /**
   * Called once for each command that is used and is not in `commands`. Returns
   * a hook, or nothing to leave the command alone. For layers that treat all
   * commands alike, such as tracers.
   */
  readonly anyCommand?: (command: string) => AnyHook | undefined;
  /**
   * Instance extensions that the layer provides. An instance may enable them
   * even if the driver lacks them, and the driver does not see them.
   */
  readonly instanceExtensions?: readonly LayerExtension[];
  /** Device extensions that the layer provides, in the same way. */
  readonly deviceExtensions?: readonly LayerExtension[];
  /**
   * Commands that the layer adds, by name. vkGetInstanceProcAddr and
   * vkGetDeviceProcAddr return their addresses while the layer is in the chain.
   */
  readonly newCommands?: { readonly [name: string]: NewCommand };
  /**
   * The treatment of calls on other threads, for all commands or by command. Default `"skip"`. If several layers hook a
   * command, the strongest policy counts.
   */
  readonly onForeignThread?: ForeignThreadPolicy | { readonly [Name in keyof RawCommands]?: ForeignThreadPolicy };
  /**
   * Called for each call that `"record"` has recorded: at `vulkan.drain()`,
   * within a tenth of a second, or when the loader is closed.
   */
  readonly recorded?: (call: ForeignCall) => void;
  /** Called when the layer takes the place of another in a live instance. If it throws, the other layer stays. */
  // deno-lint-ignore no-explicit-any -- the types of state are the layer's own
  readonly onReplace?: (old: ReplacedLayer<any>) => void;
  /**
   * Whether the layer returns handles of its own making. Such a layer must hook
   * every command that takes one. Without this option, handles that neither the
   * driver nor a layer below returned are refused before they reach the driver.
   */
  readonly ownHandles?: boolean;
  /**
   * Commands that only the layer may call. vkGetInstanceProcAddr and
   * vkGetDeviceProcAddr do not return their addresses to native code above the
   * layer.
   */
  readonly hides?: readonly (keyof RawCommands)[];
}

/**
 * A layer's place in a live chain: directly above or below another layer. Name
 * a TypeScript layer by its object, any layer by its name. Below a native layer
 * there is room only where a TypeScript layer was listed when the loader was
 * created.
 */
export type LayerPlace<Kind = Layer> = { readonly above: Kind | string } | { readonly below: Kind | string };

/**
 * The controls of a live chain of layers: the same for a Vulkan loader, a Vulkan instance, and a loader of EGL and
 * OpenGL ES.
 */
export interface LayerControls<Kind> {
  /**
   * Inserts a TypeScript layer, from the next command on: on top of all layers,
   * or at a place. A Vulkan loader inserts the layer for the instances to come,
   * and in those of its instances that do not have it.
   *
   * @throws {TypeError} if the layer is attached already, or there is no such place; nothing has changed then.
   */
  attach(layer: Kind, place?: LayerPlace<Kind>): void;
  /**
   * Removes a TypeScript layer, whether it was attached later or listed in
   * `layers`. A Vulkan loader removes the layer from all its instances, too.
   *
   * @throws {TypeError} if the layer is not attached.
   */
  detach(layer: Kind): void;
  /**
   * Puts a TypeScript layer in the exact place of another, from the next
   * command on. A Vulkan loader does so for the instances to come, and in those
   * of its instances that have the old layer.
   *
   * @throws {TypeError} if the old layer is not attached, or the new one is; nothing has changed then.
   */
  replace(old: Kind, layer: Kind): void;
  /**
   * Tells layers with `onForeignThread: "record"` of the calls of other threads
   * until now. Returns how many calls there were. A loader has one list of such
   * calls: an instance tells of those of the whole loader.
   */
  drain(): number;
  /** Calls of other threads that were lost because there was no room to record them; see the option `foreignCalls`. */
  readonly lostCalls: number;
  /**
   * Whether a command can be called here, by its C name: whether the driver or
   * a layer that provides an extension has it. A Vulkan loader answers for the
   * commands without an instance, an instance for its own and those of its
   * physical devices, a device for its own and those of its queues and command
   * buffers. EGL answers by the driver, and for OpenGL ES by the version and
   * extensions of the current context.
   */
  supports(command: string): boolean;
}
