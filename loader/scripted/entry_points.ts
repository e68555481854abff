import { readCString } from "../../ffi/cstring.ts";
import { createLookup, type Lookup } from "../../ffi/functions/lookup.ts";
import { invokeAddress, peek32, poke32 } from "../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import type { NativeCall } from "../command/compile.ts";
import { commandSignature } from "../command/plan.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { Behaviour } from "./behaviour.ts";
import { type DriverState, extensionNames } from "./state.ts";
import { findExtension } from "../command/registry/extension.ts";

/** Commands that only a loader has, and those that are entry points themselves. */
const ELSEWHERE = ["vkEnumerateInstanceLayerProperties", "vkGetInstanceProcAddr", "vkGetDeviceProcAddr"];

/** The commands of a driver. */
class Available {
  readonly #state: DriverState;
  /**
   * The commands that do not depend on extensions: those of the core versions
   * and those that the driver's author wrote.
   */
  readonly #always: ReadonlySet<string>;

  /** Computes the commands that do not depend on extensions. */
  constructor(state: DriverState) {
    this.#state = state;
    const { apiVersion, commands, missing } = state.spec;
    const core = coreCommands(state.apiVersion);
    const version = apiVersion === null ? [] : ["vkEnumerateInstanceVersion"];
    const always = new Set([...core, ...version, ...Object.keys(commands ?? {})]);
    for (const name of [...ELSEWHERE, ...missing ?? []]) always.delete(name);
    this.#always = always;
  }

