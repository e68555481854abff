/**
 * serveComposer() and connectComposer() by binder: names, one client at a time, and what happens when a side dies.
 *
 * @module
 */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { BinderComposer } from "../../../hwc/binder/connected/composer.ts";
import type { BinderServeOptions } from "../../../hwc/binder/options.ts";
import type { Language } from "../../../hwc/binder/serve.ts";
import { serviceManager } from "../../../hwc/binder/service_manager/service_manager.ts";
import { CALLBACK, HDCP_LEVEL, POWER_MODE } from "../../../hwc/device_types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { connectComposer, serveComposer } from "../../../hwc/mod.ts";
import { connectOverBinder, serveOverBinder } from "../../../hwc/binder/over_binder.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { COMPOSITION, ERROR, FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { openFiles } from "../../support/open_files.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { warmRelayedFence } from "./binder_subject.ts";
import { Device, Side } from "./in_process_bus.ts";

const PANEL = { panels: [{ modes: [{ width: 64, height: 48, refreshRate: 60 }], hdcp: HDCP_LEVEL.V2_2 }] };

/** A device with a service manager, a composer there, and as many clients as are wanted. */
class House {
  readonly device = new Device();
  readonly there = new Side();
  readonly composer = createReferenceComposer(PANEL);
  readonly said: string[] = [];

  async serve(options: BinderServeOptions = {}) {
    await serviceManager(this.device.bus(this.device.manager), { as: options.as, release: options.release });
    const log = (line: string) => void this.said.push(line);
    return await serveOverBinder(this.composer, { ...options, log }, this.device.bus(this.there));
  }

  connect(
    side: Side,
    more: { as?: Language; release?: number; service?: string; onLost?: (why: string) => void } = {},
  ) {
    return connectOverBinder({ service: "default", ...more }, this.device.bus(side));
  }
}

async function firstDisplay(composer: BinderComposer): Promise<bigint> {
  const displays: bigint[] = [];
  await composer.registerCallback(CALLBACK.HOTPLUG, (display) => void displays.push(display));
  return displays[0];
}

/** One frame of one layer, whose pixels the device puts on the panel. */
async function frame(composer: BinderComposer, display: bigint): Promise<bigint> {
  using buffer = allocateBuffer({ width: 64, height: 48, format: FORMAT.RGBA_8888, usage: USAGE.CPU_WRITE_OFTEN });
  const layer = await composer.createLayer(display), all = { left: 0, top: 0, right: 64, bottom: 48 };
  await composer.setPowerMode(display, POWER_MODE.ON);
  await composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
  await composer.setLayerBuffer(display, layer, buffer, null);
  await composer.setLayerSourceCrop(display, layer, all);
  await composer.setLayerDisplayFrame(display, layer, all);
  assertEquals((await composer.validateDisplay(display)).numTypes, 0);
  (await composer.presentDisplay(display)).close();
  return layer;
}

async function leavesNothing(run: (house: House) => Promise<void>): Promise<void> {
  await warmRelayedFence();
  const files = openFiles(), buffers = openBuffers(), house = new House();
  await run(house);
  house.composer.close();
  assertEquals([house.there.references, openBuffers()], [0, buffers]);
  await assertNoMoreFiles(files);
}

const LANGUAGES: readonly BinderServeOptions[] = [
  ...[10, 11, 12, 13, 14, 15, 15.2, 16].flatMap((release) => [1, 2, 3, 4].map((version) => ({ release, version }))),
  ...[2.1, 2.2, 2.3, 2.4].map((version) => ({ as: "hidl", version }) as const),
];

for (const options of LANGUAGES) {
  const { as = "aidl", version, release } = options, of = release ? ` of Android ${release}` : "";
  Deno.test(`a composer is served and found by its name in ${as} ${version}${of}, and shows a frame`, () =>
    leavesNothing(async (house) => {
      const server = await house.serve(options), here = new Side();
      const names = {
        aidl: "android.hardware.graphics.composer3.IComposer/default",
        hidl: `android.hardware.graphics.composer@${version}::IComposer/default`,
      };
      assertEquals(server.name, names[as]);
      const composer = await house.connect(here, { as, release }), display = await firstDisplay(composer);
      assertEquals([composer.version, server.hasClient], [version!, true]);
      await frame(composer, display);
      assertEquals(house.composer.statistics(display).presented, 1);
      await composer[Symbol.asyncDispose]();
      await server.close();
      assertEquals([here.references, house.said], [0, []]);
    }));
}

