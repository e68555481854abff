import { findLinuxDrivers } from "../driver/linux/drivers.ts";
import { enabledExtensions } from "../driver/structs/create_info.ts";
import { instanceExtensions, mergeExtensions } from "../driver/interface/extension_list.ts";
import { createSay } from "../driver/report/log.ts";
import { libraryStays } from "../driver/environment/variables.ts";
import { linuxSurface } from "../install/exports.ts";
import { findLayer, LinuxLayers } from "../layers/choice/catalog.ts";
import type { LoaderRequest } from "../options.ts";
import { tellListeners } from "../terminator/linux/messages/messengers.ts";
import { requestWords } from "../terminator/linux/messages/request_words.ts";
import { joinFound } from "../terminator/linux/join_found.ts";
import { completeDriver } from "../terminator/linux/named.ts";
import { nativeSide } from "./native_side.ts";
import type { PlatformRules } from "./rules.ts";

/** The rules of the Khronos loader on Linux. */
export const linux: PlatformRules = {
  name: "linux",
  librariesStay: libraryStays,
  findDriver: (_search, host, report, join) => {
    const driver = findLinuxDrivers(host, join);
    report.push(...driver.search!.findings());
    return { driver };
  },
  join: (source, host, { log }) => joinFound(source, host, createSay(log, host)),
  driverLevel: ({ driver }, options) => isBare(options) ? completeDriver(driver, sayOf(options)) : driver,
  findLayer,
  layers: (options) => new LinuxLayers(options.implicitLayers ?? options.driver.kind === "auto"),
  /** If the instance enables one of their extensions that the driver lacks. */
  wantsBottom(bottom, driver, info) {
    const listed = bottom.flatMap(({ instanceExtensions = [] }) => instanceExtensions);
    const brought = new Set(listed.filter(({ isListed }) => isListed !== false).map(nameOf));
    const wanted = (enabledExtensions(info) ?? []).filter((name) => brought.has(name));
    if (wanted.length === 0) return false;
    const own = new Set(instanceExtensions(driver).map(nameOf));
    return !wanted.every((name) => own.has(name));
  },
  listExtensions: (own, brought) => mergeExtensions(own, ...brought),
  tell: tellListeners,
  requestWords,
  nativeSide,
  surface: linuxSurface,
};

function sayOf({ log, host }: LoaderRequest) {
  return createSay(log, host);
}

function nameOf({ extensionName }: { readonly extensionName: string }): string {
  return extensionName;
}

/**
 * Whether one driver was named by its file. Several are joined, and a driver in
 * this process is used as its author made it.
 */
function isBare({ driver: { kind } }: LoaderRequest): boolean {
  return kind === "library" || kind === "manifest";
}