  /** The commands that exist on every instance and, for the device level, on every device. */
  get always(): Command[] {
    return [...this.#always].map((name) => findCommand(name)!);
  }

  /**
   * Returns a command as vkGetInstanceProcAddr sees it. An extension's command
   * exists if the driver lists the extension.
   */
  onInstance(name: string): Command | undefined {
    const { spec, physicalDevices } = this.#state;
    if (this.#always.has(name)) return findCommand(name);
    const lists = [spec.instanceExtensions, ...physicalDevices.map(({ extensions }) => extensions)];
    return this.#brought(name, lists.flatMap((list) => extensionNames(list)));
  }

  /**
   * Returns a command as vkGetDeviceProcAddr sees it. An extension's command
   * exists if the device enabled the extension.
   */
  onDevice(device: bigint, name: string): Command | undefined {
    const { spec, objects } = this.#state;
    const enabled = objects.get(device)?.extensions ?? [];
    const command = this.#always.has(name)
      ? findCommand(name)
      : this.#brought(name, [...extensionNames(spec.instanceExtensions), ...enabled]);
    return command?.level === "device" ? command : undefined;
  }

  #brought(name: string, extensions: readonly string[]): Command | undefined {
    if (this.#state.spec.missing?.includes(name)) return undefined;
    const brought = extensions.some((each) => findExtension(each)?.commands.includes(name));
    return brought ? findCommand(name) : undefined;
  }
}

/** Returns the commands of the core versions up to a packed API version, oldest first. */
function coreCommands(apiVersion: number): string[] {
  const minor = apiVersion >>> 12 & 0x3ff;
  return Array.from({ length: minor + 1 }, (_, each) => findExtension(`VK_VERSION_1_${each}`)?.commands ?? []).flat();
}

/** The version of the loader-ICD interface. */
const INTERFACE = 7;

/**
 * A driver as native code sees it: three functions that find its commands.
 * Machine code answers on any thread for commands that always exist. TypeScript
 * answers for those that depend on extensions.
 */
export class EntryPoints implements Disposable {
  readonly #state: DriverState;
  readonly #calls: string[];
  readonly #available: Available;
  readonly #behaviour: Behaviour;
  readonly #thunks = new Map<string, Thunk>();
  readonly #lookups: Lookup[] = [];
  /** Address of vk_icdGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;

  /** Makes the functions. The names of called commands are appended to `calls`. */
  constructor(state: DriverState, calls: string[]) {
    this.#state = state;
    this.#calls = calls;
    this.#available = new Available(state);
    this.#behaviour = new Behaviour(state);
    try {
      this.getInstanceProcAddr = this.#instanceProcAddr(this.#deviceProcAddr(), this.#physicalDeviceLookup());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Frees everything. No native code may call afterwards. */
  close(): void {
    for (const lookup of this.#lookups.splice(0)) lookup.free();
    for (const thunk of this.#thunks.values()) thunk.free();
    this.#thunks.clear();
  }

  /** Frees everything at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #instanceProcAddr(deviceProcAddr: bigint, physicalDevice: Lookup): bigint {
    const lookup = this.#lookup(this.#always(() => true), (_instance, name) => this.#onInstance(name));
    const address = this.#hooked("vkGetInstanceProcAddr", lookup);
    const own: [string, bigint][] = [
      ["vkGetInstanceProcAddr", address],
      ["vkGetDeviceProcAddr", deviceProcAddr],
      ["vk_icdGetPhysicalDeviceProcAddr", physicalDevice.address],
      ["vk_icdNegotiateLoaderICDInterfaceVersion", this.#thunk("negotiate", "s:q", negotiate)],
    ];
    for (const [name, to] of own) lookup.set(name, this.#isMissing(name) ? 0n : to);
    return address;
  }

  #deviceProcAddr(): bigint {
    const entries = this.#always(({ level }) => level === "device");
    const lookup = this.#lookup(entries, (device, name) => this.#addressOf(this.#available.onDevice(device, name)));
    const address = this.#hooked("vkGetDeviceProcAddr", lookup);
    lookup.set("vkGetDeviceProcAddr", this.#isMissing("vkGetDeviceProcAddr") ? 0n : address);
    for (const [name, { physicalDevice }] of this.#unknown()) if (!physicalDevice) lookup.set(name, this.#own(name));
    return address;
  }

  /** Returns a GetProcAddr command: the lookup itself, unless the author hooks it. */
  #hooked(name: "vkGetInstanceProcAddr" | "vkGetDeviceProcAddr", lookup: Lookup): bigint {
    const hook = this.#state.spec.commands?.[name];
    if (!hook) return lookup.address;
    const next = (handle: bigint, text: bigint) => invokeAddress(lookup.address, "q:qq", [handle, text]) as bigint;
    return this.#thunk(name, "q:qq", this.#counted(name, (handle: bigint, text: bigint) => hook(next, handle, text)));
  }

  #physicalDeviceLookup(): Lookup {
    const entries = this.#always(isPhysicalDevices);
    const lookup = this.#lookup(entries, (_instance, name) => {
      const command = this.#available.onInstance(name);
      return command && isPhysicalDevices(command) ? this.#addressOf(command) : 0n;
    });
    for (const [name, { physicalDevice }] of this.#unknown()) if (physicalDevice) lookup.set(name, this.#own(name));
    return lookup;
  }

  #onInstance(name: string): bigint {
    const own = Object.hasOwn(this.#state.spec.unknownCommands ?? {}, name);
    return own ? this.#own(name) : this.#addressOf(this.#available.onInstance(name));
  }

  #always(which: (command: Command) => boolean): [string, bigint][] {
    return this.#available.always.filter(which).map((command) => [command.name, this.#addressOf(command)]);
  }

  #lookup(entries: [string, bigint][], find: (handle: bigint, name: string) => bigint): Lookup {
    const miss = (handle: bigint, name: bigint) => find(handle, readCString(name));
    const thunk = this.#thunk(`miss ${this.#lookups.length}`, "q:qq", miss);
    const lookup = createLookup(entries, thunk);
    this.#lookups.push(lookup);
    return lookup;
  }

  #addressOf(command: Command | undefined): bigint {
    if (!command) return 0n;
    const known = this.#thunks.get(command.name);
    if (known) return known.address;
    const { name } = command, signature = commandSignature(command, "raw");
    const failure = signature[0] === "s" && this.#behaviour.isIdle(command) ? 0 : undefined;
    return this.#thunk(name, signature, this.#counted(name, this.#behaviour.of(command)), failure);
  }

  #own(name: string): bigint {
    const { signature, run } = this.#state.spec.unknownCommands![name];
    return this.#thunks.get(name)?.address ?? this.#thunk(name, signature, this.#counted(name, run));
  }

  #unknown() {
    return Object.entries(this.#state.spec.unknownCommands ?? {});
  }

  #counted(name: string, run: NativeCall): NativeCall {
    const calls = this.#calls;
    return (...args) => {
      calls.push(name);
      return run(...args);
    };
  }

  #thunk(name: string, signature: string, run: NativeCall, failure?: number): bigint {
    const { onForeignThread } = this.#state.spec;
    const thunk = createThunk(signature, run as Parameters<typeof createThunk>[1], { onForeignThread, failure });
    this.#thunks.set(name, thunk);
    return thunk.address;
  }

  #isMissing(name: string): boolean {
    return this.#state.spec.missing?.includes(name) ?? false;
  }
}

function isPhysicalDevices({ params }: Command): boolean {
  return params[0]?.type === "VkPhysicalDevice" && params[0].stars === 0;
}

function negotiate(version: bigint): number {
  poke32(version, Math.min(peek32(version), INTERFACE));
  return 0;
}
