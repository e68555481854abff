import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CALLBACK, CONNECTION, HDCP_LEVEL, POWER_MODE, VSYNC } from "../../../../hwc/device_types.ts";
import { HwcError } from "../../../../hwc/hwc_error.ts";
import { connectComposer } from "../../../../hwc/remote/client/connect.ts";
import { COMPOSITION, ERROR, FORMAT } from "../../../../hwc/types.ts";
import { onePlane } from "../../../../hwc/planes/models.ts";
import { paint } from "../../../../hwc/requirements/paint.ts";
import { allocateBuffer } from "../../../../wsi/buffer/gralloc.ts";
import { MODIFIER } from "../../../../wsi/buffer/modifier.ts";
import { registerLayout } from "../../../../wsi/buffer/layout.ts";
import { USAGE } from "../../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import { allocateTiled } from "../../../wsi/buffer/tiled.ts";
import { onRemote, PERIOD, RemoteBench, SMALL } from "../bench.ts";
import { FarServer } from "../far_server.ts";
import { until } from "../../../support/until.ts";

const server = new FarServer();
globalThis.addEventListener("unload", () => void server.close());

const RED = [255, 0, 0, 255], GREEN = [0, 255, 0, 255];
const NO_LAYER = 77n;
const MODE = { width: 32, height: 24, refreshRate: 60 };

/** The error of a call. */
function errorOf(call: () => unknown): HwcError {
  return assertThrows(call, HwcError);
}

/** Lets what was told a moment ago arrive. */
function arrive(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}

Deno.test(
  "connectComposer() shows a frame in another process",
  onRemote(server, (bench) => {
    const { composer, display } = bench, acquire = NativeFence.create();
    const layer = bench.layer(bench.buffer(RED), acquire.fence);
    using first = bench.present();
    assertEquals(composer.getReleaseFences(display), []);
    bench.vsyncs();
    assertEquals([first.poll(), bench.pixel(3, 3)], [false, [0, 0, 0]], "its buffer is not drawn yet");
    acquire.signal();
    assert(NativeFence.adopt(acquire.fence.take()).poll());
    composer.setLayerBuffer(display, layer, bench.buffer(GREEN), null);
    // The signal is carried over by a thread: vsyncs go by until it has come.
    while (!first.poll()) bench.vsyncs();
    assertEquals(bench.pixel(3, 3), [255, 0, 0]);
    using second = bench.present();
    const [{ layer: released, fence }] = composer.getReleaseFences(display);
    assertEquals([released, fence.poll(), second.poll()], [layer, false, false]);
    bench.vsyncs();
    assertEquals([fence.poll(), second.poll(), bench.pixel(3, 3)], [true, true, [0, 255, 0]]);
    assertEquals(fence.signalTime, second.signalTime, "both tell the time of the flip there");
    assert(second.signalTime! <= (server.call("now") as bigint));
    fence.close();
  }),
);

Deno.test("connectComposer() says whether what is served takes fences of every kind", async () => {
  for (const takesAnyFence of [true, false]) {
    server.serve({}, "round-once", false, takesAnyFence);
    const composer = connectComposer(server.path);
    assertEquals(composer.takesAnyFence, takesAnyFence);
    await composer[Symbol.asyncDispose]();
    server.end();
  }
});

Deno.test("HDCP_LEVELS_CHANGED comes over a socket with both levels", async () => {
  server.serve({ panels: [{ modes: [MODE], hdcp: HDCP_LEVEL.V2 }] });
  const composer = connectComposer(server.path), told: (number | bigint)[][] = [];
  let display = 0n;
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display ||= each);
  composer.registerCallback(CALLBACK.HDCP_LEVELS_CHANGED, (...levels) => void told.push(levels));
  composer.startHdcpNegotiation(display, HDCP_LEVEL.NONE, HDCP_LEVEL.V1);
  composer.getMaxVirtualDisplayCount();
  await arrive();
  assertEquals(told, [[display, HDCP_LEVEL.V1, HDCP_LEVEL.V2]]);
  await composer[Symbol.asyncDispose]();
  server.end();
});

