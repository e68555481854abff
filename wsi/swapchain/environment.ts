import { type AndroidRelease, NEWEST_RELEASE } from "../../loader/driver/android/release.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { StructTypes } from "../../loader/gen/names_gen.ts";
import type { Out } from "../../loader/base.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { NativeBufferUse, Window } from "../contract/window.ts";
import { androidWindow } from "../window/android_window.ts";
import { windowAt } from "../window/window_memory.ts";
import type { Surface } from "./surface.ts";
import type { Swapchain } from "./swapchain.ts";

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

/** What the functions of the layer have of its context. */
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
  /** The version it asked for, packed; 0 for none. */
  readonly apiVersion: number;
  /** Whether a command of the instance is below. */
  has(command: string): boolean;
}

/** A device that may have swapchains. */
export interface DeviceState {
  readonly handle: bigint;
  readonly gpu: bigint;
  /** The extensions that the application enabled. */
  readonly extensions: ReadonlySet<string>;
  /** Whether VK_ANDROID_native_buffer is the adaptor's and not the driver's own. */
  readonly isAdapted: boolean;
  /** The adaptor's way in that needs no file descriptors. */
  readonly adaptor?: NativeImages;
  /** Whether a command of the device is below: of a driver with native buffers of its own, whether the driver has it. */
  has(command: string): boolean;
}

/** What the commands of VK_ANDROID_native_buffer do, with fences that need no file descriptor. */
export interface NativeImages {
  /** As vkAcquireImageANDROID: consumes the fence always. */
  acquire(device: bigint, image: bigint, fence: NativeFence, semaphore: bigint, vkFence: bigint): number;
  /** As vkQueueSignalReleaseImageANDROID. */
  release(queue: bigint, count: number, semaphores: bigint, image: bigint): NativeFence | number;
  /** Which tier images of a kind are on. */
  tierOf(device: bigint, format: number, usage: number): NativeBufferUse["tier"];
  /** Whether a device's native buffers are its part. */
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
  /** The window that a headless surface on its way down stands for; 0n for one that is what it seems. */
  guisedWindow = 0n;

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

/** A window of this process; on Android the address may be that of any ANativeWindow. */
function anyWindowAt(address: bigint): Window | undefined {
  return windowAt(address) ?? (Deno.build.os === "android" && address !== 0n ? androidWindow(address) : undefined);
}

/** Handles of our own begin with this, which no address of a process does. */
const FIRST = 0x5057_0000_0000_0000n;
let last = FIRST;

/** Objects by handles of our own; no driver gives the same. */
class HandleTable<T> {
  readonly #objects = new Map<bigint, T>();
  readonly #what: string;

  /** Without any yet. `what` they are is for messages. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Gives an object a handle, which no other ever gets. */
  add(make: (handle: bigint) => T): T {
    const handle = ++last, object = make(handle);
    this.#objects.set(handle, object);
    return object;
  }

  /** The object of a handle; `undefined` if it is not ours. Throws a `TypeError` for one of ours that is gone: no driver would bear it. */
  get(handle: bigint): T | undefined {
    const found = this.#objects.get(handle);
    if (found || handle <= FIRST || handle > last) return found;
    throw new TypeError(`Cannot use 0x${handle.toString(16)}: that ${this.#what} was destroyed`);
  }

  /** Ends a handle. */
  remove(handle: bigint): void {
    this.#objects.delete(handle);
  }

  /** All objects. */
  all(): T[] {
    return [...this.#objects.values()];
  }
}
