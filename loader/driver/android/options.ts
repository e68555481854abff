import type { PropertySource } from "../../../ffi/android/properties.ts";
import type { AndroidRelease, WindowSystem } from "./release.ts";

/** The application a loader works for, as Android knows it. */
export interface AndroidApp {
  /** Its package, such as "org.example.game". */
  readonly packageName?: string;
  /** Whether it may be debugged; Android allows more then. Default false. */
  readonly debuggable?: boolean;
  /** Its manifest's `com.android.graphics.injectLayers.enable`: it lets layers in as if it might be debugged. */
  readonly injectLayers?: boolean;
  /** The folder of its own native libraries on the device, or several, separated by `:`. Its own layers lie there. */
  readonly nativeLibraryDir?: string;
  /** The folder of its data on the device. Default: /data/data/ and its package. */
  readonly dataDir?: string;
  /**
   * By package, the folders on the device that hold the native libraries of an
   * installed package, separated by `:`, for the setting `gpu_debug_layer_app`.
   * A package that is not here is looked for below /data/app.
   */
  readonly layerPackages?: Readonly<Record<string, string>>;
  /** Whether it is privileged, or part of the system image and not updated since: never gets an updatable driver. */
  readonly system?: boolean;
  /** Its manifest's `com.android.graphics.developerdriver.enable`. */
  readonly developerDriver?: boolean;
}

/** How Android's drivers are searched for. */
export interface AndroidSearch {
  /** Folder that stands for the device's `/`: put before every folder on the device, such as /vendor and /data. Default `""`. */
  readonly root?: string;
  /**
   * System properties: an object, the path of a build.prop or of what `getprop`
   * printed, or `"device"`. Default: the device's on Android, else the
   * build.prop files below `root`.
   */
  readonly properties?: PropertySource;
  /**
   * Android's global settings, by name, as `settings list global` prints them:
   * those of updatable drivers, and `enable_gpu_debug_layers`, `gpu_debug_app`,
   * `gpu_debug_layers` and `gpu_debug_layer_app`. They are not read from a
   * device, which would take starting a program there. Default: none is set.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** The application that the loader works for. */
  readonly app?: AndroidApp;
  /**
   * An updatable driver's folders, separated by `:`, as the Java side of
   * Android hands them over. Or what the GPU service answers, which counts only
   * while the environment variable UPDATABLE_GFX_DRIVER is `1`.
   */
  readonly updatableDriver?: string | { readonly gpuService: string };
  /**
   * Whose order of names and folders counts: libvulkan's, or that of
   * hw_get_module, which Android 7 and 8 used. Default `"libvulkan"`.
   */
  readonly halSearch?: "libvulkan" | "hw_get_module";
  /** The release of Android whose loader is followed, by its major version. Default: the newest, 17. */
  readonly release?: AndroidRelease;
  /**
   * What draws into windows on Android: its commands' addresses by name. The
   * extensions it has the commands of are then the loader's, no longer the
   * driver's. Default: none.
   */
  readonly windowSystem?: WindowSystem;
  /** Bring AOSP's known oddities back, for tests. Default: they are mended. */
  readonly quirks?: "aosp";
}
