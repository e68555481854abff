import type { Finding } from "../driver/report/finding.ts";
import type { VulkanCommands } from "../gen/commands_gen.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { Layer } from "../layer.ts";
import type { Installed } from "./installed.ts";

/** A loader with its driver and layers: the commands that need no instance, and what belongs to the whole. */
export interface Vulkan extends VulkanCommands, Disposable {
  /** The same commands in their raw form. */
  readonly raw: RawCommands;
  /** The driver's library; of several those with a device, with commas between. `""` when none of those found has one. */
  readonly driver: string;
  /** Everything looked at for a driver and for layers, in order, and why it was taken or not. */
  explain(): Finding[];
  /**
   * Puts this loader in the place of the system's: native code in this process
   * that opens or links `libvulkan.so.1` or `libvulkan.so` from now on gets it,
   * with its driver and its layers, on any thread. See {@linkcode Installed}.
   *
   * @throws {NativeError} `already-loaded` when the process has a Vulkan loader of that name or another loader is
   * installed, `unsupported` where emitted code cannot be used.
   */
  install(): Installed;
  /**
   * Looks for drivers again, where driver is `"auto"`: for the instances to
   * come, those there are then count. Drivers in use stay open. Installed, the
   * loader looks by itself whenever native code asks for something.
   */
  refresh(): void;
  /** Puts a TypeScript layer where another one stands, for the instances to come and in those that have it. Throws a `TypeError` when it stands nowhere. */
  replace(old: Layer, layer: Layer): void;
  /** Tells layers of the calls of other threads that were recorded until now; returns of how many. */
  drain(): number;
  /** How many calls of other threads were lost because there was no room to record them; see the option `foreignCalls`. */
  readonly lostCalls: number;
  /** Destroys what is left of the instances and closes layers and driver. A second call does nothing. */
  close(): void;
}
