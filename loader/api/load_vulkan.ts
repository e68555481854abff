import { declareImage } from "../chain/stamps.ts";
import type { VulkanCommands } from "../gen/commands_gen.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { followingHost } from "../driver/following_host.ts";
import { denoHost } from "../driver/host.ts";
import type { Join } from "../driver/found_driver.ts";
import { createSay, logFindings } from "../driver/log.ts";
import { propertyReader } from "../driver/android_properties.ts";
import { type Finding, selectDriver, type Selection, successorOf } from "../driver/select.ts";
import { behindAndroid } from "../terminator/android/behind_android.ts";
import { DriverError } from "../error.ts";
import { keepLoaded, libraryStays } from "../driver/unloading.ts";
import { debugRights } from "../layers/android/debug_settings.ts";
import { AndroidLayers } from "../layers/android/android_layers.ts";
import type { Layer } from "../layer.ts";
import { standingLayers } from "../layers/standing.ts";
import { checkVulkanOptions } from "./check_options.ts";
import { LayerStack } from "./layer_stack.ts";
import { completeDriver } from "../terminator/linux/named.ts";
import { joinFound } from "../terminator/linux/join_found.ts";
import { openLayers } from "../layers/open_layers.ts";
import type { Installed } from "./installed.ts";
import type { VulkanOptions } from "./options.ts";
import { LoaderScope } from "./loader_scope.ts";

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

/**
 * Opens a Vulkan driver and puts layers on top of it. Several loaders with
 * different drivers and layers live side by side.
 *
 * @throws {DriverError} when the driver or a layer cannot be used; the message says what was found and what to do.
 * @throws {TypeError} when the options make no sense.
 *
 * @example List the devices of the best driver
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({});
 * for (const gpu of instance.vkEnumeratePhysicalDevices()) {
 *   console.log(gpu.vkGetPhysicalDeviceProperties().deviceName);
 * }
 * ```
 *
 * @example The driver that Android would find in an unpacked image
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan({ platform: "android", root: "image", properties: "image/vendor/build.prop" });
 * for (const { path, reason } of vulkan.explain()) console.log(path, reason);
 * ```
 */
export function loadVulkan(given: VulkanOptions = {}): Vulkan {
  declareImage();
  checkVulkanOptions(given);
  const host = followingHost(given.host), options = { ...given, host }, standing = standingLayers();
  const { driver, findings, platform } = saying(options, [], () => openDriver(options));
  try {
    const said: Finding[] = [], stays = platform === "linux" && libraryStays(host, said);
    if (stays) keepLoaded(driversIn(findings));
    const layers = saying(
      options,
      findings,
      () => openLayers([...standing?.layers() ?? [], ...options.layers ?? []], host, stays),
      refusedLayer,
    );
    const [first] = findings, about = () => driver.search ? [first, ...driver.search.findings()] : findings;
    const all = () => [...about(), ...said, ...layers.findings];
    logFindings(all(), options.log, host);
    const implicit = platform === "linux" && (options.implicitLayers ?? isAuto(options));
    const android = platform === "android" ? new AndroidLayers(options, host) : undefined;
    const how = {
      host,
      platform,
      implicit,
      android,
      libraryStays: stays,
      log: options.log,
      bottom: options.bottomLayers,
      foreignCalls: options.foreignCalls,
    };
    const stack = new LayerStack(driver, layers, how);
    const { vulkan } = new LoaderScope(driver, stack, all);
    standing?.made(vulkan);
    return vulkan;
  } catch (error) {
    driver.close();
    throw error;
  }
}

/** The libraries of the drivers that were taken. */
function driversIn(findings: readonly Finding[]): string[] {
  const drivers = findings.filter(({ subject, taken }) => subject === "driver" && taken);
  return drivers.map(({ path }) => path).filter((path) => path.includes(".so"));
}

/** The driver, behind the driver level of Android's loader where its rules are followed. */
function openDriver(options: VulkanOptions): Selection {
  const selection = selectDriver(options.driver ?? "auto", options, joinBy(options));
  if (selection.platform === "linux" && isLibrary(options)) {
    return {
      ...selection,
      driver: completeDriver(selection.driver, createSay(options.log, options.host ?? denoHost())),
    };
  }
  if (selection.platform !== "android" || selection.driver.platform === "android") return selection;
  const property = propertyReader(options);
  const driver = behindAndroid(selection.driver, {
    release: options.release,
    quirks: options.quirks,
    windowSystem: options.windowSystem,
    nativeBuffers: (options.bottomLayers ?? []).length > 0,
    debuggable: debugRights(options, property, options.host ?? denoHost()).granted,
    log: options.log,
    property,
    successor: successorOf(selection, options),
  });
  return { ...selection, driver };
}

/** How several drivers become one: by the rules of Linux. */
function joinBy({ log }: VulkanOptions): Join {
  return (source, host) => joinFound(source, host, createSay(log, host));
}

/** Whether one driver was named by its file. Several are joined, and one in this process is what its author made it. */
function isLibrary({ driver = "auto" }: VulkanOptions): boolean {
  return typeof driver === "string" && driver !== "auto";
}

/** Whoever names a driver wants that driver bare. */
function isAuto({ driver = "auto" }: VulkanOptions): boolean {
  return driver === "auto";
}

/** A step of loading: when it fails, its error carries what was looked at before, and the log gets all of it. */
function saying<T>(
  options: VulkanOptions,
  before: readonly Finding[],
  step: () => T,
  last: (error: DriverError) => Finding[] = () => [],
): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    error.findings = [...before, ...error.findings, ...last(error)];
    logFindings(error.findings, options.log, options.host);
    throw error;
  }
}

function refusedLayer({ path, message: reason }: DriverError): Finding[] {
  return [{ subject: "layer", path, origin: "layers option", taken: false, reason, level: "error" }];
}