Deno.test("connectComposer() says where nobody serves, and which paths cannot be", () => {
  const { code, sentence } = errorOf(() => connectComposer("/nowhere/composer"));
  assertEquals(code, ERROR.NO_RESOURCES);
  assertEquals(sentence, "no composer is served at /nowhere/composer: ENOENT (2); call serveComposer() there first");
  assertEquals(errorOf(() => connectComposer("")).code, ERROR.BAD_PARAMETER);
  assertStringIncludes(errorOf(() => connectComposer("/" + "x".repeat(200))).sentence, "201 bytes");
});

Deno.test(
  "CreateClientSingleton: a second client is refused with NO_RESOURCES, the next after the first is not",
  onRemote(server, ({ composer }) => {
    const { code, sentence } = errorOf(() => connectComposer(server.path));
    assertEquals([code, sentence], [
      ERROR.NO_RESOURCES,
      "the server refuses: another client is connected; there is one at a time; connect again",
    ]);
    assert(composer.getMaxVirtualDisplayCount() > 0, "the first one goes on");
    composer.close();
    composer.close();
    assertStringIncludes(errorOf(() => composer.dump()).sentence, "the composer is closed");
    using next = connectComposer(server.path);
    assert(next.getMaxVirtualDisplayCount() > 0);
  }),
);

Deno.test(
  "commands that failed are told by their places by the call that sends them, which is not done itself",
  onRemote(server, (bench) => {
    const { composer, display } = bench, layer = bench.layer(bench.buffer(RED));
    composer.flush();
    composer.setLayerZOrder(display, layer, 5);
    composer.setLayerZOrder(display, NO_LAYER, 5);
    composer.setLayerTransform(display, layer, 99);
    const { code, command, sentence } = errorOf(() => composer.validateDisplay(display));
    assertEquals([code, command], [ERROR.BAD_LAYER, "setLayerZOrder"]);
    assertStringIncludes(sentence, "(command 1 of 7 that were sent together)");
    assertEquals(errorOf(() => composer.presentDisplay(display)).code, ERROR.NOT_VALIDATED);
    const kept = NativeFence.create();
    composer.setLayerZOrder(display, NO_LAYER, 6);
    assertEquals(
      errorOf(() => composer.setReadbackBuffer(display, bench.buffer(), kept.fence)).command,
      "setLayerZOrder",
    );
    assertEquals(kept.fence.kind, "eventfd", "what is not done takes no fence");
    kept.signal();
    kept.fence.close();
    bench.present().close();
    bench.vsyncs();
    assertEquals(bench.pixel(1, 1), [255, 0, 0]);
  }),
);

const failures: [number, string, number][] = [];
Deno.test(
  "commands that failed are told to who wants to hear of them, and all else is done",
  onRemote(server, (bench) => {
    failures.length = 0;
    const { composer, display } = bench, layer = bench.layer(bench.buffer(RED));
    composer.flush();
    composer.setLayerZOrder(display, NO_LAYER, 5);
    composer.setLayerTransform(display, layer, 99);
    bench.present().close();
    assertEquals(failures, [[0, "setLayerZOrder", ERROR.BAD_LAYER], [1, "setLayerTransform", ERROR.BAD_PARAMETER]]);
    bench.vsyncs();
    assertEquals(bench.pixel(1, 1), [255, 0, 0]);
  }, { commandFailed: ({ command, code }, index) => void failures.push([index, command, code]) }),
);

Deno.test(
  "oneByOne has each command throw its own error, and leaves a refused fence to the caller",
  onRemote(server, (bench) => {
    const { composer, display } = bench, layer = bench.layer(bench.buffer(RED)), kept = NativeFence.create();
    assertEquals(errorOf(() => composer.setLayerZOrder(display, NO_LAYER, 5)).code, ERROR.BAD_LAYER);
    const refused = () => composer.setLayerBuffer(display, NO_LAYER, bench.buffer(), kept.fence);
    assertEquals(errorOf(refused).code, ERROR.BAD_LAYER);
    assertEquals(kept.fence.kind, "eventfd", "it is not closed");
    composer.setLayerBuffer(display, layer, bench.buffer(), kept.fence);
    assertEquals(kept.fence.kind, "signaled", "a closed fence counts as signalled");
    kept.signal();
  }, { oneByOne: true }),
);

