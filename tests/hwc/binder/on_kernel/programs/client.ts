/**
 * A client of a composer that ends, as if killed, at a place of its way. Arguments: the device, the service, the place.
 *
 * @module
 */
import { connectAidl } from "../../../../../hwc/binder/aidl/connect.ts";
import { openBinder } from "../../../../../hwc/binder/driver/open_binder.ts";
import { servicesOf } from "../../../../../hwc/binder/service_manager/service_manager.ts";
import { CALLBACK, POWER_MODE } from "../../../../../hwc/device_types.ts";
import { FORMAT } from "../../../../../hwc/types.ts";
import { allocateBuffer } from "../../../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../../../wsi/fence/native_fence.ts";
import { until } from "../../../../support/until.ts";

const [path, name, place] = Deno.args;

function at(here: string): void {
  if (here === place) Deno.kill(Deno.pid, "SIGKILL");
}

const bus = openBinder(path);
at("opened");
const services = servicesOf(bus);
if (place === "finding") services.find(name);
at("finding");
const found = await services.find(name);
at("found");
if (place === "connecting") connectAidl(found!, 16);
at("connecting");
const composer = await connectAidl(found!, 16);
at("connected");
let display = 0n;
await composer.registerCallback(CALLBACK.HOTPLUG, (each) => {
  at("called back");
  display ||= each;
});
await until("a display is plugged", () => display !== 0n);
await composer.setPowerMode(display, POWER_MODE.ON);
at("powered");
await composer.createVirtualDisplay(64, 64, FORMAT.RGBA_8888);
at("virtual");
const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
const buffer = allocateBuffer({ width: 96, height: 64, format: FORMAT.RGBA_8888, usage });
const layer = await composer.createLayer(display);
await composer.setLayerCompositionType(display, layer, 2);
await composer.setLayerBuffer(display, layer, buffer, NativeFence.create().fence);
at("collected");
if (place === "validating") composer.validateDisplay(display);
at("validating");
await composer.validateDisplay(display);
at("validated");
await composer.acceptDisplayChanges(display);
if (place === "presenting") composer.presentDisplay(display);
at("presenting");
await composer.presentDisplay(display);
at("presented");
console.log("ready"); // for those who kill it from outside
setInterval(() => {}, 1000);
