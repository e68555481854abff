import { type AndroidRelease, NEWEST_RELEASE } from "../../loader/driver/android/options.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { StructTypes } from "../../loader/gen/names_gen.ts";
import type { Out } from "../../loader/base.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { NativeBufferUse, Window } from "../contract/window.ts";
import { androidWindow } from "../window/android_window.ts";
import { windowAt } from "../window/window_memory.ts";
import type { Surface, Swapchain } from "./swapchain.ts";

/** Settings of the window system. */
export interface WindowSystemOptions {
  /** The Android release that is followed. Default 17. */
  readonly release?: AndroidRelease;
  /** `"aosp"` restores the listed bugs of AOSP. Default: they are mended. */
  readonly quirks?: "aosp";
  /**
   * Reads a system property; returns `""` for a property that is not set. Default: `service.sf.present_timestamp` is
   * on.
   */
  readonly property?: (name: string) => string;
  /**
   * Whether surfaces offer BGRA in addition to Android's formats; X11 shows BGRA without a copy. Default: `true` except
   * on Android.
   */
  readonly bgra?: boolean;
  /**
   * Returns the window of an ANativeWindow's address; `undefined` if there is none. Default: the
   * {@linkcode NativeWindow}s of this process; on Android every ANativeWindow.
   */
  readonly windowAt?: (address: bigint) => Window | undefined;
  /** Gets a sentence for each refusal, with the reason. Default: no messages. */
  readonly log?: (message: string) => void;
  /**
   * Called for each device that can draw into windows, with the revision of the driver's own VK_ANDROID_native_buffer;
   * `undefined` if the extension is provided.
   */
  readonly onDevice?: (revision: number | undefined) => void;
}

/** The members of the layer's context that its functions use. */
export interface Below {
  below(handle: bigint): RawCommands;
  read<Name extends keyof StructTypes>(name: Name, address: bigint): Out<StructTypes[Name]>;
  readAll<Name extends keyof StructTypes>(name: Name, address: bigint, count: number): Out<StructTypes[Name]>[] | null;
  write<Name extends keyof StructTypes>(name: Name, value: StructTypes[Name] | Out<StructTypes[Name]>): bigint;
}

/** An instance that may have surfaces. */
export interface InstanceState {
  readonly handle: bigint;
  /** The extensions that the application enabled. */
  readonly extensions: ReadonlySet<string>;
  /** The version in VkApplicationInfo, packed; 0 for none. */
  readonly apiVersion: number;
  /** Returns whether the instance has a command below. */
  has(command: string): boolean;
}

/** A device that may have swapchains. */
export interface DeviceState {
  readonly handle: bigint;
  readonly gpu: bigint;
  /** The extensions that the application enabled. */
  readonly extensions: ReadonlySet<string>;
  /** Whether the adaptor provides VK_ANDROID_native_buffer, and not the driver. */
  readonly isAdapted: boolean;
  /** The adaptor's functions that need no file descriptors. */
  readonly adaptor?: NativeImages;
  /**
   * Returns whether the device has a command below: for a driver with native buffers of its own, whether the driver has
   * the command.
   */
  has(command: string): boolean;
}

/** The commands of VK_ANDROID_native_buffer, with fences that need no file descriptor. */
export interface NativeImages {
  /** Does the work of vkAcquireImageANDROID. Always consumes the fence. */
  acquire(device: bigint, image: bigint, fence: NativeFence, semaphore: bigint, vkFence: bigint): number;
  /** Does the work of vkQueueSignalReleaseImageANDROID. */
  release(queue: bigint, count: number, semaphores: bigint, image: bigint): NativeFence | number;
  /** Returns the tier of images of a kind. */
  tierOf(device: bigint, format: number, usage: number): NativeBufferUse["tier"];
  /** Returns whether the adaptor provides a device's native buffers. */
  takesPartIn(device: bigint): boolean;
}

/** All surfaces and swapchains of one layer object, by handle. */
export class WindowSystem {
  readonly surfaces: HandleTable<Surface> = new HandleTable("surface");
  readonly swapchains: HandleTable<Swapchain> = new HandleTable("swapchain");
  readonly release: AndroidRelease;
  readonly isFaithful: boolean;
  readonly bgra: boolean;
  readonly property: (name: string) => string;
  readonly windowAt: (address: bigint) => Window | undefined;
  readonly onDevice: (revision: number | undefined) => void;
  /** The window of a headless surface that is passed down in place of Android's; 0n while none is. */
  proxiedWindow = 0n;

  constructor(options: WindowSystemOptions) {
    this.release = options.release ?? NEWEST_RELEASE;
    this.isFaithful = options.quirks === "aosp";
    this.bgra = options.bgra ?? Deno.build.os !== "android";
    this.property = options.property ?? ((name) => name === "service.sf.present_timestamp" ? "1" : "");
    this.windowAt = options.windowAt ?? anyWindowAt;
    this.onDevice = options.onDevice ?? (() => {});
  }
}

/** The values that all hooks of the layer share. */
export interface Parts {
  /** The surfaces and swapchains of the layer. */
  readonly system: WindowSystem;
  /** The commands below, and access to structs. Defined only inside hooks. */
  readonly context: Below;
  /** Returns the instance of a dispatchable handle. */
  instance(handle: bigint): InstanceState;
  /** Returns the device of a dispatchable handle. */
  device(handle: bigint): DeviceState;
  /** Returns a function that says whether an instance or device has a command below, whatever layers answer. */
  commandsOf(handle: bigint): DeviceState["has"];
}

/** Returns a window of this process; on Android also a window for the address of any ANativeWindow. */
function anyWindowAt(address: bigint): Window | undefined {
  return windowAt(address) ?? (Deno.build.os === "android" && address !== 0n ? androidWindow(address) : undefined);
}

/** The first handle of the window system's. No address of a process is as large. */
const FIRST = 0x5057_0000_0000_0000n;
let last = FIRST;

/** Objects by handles that no driver returns. */
class HandleTable<T> {
  readonly #objects = new Map<bigint, T>();
  readonly #what: string;

  /** Makes an empty table. `what` names the objects in messages. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Gives an object a handle of its own, which is never used again. */
  add(make: (handle: bigint) => T): T {
    const handle = ++last, object = make(handle);
    this.#objects.set(handle, object);
    return object;
  }

  /**
   * Returns the object of a handle; `undefined` for a handle of the driver's. Throws a `TypeError` for a handle whose
   * object was destroyed, which would crash a driver.
   */
  get(handle: bigint): T | undefined {
    const found = this.#objects.get(handle);
    if (found || handle <= FIRST || handle > last) return found;
    throw new TypeError(`Cannot use 0x${handle.toString(16)}: that ${this.#what} was destroyed`);
  }

  /** Deletes a handle. */
  remove(handle: bigint): void {
    this.#objects.delete(handle);
  }

  /** All objects. */
  all(): T[] {
    return [...this.#objects.values()];
  }
}