Deno.test(
  "a fence that a command takes is the composer's, one that is lent stays the caller's",
  onRemote(server, (bench) => {
    const { composer, display } = bench, taken = NativeFence.create(), lent = NativeFence.create();
    const layer = bench.layer(bench.buffer(), taken.fence),
      { display: virtual } = composer.createVirtualDisplay(8, 8, 1);
    assertEquals(taken.fence.kind, "signaled");
    composer.setOutputBuffer(virtual, bench.buffer(RED, 8, 8), lent.fence);
    composer.flush();
    assertEquals(lent.fence.kind, "eventfd");
    const closed = bench.buffer(), kept = NativeFence.create();
    closed.close();
    const { code, sentence } = errorOf(() => composer.setLayerBuffer(display, layer, closed, kept.fence));
    assertEquals([code, kept.fence.kind], [ERROR.BAD_PARAMETER, "eventfd"]);
    assertStringIncludes(sentence, "the buffer is closed");
    composer.setLayerBuffer(display, NO_LAYER, bench.buffer(), kept.fence);
    assertEquals(kept.fence.kind, "signaled", "what is wrong with the command is known too late to give it back");
    errorOf(() => composer.flush());
    for (const { fence, signal } of [taken, lent, kept]) {
      signal();
      fence.close();
    }
  }),
);

Deno.test(
  "SetLayerBufferSlotsToClear: a buffer goes over once, and is let go there when it is closed here",
  onRemote(server, (bench) => {
    const { composer, display } = bench, buffers = [bench.buffer(RED), bench.buffer(GREEN)];
    const layer = bench.layer(buffers[0]), there = () => (server.call("open") as number[])[1];
    for (let frame = 0; frame < 6; frame++) {
      composer.setLayerBuffer(display, layer, buffers[frame % 2], null);
      bench.present().close();
      bench.vsyncs();
      assertEquals([there(), bench.pixel(0, 0)], [frame === 0 ? 1 : 2, frame % 2 ? [0, 255, 0] : [255, 0, 0]]);
    }
    composer.setLayerBuffer(display, layer, buffers[0], null);
    bench.present().close();
    bench.vsyncs();
    buffers[1].close();
    composer.setLayerZOrder(display, layer, 2);
    composer.flush();
    assertEquals(there(), 1);
    const last = bench.buffer([1, 2, 3, 255]);
    composer.setLayerBuffer(display, layer, last, null);
    last.close(); // the composer keeps an owner of its own
    bench.present().close();
    bench.vsyncs();
    assertEquals([there(), bench.pixel(0, 0)], [2, [1, 2, 3]]);
  }),
);

Deno.test(
  "a buffer without a file is refused, and one in the slot of a refused command is sent again",
  onRemote(server, (bench) => {
    const { composer, display } = bench, layer = bench.layer(), again = bench.buffer(RED);
    const rule = registerLayout(() => ({ rowPitch: 128, size: 4096, memory: "anonymous" }));
    const usage = rule.usage | USAGE.CPU_READ_OFTEN;
    using anonymous = allocateBuffer({ width: 32, height: 24, format: FORMAT.RGBA_8888, usage });
    rule.forget();
    const { code, sentence } = errorOf(() => composer.setLayerBuffer(display, layer, anonymous, null));
    assertEquals(code, ERROR.BAD_PARAMETER);
    assertStringIncludes(sentence, "has no file, so only its own process knows it");
    composer.setLayerBuffer(display, NO_LAYER, again, null);
    errorOf(() => composer.flush());
    composer.setLayerBuffer(display, layer, again, null);
    bench.present().close();
    bench.vsyncs();
    assertEquals(bench.pixel(0, 0), [255, 0, 0]);
  }),
);

