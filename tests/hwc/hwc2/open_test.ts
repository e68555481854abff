import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { NativeError } from "../../../ffi/error.ts";
import { Library } from "../../../ffi/library/library.ts";
import { peek32 } from "../../../ffi/machine.ts";
import { CALLBACK } from "../../../hwc/device_types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { type Hwc2Composer, openHwc2 } from "../../../hwc/hwc2/open.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { compileFixture } from "../../support/compile.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { until } from "../../support/until.ts";

const path = compileFixture("hwc2_vendor"), NEEDS = needs("C compiler (cc)", path);
const RECT = { left: 1, top: -2, right: 30, bottom: 40 };

/** Waits until the vendor's vsync thread has come round some times. */
async function turnsOfVsyncThread(times: number): Promise<void> {
  using library = Library.open(path!);
  const turns = library.require("turns"), last = peek32(turns) + times;
  await until("the module has made its last turn", () => peek32(turns) >= last);
}

/** Opens the vendor's composer and its display. */
async function withVendor(use: (composer: Hwc2Composer, display: bigint) => Promise<void>): Promise<void> {
  await using composer = openHwc2(path!);
  const displays: [bigint, number][] = [];
  await composer.registerCallback(CALLBACK.HOTPLUG, (...args) => displays.push(args));
  assertEquals(displays, [[0xd000000000000001n, 1]]);
  await use(composer, displays[0][0]);
}

Deno.test("openHwc2() asks a vendor's composer", NEEDS, () =>
  withVendor(async (composer, display) => {
    assertEquals(await composer.getDisplayName(display), "Vendor");
    assertEquals(await composer.getDisplayConfigs(display), [0, 1]);
    assertEquals(await composer.getDisplayAttribute(display, 1, 1), 1280);
    await composer.setActiveConfig(display, 1);
    assertEquals(await composer.getActiveConfig(display), 1);
    assertEquals(await composer.getMaxVirtualDisplayCount(), 0);
    const { types, maxLuminance, minLuminance } = await composer.getHdrCapabilities(display);
    assertEquals([types, maxLuminance, minLuminance], [[], 400, 0.5]);
    const refused = await assertRejects(async () => await composer.getDisplayName(7n), HwcError, "BAD_DISPLAY");
    assertEquals([refused.code, refused.command], [2, "getDisplayName"]);
  }));

Deno.test(
  "openHwc2() answers as Android what a vendor's composer does not have",
  NEEDS,
  () =>
    withVendor(async (composer, display) => {
      assertEquals(await composer.getRenderIntents(display, 0), [0]);
      assertEquals(await composer.getDisplayVsyncPeriod(display), 16666667);
      const [first] = await composer.getDisplayConfigurations(display);
      assertEquals(first, {
        configId: 0,
        width: 1920,
        height: 1080,
        vsyncPeriod: 16666667,
        configGroup: 0,
        dpi: { x: 160, y: 161 },
      });
      assertEquals(await composer.getFunction(44), undefined);
      await assertRejects(async () => await composer.setDisplayBrightness(display, 1), HwcError, "UNSUPPORTED");
      await assertRejects(async () => await composer.setLayerBrightness(display, 1n, 1), HwcError, "UNSUPPORTED");
    }),
);

function fences(count: number): { fence: NativeFence; signal(): void }[] {
  return Array.from({ length: count }, () => NativeFence.create());
}

/** A frame with every by-value struct in it. */
async function showFrame(composer: Hwc2Composer, display: bigint): Promise<void> {
  using buffer = allocateBuffer({ width: 8, height: 8, format: 1, usage: 0x33n });
  const layer = await composer.createLayer(display), { fence, signal } = NativeFence.create();
  await composer.setLayerBuffer(display, layer, buffer, fence);
  await composer.setLayerColor(display, layer, { r: 1, g: 2, b: 254, a: 255 });
  await composer.setLayerDisplayFrame(display, layer, RECT);
  await composer.setLayerSourceCrop(display, layer, { left: 0.5, top: 1.5, right: -2.25, bottom: 8 });
  await composer.setLayerPlaneAlpha(display, layer, 0.75);
  await composer.setLayerVisibleRegion(display, layer, [RECT]);
  await composer.setLayerCompositionType(display, layer, 2);
  assertEquals(await composer.validateDisplay(display), { result: 5, numTypes: 1, numRequests: 0 });
  assertEquals(await composer.getChangedCompositionTypes(display), [{ layer, type: 1 }]);
  await composer.acceptDisplayChanges(display);
  await composer.setClientTarget(display, buffer, fence, -7, [RECT, { ...RECT, bottom: 41 }]);
  await composer.setColorTransform(display, [1.5, ...Array(14).fill(0), -1], 1);
  let isSignalled = false;
  queueMicrotask(() => (isSignalled = true, signal()));
  using present = await composer.presentDisplay(display);
  assert(isSignalled && present.wait(3000));
  const [release] = await composer.getReleaseFences(display);
  assertEquals([release.layer, release.fence.wait(3000)], [layer, true]);
  release.fence.close();
  assertEquals((await composer.dump()).split("\n").slice(0, -1), [
    "buffer 12 0",
    "color 1 2 254 255",
    "frame 1 -2 30 40",
    "crop 0.5 1.5 -2.25 8",
    "alpha 0.75",
    "region 1 30",
    "target 12 0 -7 2 1 41",
    "matrix 1.5 -1 1",
  ]);
}