for (const as of ["aidl", "hidl"] as const) {
  Deno.test(`a second client of ${as} is refused, and comes when the first is gone`, () =>
    leavesNothing(async (house) => {
      const server = await house.serve({ as }), first = await house.connect(new Side(), { as });
      const error = await assertRejects(() => house.connect(new Side(), { as }), HwcError);
      assertEquals(error.code, ERROR.NO_RESOURCES);
      await first[Symbol.asyncDispose]();
      const second = await house.connect(new Side(), { as });
      await frame(second, await firstDisplay(second));
      await second[Symbol.asyncDispose]();
      await server.close();
    }));

  Deno.test(`a client of ${as} that dies leaves nothing to the next: no layers, the panel off`, () =>
    leavesNothing(async (house) => {
      const server = await house.serve({ as }), here = new Side(), first = await house.connect(here, { as });
      const display = await firstDisplay(first), layer = await frame(first, display);
      here.die();
      first.close();
      const second = await house.connect(new Side(), { as });
      const error = await assertRejects(async () => await second.destroyLayer(display, layer), HwcError);
      assertEquals(error.code, ERROR.BAD_LAYER);
      await frame(second, await firstDisplay(second));
      await second[Symbol.asyncDispose]();
      await server.close();
    }));

  Deno.test(`a client of ${as} hears that the service's process is gone, and its calls throw`, () =>
    leavesNothing(async (house) => {
      await house.serve({ as });
      const lost: string[] = [], composer = await house.connect(new Side(), { as, onLost: (why) => lost.push(why) });
      const display = await firstDisplay(composer);
      house.there.die();
      const error = await assertRejects(async () => await composer.getActiveConfig(display), HwcError);
      assertEquals([error.code, error.command, lost.length], [ERROR.NO_RESOURCES, "getActiveConfig", 1]);
      assertStringIncludes(error.sentence, "DEAD_OBJECT");
      await assertRejects(async () => await composer.validateDisplay(display), HwcError);
      await composer[Symbol.asyncDispose]();
    }));

  Deno.test(`a service of ${as} that is not there is named`, () =>
    leavesNothing(async (house) => {
      await serviceManager(house.device.bus(house.device.manager), { as });
      const error = await assertRejects(() => house.connect(new Side(), { as, service: "second" }), HwcError);
      assertStringIncludes(error.message, "IComposer/second");
    }));
}

for (const version of [3, 4]) {
  Deno.test(`the protection of a link is ${version < 4 ? "unknown to" : "negotiated over"} aidl ${version}`, () =>
    leavesNothing(async (house) => {
      const server = await house.serve({ version }), composer = await house.connect(new Side());
      const display = await firstDisplay(composer), told: (number | bigint)[][] = [];
      await composer.registerCallback(CALLBACK.HDCP_LEVELS_CHANGED, (...levels) => void told.push(levels));
      const failed = await Promise.resolve(composer.startHdcpNegotiation(display, HDCP_LEVEL.NONE, HDCP_LEVEL.V2_3))
        .catch((error) => error);
      for (let turn = 0; turn < 20; turn++) await new Promise((done) => setTimeout(done));
      if (version < 4) assert(failed instanceof HwcError && failed.code === ERROR.UNSUPPORTED, String(failed));
      assertEquals(told, version < 4 ? [] : [[display, HDCP_LEVEL.V2_2, HDCP_LEVEL.V2_2]]);
      await composer[Symbol.asyncDispose]();
      await server.close();
    }));
}

Deno.test("a version or a release that does not exist is refused", async () => {
  const house = new House(), bus = house.device.bus(house.there);
  for (const options of [{ version: 5 }, { version: 2.5 }, { release: 9 }, { as: "hidl", version: 2.5 }] as const) {
    const error = await assertRejects(() => serveOverBinder(house.composer, options, bus));
    assert(/version|release/.test(String(error)), String(error));
  }
  house.composer.close();
});

Deno.test("serveComposer() and connectComposer() say what is missing without a kernel's binder", async () => {
  const house = new House();
  const alone = await assertRejects(() => connectComposer({ service: "default", binder: "/dev/no-binder" }), HwcError);
  assertEquals([alone.code, alone.command], [ERROR.NO_RESOURCES, "connectComposer"]);
  const error = await assertRejects(() => serveComposer(house.composer, { binder: "/dev/no-binder" }), HwcError);
  assertEquals([error.code, error.command], [ERROR.NO_RESOURCES, "serveComposer"]);
  house.composer.close();
});
