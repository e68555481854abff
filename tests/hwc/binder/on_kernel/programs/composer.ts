/**
 * A reference composer in a process of its own, registered with a service manager. Arguments: the device, the language,
 * the name, and, if any, the path of a socket that another composer of the same kind is served at.
 *
 * @module
 */
import { openBinder } from "../../../../../hwc/binder/driver/open_binder.ts";
import { composerService } from "../../../../../hwc/binder/serve.ts";
import { servicesOf } from "../../../../../hwc/binder/service_manager/service_manager.ts";
import { createReferenceComposer } from "../../../../../hwc/simulated/reference_composer.ts";
import { serveComposer } from "../../../../../hwc/remote/server/serve.ts";

const [path, language, name, socket] = Deno.args, as = language as "aidl" | "hidl";
const device = { panels: [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }], flattenAfter: 0 };
const bus = openBinder(path, { log: console.error });
const service = composerService(createReferenceComposer(device), { as, log: console.error });
await servicesOf(bus, { as }).add(name, service.object);
if (socket) serveComposer(Object.assign(createReferenceComposer(device), { takesAnyFence: true }), socket);
console.log("ready");