Deno.test(
  "what is asked behind validateDisplay() and presentDisplay() is true until anything else is said",
  onRemote(server, (bench) => {
    const { composer, display } = bench, layer = bench.layer(bench.buffer(RED));
    composer.setLayerTransform(display, layer, 4);
    composer.setLayerCompositionType(display, layer, COMPOSITION.CURSOR);
    const { numTypes } = composer.validateDisplay(display);
    assertEquals(composer.getChangedCompositionTypes(display).length, numTypes);
    assertEquals(composer.getChangedCompositionTypes(display).length, numTypes, "asked there the second time");
    assertEquals(composer.getDisplayRequests(display), { displayRequests: 0, layerRequests: [] });
    composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
    assertEquals(errorOf(() => composer.getDisplayRequests(display)).code, ERROR.NOT_VALIDATED);
    bench.present().close();
    composer.setLayerBuffer(display, layer, bench.buffer(GREEN), null);
    bench.present().close(); // its release fences are never asked for
  }),
);

Deno.test(
  "callbacks come in their order by the event loop, and no vsync after it was disabled",
  onRemote(server, async (bench) => {
    const { composer, display } = bench, heard: string[] = [];
    composer.registerCallback(CALLBACK.VSYNC, (id) => void heard.push(`vsync ${id === display}`));
    composer.registerCallback(CALLBACK.REFRESH, (id) => {
      heard.push(`refresh ${id === display}`);
      composer.getDisplayName(id); // it may call back
    });
    composer.setVsyncEnabled(display, VSYNC.ENABLE);
    bench.vsyncs(2);
    server.controls.refresh(display);
    assertEquals(heard, []);
    await until("three events are heard", () => heard.length === 3);
    assertEquals(heard.splice(0), ["vsync true", "vsync true", "refresh true"]);
    bench.vsyncs(2);
    composer.setVsyncEnabled(display, VSYNC.DISABLE);
    bench.vsyncs(2);
    composer.dump();
    await arrive();
    assertEquals(heard, []);
    composer.registerCallback(CALLBACK.REFRESH, null);
    server.controls.refresh(display);
    composer.dump();
    await arrive();
    assertEquals(heard, []);
    assertEquals(errorOf(() => composer.registerCallback(0 as 1, () => {})).code, ERROR.BAD_PARAMETER);
  }),
);

Deno.test(
  "hotplugs come while nothing is asked",
  onRemote(server, async ({ composer, display }) => {
    const seen: [boolean, number][] = [];
    composer.registerCallback(CALLBACK.HOTPLUG, (id, connection) => void seen.push([id === display, connection]));
    assertEquals(seen, [[true, CONNECTION.CONNECTED]], "what is connected is told at once");
    const plugged = server.controls.plug({ modes: [{ width: 16, height: 16, refreshRate: 30 }] });
    await until("two frames are seen", () => seen.length === 2);
    server.controls.unplug(plugged);
    await until("three frames are seen", () => seen.length === 3);
    assertEquals(seen.slice(1), [[false, CONNECTION.CONNECTED], [false, CONNECTION.DISCONNECTED]]);
    assertEquals(errorOf(() => composer.getDisplayName(plugged)).code, ERROR.BAD_DISPLAY);
  }),
);

Deno.test(
  "answers have the shapes that a composer of this process gives",
  onRemote(
    server,
    (bench) => {
      const { composer, display } = bench;
      const known = { width: 32, height: 24, configGroup: 0 }, [first, second] = composer.getDisplayConfigs(display);
      assertEquals(composer.getDisplayConfigurations(display), [
        { ...known, configId: first, vsyncPeriod: 16666667 },
        { ...known, configId: second, vsyncPeriod: 20000000, dpi: { x: 160, y: 161 } },
      ]);
      assertEquals(composer.getLayerGenericMetadataKey(0), { key: "com.pumice.note", mandatory: false });
      assertEquals(composer.getLayerGenericMetadataKey(1), undefined);
      assertEquals(composer.getDisplayIdentificationData(display).data.length % 128, 0);
      assertStringIncludes(composer.dump(), "Pumice reference composer");
      assertEquals(typeof composer.getFunction(43), "function");
      assertEquals(composer.getFunction(71), undefined);
      assertEquals(composer.isConnected, true);
      assert(
        composer.setActiveConfigWithConstraints(display, second, {
          desiredTimeNanos: server.call("now") as bigint,
          seamlessRequired: false,
        }).newVsyncAppliedTimeNanos > 0n,
      );
    },
    {},
    { ...SMALL, panels: [{ modes: [MODE, { ...MODE, refreshRate: 50, dpi: { x: 160, y: 161 } }] }] },
  ),
);

