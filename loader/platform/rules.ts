import type { Driver } from "../driver/interface/driver.ts";
import type { Finding } from "../driver/report/finding.ts";
import type { FollowingHost } from "../driver/host/following_host.ts";
import type { ChosenDriver, DriverSource, SearchRules } from "../driver/found_driver.ts";
import type { Host } from "../driver/host/host.ts";
import type { LogMessage, Told } from "../driver/report/log.ts";
import type { LoaderSurface } from "../install/exports.ts";
import type { Layer, LayerExtension } from "../layer.ts";
import type { LayerFinder } from "../layers/choice/rules.ts";
import type { LayerToOpen } from "../layers/choice/library.ts";
import type { LoaderRequest } from "../options.ts";
import type { NativeSide } from "./native_side.ts";

/**
 * The differences between the loaders of platforms. The rest of the loader asks
 * this value, and never which platform it is.
 */
export interface PlatformRules extends SearchRules {
  /** Whether drivers and layers stay loaded after they are closed. The reason is appended to `report`. */
  librariesStay(host: Host, report: Finding[]): boolean;

  /** Joins several drivers into one; `undefined` where emitted code cannot be used. */
  join(source: DriverSource, host: FollowingHost, options: LoaderRequest): Driver | undefined;
  /**
   * Puts the platform's driver level above a driver and takes ownership of the
   * driver. The chain of layers ends at the result.
   */
  driverLevel(found: ChosenDriver, options: LoaderRequest): Driver;

  /** Finds native layers that a script named. Throws a `DriverError` if there are none. */
  findLayer(wanted: string, host: Host): LayerToOpen[];
  /** Returns the finder of the layers that the machine adds. Nothing is read yet. */
  layers(options: LoaderRequest, host: Host): LayerFinder;
  /** Whether an instance with this create info has the layers for the bottom of the chain. */
  wantsBottom(bottom: readonly Layer[], driver: Driver, info: bigint): boolean;

  /** Merges the driver's extensions and those of layers into one list. Of equal names the first counts. */
  listExtensions(own: readonly LayerExtension[], brought: readonly (readonly LayerExtension[])[]): LayerExtension[];
  /**
   * Sends the loader's messages to the listeners in a VkInstanceCreateInfo.
   * `messages` is called only if there are listeners.
   */
  tell(info: bigint, messages: () => readonly Told[]): void;
  /**
   * Returns what the platform's loader says first of a VkInstanceCreateInfo, if
   * it says anything. `hasSettings`: there is a settings file.
   */
  requestWords?(info: bigint, hasSettings: boolean): readonly LogMessage[];
  /** The part that native code calls. Absent: the loader cannot be installed, and there are no native layers. */
  readonly nativeSide?: NativeSide;
  /** Returns what native code sees of an installed loader. */
  surface(options: Pick<LoaderRequest, "release">): LoaderSurface;
}
