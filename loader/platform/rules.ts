import type { Driver } from "../driver/interface/driver.ts";
import type { Finding } from "../driver/report/finding.ts";
import type { FollowingHost } from "../driver/host/following_host.ts";
import type { ChosenDriver, DriverSource, SearchRules } from "../driver/found_driver.ts";
import type { Host } from "../driver/host/host.ts";
import type { Told } from "../driver/report/log.ts";
import type { LoaderSurface } from "../install/exports.ts";
import type { Layer, LayerExtension } from "../layer.ts";
import type { LayerFinder } from "../layers/choice/rules.ts";
import type { LayerToOpen } from "../layers/choice/library.ts";
import type { VulkanOptions } from "../options.ts";
import type { NativeSide } from "./native_side.ts";
import { type Platform, platformOf } from "../driver/search/platform.ts";

/**
 * What the loaders of platforms do in different ways. The rest of the loader
 * asks this value, and never which platform it is.
 */
export interface PlatformRules extends SearchRules {
  /** Whether drivers and layers stay loaded when they are closed; what says so is appended to `report`. */
  librariesStay(host: Host, report: Finding[]): boolean;

  /** Puts several drivers behind one; `undefined` where emitted code cannot be used. */
  join(source: DriverSource, host: FollowingHost, options: VulkanOptions): Driver | undefined;
  /** The driver with the platform's driver level above, which takes it over: what the chain of layers ends at. */
  driverLevel(found: ChosenDriver, options: VulkanOptions): Driver;

  /** Finds native layers that a script named. Throws a `DriverError` when there is none. */
  findLayer(wanted: string, host: Host): LayerToOpen[];
  /** What finds the layers that the machine adds. Nothing is looked at yet. */
  layers(options: VulkanOptions, host: Host): LayerFinder;
  /** Whether an instance, by its create info, has the layers that are there for the bottom of the chain. */
  wantsBottom(bottom: readonly Layer[], driver: Driver, info: bigint): boolean;

  /** The driver's extensions and those that layers bring, as one list; of equals the first counts. */
  listExtensions(own: readonly LayerExtension[], brought: readonly (readonly LayerExtension[])[]): LayerExtension[];
  /** Tells those who listen from a VkInstanceCreateInfo on what the loader has to say; asked only if somebody does. */
  tell(info: bigint, messages: () => readonly Told[]): void;
  /** What native code calls into. Absent: the loader cannot be installed, and there are no native layers. */
  readonly nativeSide?: NativeSide;
  /** What native code sees of an installed loader. */
  surface(options: VulkanOptions): LoaderSurface;
}

/** The rules a user asked for among those that there are. Throws a `TypeError` for another word. */
export function rulesOf(platforms: readonly PlatformRules[], wanted: Platform | "auto" | undefined, host: Host) {
  const name = platformOf(wanted, host);
  return platforms.find((rules) => rules.name === name)!;
}