Deno.test(
  "a command that is too large, and arguments that are none, are refused here and change nothing",
  onRemote(server, (bench) => {
    const { composer, display } = bench, layer = bench.layer(bench.buffer(RED));
    const huge = () =>
      composer.setLayerGenericMetadata(display, layer, "com.pumice.note", false, new Uint8Array(5 << 20));
    const { code, sentence } = errorOf(huge);
    assertEquals(code, ERROR.BAD_PARAMETER);
    assertStringIncludes(sentence, "bytes; give less than");
    assertThrows(() => composer.setLayerZOrder(display, undefined as unknown as bigint, 1), TypeError);
    bench.present().close();
    for (let many = 0; many < 3000; many++) composer.setLayerVisibleRegion(display, layer, region);
    assertEquals(composer.validateDisplay(display).numTypes, 0, "sent in parts when there is too much");
    bench.present().close();
    bench.vsyncs();
    assertEquals(bench.pixel(0, 0), [255, 0, 0]);
  }),
);

const region = Array.from({ length: 100 }, (_, at) => ({ left: 0, top: at, right: 9, bottom: at + 1 }));

Deno.test("serveComposer() serves a composer that answers by Promises: one behind hwcomposer2.h", async () => {
  await using bench = new RemoteBench(server, {}, undefined, true);
  const { composer } = bench, displays: bigint[] = [];
  composer.registerCallback(CALLBACK.HOTPLUG, (display) => void displays.push(display));
  await until("a display is plugged", () => displays.length === 1);
  const [display] = displays;
  composer.setPowerMode(display, POWER_MODE.ON);
  const layer = bench.layer(bench.buffer(GREEN), null, display);
  bench.present(display).close();
  composer.setLayerBuffer(display, layer, bench.buffer(RED), null);
  using fence = bench.present(display);
  const [{ fence: release }] = composer.getReleaseFences(display);
  assertEquals(
    errorOf(() => composer.setLayerBrightness(display, layer, 0.5) ?? composer.flush()).code,
    ERROR.UNSUPPORTED,
  );
  server.call("advance", PERIOD * 3n);
  assert(fence.wait(60_000) && release.wait(60_000));
  release.close();
  assertEquals((server.call("capture", display, 32, 24) as Uint32Array)[0], 0xff0000ff);
  const { display: virtual } = composer.createVirtualDisplay(16, 16, FORMAT.RGBA_8888);
  assertEquals(composer.getDisplayType(virtual), 2);
});

const TILES = MODIFIER.I915_X_TILED;
/** A controller whose planes read X tiles. */
const READS_TILES = {
  ...SMALL,
  planes: {
    name: "tiles",
    planes: onePlane().planes.map((plane) => ({ ...plane, modifiers: { [FORMAT.RGBA_8888]: [TILES] } })),
  },
};

Deno.test(
  "connectComposer() sends buffers in tiles with their modifiers, and planes there read them",
  onRemote(
    server,
    (bench) => {
      const { composer, display } = bench, usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
      using tiles = allocateTiled({ width: 256, height: 64, format: FORMAT.RGBA_8888, usage }, TILES);
      paint(tiles, [255, 0, 0], 255, { left: 0, top: 0, right: 128, bottom: 64 });
      paint(tiles, [0, 0, 255], 255, { left: 128, top: 0, right: 256, bottom: 64 });
      const layer = bench.layer(tiles);
      composer.setLayerSourceCrop(display, layer, { left: 112, top: 0, right: 144, bottom: 24 });
      composer.setLayerDisplayFrame(display, layer, { left: 0, top: 0, right: 32, bottom: 24 });
      bench.present().close();
      bench.vsyncs();
      const seen = [1, 5, 23].flatMap((y) => [bench.pixel(2, y), bench.pixel(30, y)]);
      assertEquals(seen, Array(3).fill([[255, 0, 0], [0, 0, 255]]).flat());
      composer.setLayerBuffer(display, layer, bench.buffer(RED), null); // the planes there read no rows
      assertEquals(composer.validateDisplay(display).numTypes, 1);
    },
    {},
    READS_TILES,
  ),
);
