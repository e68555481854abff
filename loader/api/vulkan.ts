import type { Finding } from "../driver/report/finding.ts";
import type { VulkanCommands } from "../gen/commands_gen.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { Layer, LayerControls } from "../layer.ts";
import type { InstalledVulkan } from "./installed_vulkan.ts";

/** A loader with its driver and layers: the commands that need no instance, and methods for the loader as a whole. */
export interface Vulkan extends VulkanCommands, LayerControls<Layer>, Disposable {
  /** The same commands in their raw form. */
  readonly raw: RawCommands;
  /**
   * The path of the driver's library. With several drivers, the libraries of
   * those with a device, separated by commas. `""` if no driver has a device.
   */
  readonly driver: string;
  /** Returns all findings about drivers and layers, in order: what was looked at, and why it was used or not. */
  explain(): Finding[];
  /**
   * Puts this loader in the place of the system's loader. Native code in this
   * process that opens or links `libvulkan.so.1` or `libvulkan.so` from now on
   * gets this loader, with its driver and its layers, on any thread. See
   * {@linkcode InstalledVulkan}.
   *
   * @throws {NativeError} `already-loaded` if the process has a Vulkan loader
   *   of that name or another loader is installed, `unsupported` where emitted
   *   code cannot be used.
   */
  install(): InstalledVulkan;
  /**
   * Searches for drivers again, if `driver` is `"auto"`. Future instances use
   * the drivers that are found now. Drivers in use stay open. An installed
   * loader searches by itself whenever native code asks it for something.
   */
  refresh(): void;
  /** Destroys the remaining instances and closes layers and driver. A second call does nothing. */
  close(): void;
}
