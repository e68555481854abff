/**
 * A service manager in a process of its own. Arguments: the device, and the language.
 *
 * @module
 */
import { openBinder } from "../../../../../hwc/binder/driver/open_binder.ts";
import { serviceManager } from "../../../../../hwc/binder/service_manager/service_manager.ts";

const [path, as] = Deno.args;
await serviceManager(openBinder(path, { log: console.error }), { as: as as "aidl" | "hidl" });
console.log("ready");
