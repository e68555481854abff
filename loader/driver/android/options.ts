import type { PropertySource } from "../../../ffi/android/properties.ts";

/** The application that a loader works for, as Android knows it. */
export interface AndroidApp {
  /** The package, such as "org.example.game". */
  readonly packageName?: string;
  /** Whether the application may be debugged, in which case Android allows more. Default false. */
  readonly debuggable?: boolean;
  /**
   * The manifest's `com.android.graphics.injectLayers.enable`, which allows
   * layers as if the application might be debugged.
   */
  readonly injectLayers?: boolean;
  /**
   * The folders of the application's native libraries on the device, separated
   * by `:`. The application's own layers are there.
   */
  readonly nativeLibraryDir?: string;
  /** The folder of the application's data on the device. Default: /data/data/ and the package. */
  readonly dataDir?: string;
  /**
   * By package, the folders on the device with the native libraries of an
   * installed package, separated by `:`, for the setting `gpu_debug_layer_app`.
   * A package that is missing here is searched for below /data/app.
   */
  readonly layerPackages?: Readonly<Record<string, string>>;
  /**
   * Whether the application is privileged, or part of the system image and
   * never updated. Such applications never get an updatable driver.
   */
  readonly system?: boolean;
  /** The manifest's `com.android.graphics.developerdriver.enable`. */
  readonly developerDriver?: boolean;
}

/** Options of the search for Android's drivers. */
export interface AndroidSearch {
  /**
   * The folder for the device's `/`: put in front of every folder on the
   * device, such as /vendor and /data. Default `""`.
   */
  readonly root?: string;
  /**
   * System properties: an object, the path of a build.prop or of `getprop`
   * output, or `"device"`. Default: the device's on Android, otherwise the
   * build.prop files below `root`.
   */
  readonly systemProperties?: PropertySource;
  /**
   * Android's global settings by name, as `settings list global` prints them:
   * those of updatable drivers, and `enable_gpu_debug_layers`, `gpu_debug_app`,
   * `gpu_debug_layers` and `gpu_debug_layer_app`. They are not read from a
   * device, because that would need to start a program there. Default: none is
   * set.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** The application that the loader works for. */
  readonly app?: AndroidApp;
  /**
   * An updatable driver's folders, separated by `:`, as the Java side of
   * Android passes them. Or the answer of the GPU service, which counts only
   * while the environment variable UPDATABLE_GFX_DRIVER is `1`.
   */
  readonly updatableDriver?: string | { readonly gpuService: string };
  /**
   * The order of names and folders: libvulkan's, or that of hw_get_module,
   * which Android 7 and 8 used. Default `"libvulkan"`.
   */
  readonly halSearch?: "libvulkan" | "hw_get_module";
  /** The release of Android to follow, by its major version. Default 17. */
  readonly release?: AndroidRelease;
  /**
   * The window system on Android: the addresses of its commands by name. The
   * extensions whose commands it has then belong to the loader instead of the
   * driver. Default: none.
   */
  readonly windowSystem?: WindowSystem;
  /** Restores AOSP's known defects, for tests. Default: they are mended. */
  readonly quirks?: "aosp";
}

/** A release of Android to follow: its major version. */
export type AndroidRelease = 14 | 15 | 16 | 17;

/** The release to follow by default: the newest. */
export const NEWEST_RELEASE: AndroidRelease = 17;

/**
 * A window system: the addresses of its commands by name, such as
 * `vkCreateSwapchainKHR`. Native code may call them on any thread. An extension
 * is offered if all of its commands are here.
 */
export type WindowSystem = Readonly<Record<string, bigint>>;

/** Whether the value of an Android system property means on, as `property_get_bool` reads it. */
export function isOn(value: string): boolean {
  return ["1", "y", "yes", "on", "true"].includes(value);
}
