import { propertyReader } from "../driver/android/properties.ts";
import { findAndroidDriver, successorOf } from "../driver/android/search.ts";
import { mergeExtensions } from "../driver/interface/extension_list.ts";
import { createSay } from "../driver/report/log.ts";
import { androidSurface } from "../install/exports.ts";
import { AndroidLayers } from "../layers/android/android_layers.ts";
import { debugRights } from "../layers/android/debug_settings.ts";
import { findLayer } from "../layers/choice/catalog.ts";
import type { LoaderRequest } from "../options.ts";
import { behindAndroid } from "../terminator/android/behind_android.ts";
import type { AndroidLevelOptions } from "../terminator/android/options.ts";
import { joinFound } from "../terminator/linux/join_found.ts";
import { nativeSide } from "./native_side.ts";
import type { PlatformRules } from "./rules.ts";

/** The rules of Android's loader. */
export const android: PlatformRules = {
  name: "android",
  librariesStay: () => false,
  findDriver: (search, host, report) => {
    const found = findAndroidDriver(search, host, report);
    return { driver: found.driver, successor: successorOf(found, search, host) };
  },
  /** Android has one driver. Several named drivers are joined as on Linux, below the driver level. */
  join: (source, host, { log }) => joinFound(source, host, createSay(log, host)),
  driverLevel: ({ driver, successor }, options) =>
    driver.filtersItself ? driver : behindAndroid(driver, { ...levelOptions(options), successor }),
  findLayer,
  layers: (options, host) => new AndroidLayers(options, host),
  /** Always, because the bottom layers are the window system. */
  wantsBottom: (bottom) => bottom.length > 0,
  listExtensions: (own, brought) => mergeExtensions(...brought, own),
  /** The loader itself sends no messages to debug messengers. */
  tell: () => {},
  nativeSide,
  surface: ({ release }) => androidSurface(release),
};

function levelOptions(options: LoaderRequest): AndroidLevelOptions {
  const { release, quirks, windowSystem, bottomLayers = [], log, host } = options;
  const property = propertyReader(options), debuggable = debugRights(options, property, host).granted;
  return { release, quirks, windowSystem, nativeBuffers: bottomLayers.length > 0, debuggable, log, property };
}