Deno.test("openHwc2() passes structs by value and shows a frame, and leaves nothing behind", NEEDS, async () => {
  await withVendor(showFrame); // opens what stays open
  const buffers = openBuffers(), blocks = openBlocks(), files = openFiles();
  await withVendor(showFrame);
  assertEquals([openBuffers(), openBlocks()], [buffers, blocks]);
  await assertNoMoreFiles(files);
});

Deno.test(
  "openHwc2() leaves a fence its owner's when the device refuses",
  NEEDS,
  () =>
    withVendor(async (composer, display) => {
      const { fence, signal } = NativeFence.create(), files = openFiles();
      await assertRejects(async () => await composer.setLayerBuffer(display, 9n, null, fence), HwcError, "BAD_LAYER");
      assertEquals([openFiles(), fence.kind], [files, "eventfd"]);
      signal();
      fence.close();
    }),
);

Deno.test(
  "openHwc2() gives a device no fence that a kernel driver could not import, and presents when it is signalled",
  NEEDS,
  () =>
    withVendor(async (composer, display) => {
      using buffer = allocateBuffer({ width: 8, height: 8, format: 1, usage: 0x33n });
      const layer = await composer.createLayer(display), [replaced, gone, shown, target] = fences(4);
      await composer.setLayerBuffer(display, layer, buffer, replaced.fence);
      const other = await composer.createLayer(display);
      await composer.setLayerBuffer(display, other, buffer, gone.fence);
      await composer.destroyLayer(display, other);
      await composer.setLayerBuffer(display, layer, buffer, shown.fence);
      await composer.setClientTarget(display, buffer, target.fence, 0, []);
      await composer.validateDisplay(display);
      await composer.acceptDisplayChanges(display);
      const order: string[] = [], presented = composer.presentDisplay(display);
      const noted = Promise.resolve(presented).then((fence) => (order.push("presented"), fence.close()));
      shown.signal();
      await shown.fence.ready();
      order.push("signalled");
      target.signal();
      await noted;
      assertEquals(order, ["signalled", "presented"], "fences of buffers that are there no more hold nothing up");
      for (const { signal } of [replaced, gone]) signal();
    }),
);

Deno.test(
  "openHwc2() goes on while the device calls back under its lock",
  NEEDS,
  () =>
    withVendor(async (composer, display) => {
      let vsyncs = 0, asked = 0;
      const { promise, resolve } = Promise.withResolvers<void>();
      await composer.registerCallback(CALLBACK.VSYNC, async (from, timestamp) => {
        assert(from === display && timestamp > 0n);
        vsyncs++;
        await composer.getActiveConfig(display);
        if (++asked === 5) resolve();
      });
      await composer.setVsyncEnabled(display, 1);
      for (let turn = 0; turn < 50; turn++) await composer.getDisplayName(display);
      await promise;
      await composer.setVsyncEnabled(display, 2);
      const seen = vsyncs;
      await turnsOfVsyncThread(5);
      await composer.getDisplayName(display); // a vsync that was sent came before this answer
      assertEquals(vsyncs, seen);
    }),
);

Deno.test("openHwc2() answers in the order of the calls, and what was asked before close()", NEEDS, async () => {
  const composer = openHwc2(path!), display = 0xd000000000000001n, order: unknown[] = [];
  const calls = [composer.createLayer(display), composer.createLayer(display), composer.getActiveConfig(display)];
  for (const call of calls) void Promise.resolve(call).then((value) => order.push(value));
  await composer.close();
  await composer.close();
  assertEquals(order, [1n, 2n, 0]);
  await assertRejects(async () => await composer.dump(), HwcError, "closed");
});

Deno.test("openHwc2() finds a module as Android does", NEEDS, async () => {
  const root = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${root}/vendor/lib64/hw`, { recursive: true });
    Deno.copyFileSync(path!, `${root}/vendor/lib64/hw/hwcomposer.board.so`);
    await openHwc2("hwcomposer", { root, systemProperties: { "ro.board.platform": "board" } }).close();
    assertThrows(() => openHwc2("hwcomposer", { root, systemProperties: {} }), NativeError, "hwcomposer.default.so");
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

for (
  const [variant, flag, reason] of [
    ["hwc1", "-DVERSION=1", "version 1"],
    ["unreliable", "-DUNRELIABLE", "not reliable"],
    ["lacks", "-DLACKS=43", "VALIDATE_DISPLAY"],
  ]
) {
  Deno.test(`openHwc2() refuses a device that is unfit: ${reason}`, NEEDS, () => {
    const unfit = compileFixture("hwc2_vendor", [flag], variant)!;
    assertThrows(() => openHwc2(unfit), NativeError, reason);
  });
}
