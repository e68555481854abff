import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { CALLBACK, CONNECTION } from "../../../hwc/device_types.ts";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import { makeEdid } from "../../../hwc/core/panel/panel.ts";
import { COMPOSITION, ERROR } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { Bench } from "./frame.ts";
import { onBench } from "./leaves_nothing.ts";

Deno.test("createReferenceComposer() tells of its panels when somebody asks, the internal one first", () => {
  const clock = new ManualClock(), seen: [bigint, number][] = [];
  using composer = createReferenceComposer({ clock, panels: [{ name: "inside" }, { name: "outside" }] });
  composer.registerCallback(CALLBACK.HOTPLUG, (display, connection) => seen.push([display, connection]));
  assertEquals(seen.map(([display]) => composer.getDisplayName(display)), ["inside", "outside"]);
  assertEquals(seen.map(([display]) => composer.getDisplayConnectionType(display)), [0, 1]);
  const third = composer.plug({ name: "later" });
  assertEquals(seen[2], [third, CONNECTION.CONNECTED]);
  composer.unplug(third);
  assertEquals(seen[3], [third, CONNECTION.DISCONNECTED]);
  const error = assertThrows(() => composer.createLayer(third), HwcError);
  assertEquals([error.code, error.command], [ERROR.BAD_DISPLAY, "createLayer"]);
  assertNotEquals(composer.plug({ name: "later" }), third);
});

Deno.test("plug() refuses a second internal panel, and a first external one", () => {
  using composer = createReferenceComposer({ clock: new ManualClock() });
  assertThrows(() => composer.plug({ connection: "internal" }), HwcError, "exactly one panel is internal");
  assertThrows(
    () => createReferenceComposer({ clock: new ManualClock(), panels: [{ connection: "external" }] }),
    HwcError,
    "the first panel is external",
  );
});

Deno.test("unplug() refuses the internal panel and virtual displays", () => {
  using bench = new Bench();
  assertThrows(() => bench.composer.unplug(bench.display), HwcError, "internal panel cannot be unplugged");
  const { display } = bench.composer.createVirtualDisplay(8, 8, 1);
  assertThrows(() => bench.composer.unplug(display), HwcError, "destroyVirtualDisplay");
});

Deno.test("plug() refuses modes that no panel has", () => {
  using composer = createReferenceComposer({ clock: new ManualClock() });
  const mode = { width: 10, height: 10, refreshRate: 60 };
  for (const modes of [[], [{ ...mode, width: 0 }], [{ ...mode, refreshRate: NaN }], [mode, mode]]) {
    assertThrows(() => composer.plug({ modes }), RangeError, "Cannot plug");
  }
});

Deno.test("changeModes() tells a client by hotplug that its configs are others", () => {
  using bench = new Bench();
  const { composer, display } = bench, seen: number[] = [];
  composer.registerCallback(CALLBACK.HOTPLUG, (_, connection) => seen.push(connection));
  composer.changeModes(display, [{ width: 64, height: 48, refreshRate: 30 }, {
    width: 32,
    height: 24,
    refreshRate: 30,
  }]);
  assertEquals(seen, [CONNECTION.CONNECTED, CONNECTION.CONNECTED]);
  assertEquals(composer.getDisplayConfigs(display).length, 2);
  assertEquals(composer.getDisplayVsyncPeriod(display), 33_333_333);
});

Deno.test("a callback may call the composer", () => {
  using bench = new Bench();
  const { composer } = bench, names: string[] = [];
  composer.registerCallback(CALLBACK.HOTPLUG, (display, connection) => {
    if (connection === CONNECTION.CONNECTED) names.push(composer.getDisplayName(display));
  });
  composer.plug({ name: "second" });
  assertEquals(names, ["Panel 0", "second"]);
});

Deno.test("makeEdid() tells the name, the preferred mode and a right checksum", () => {
  const edid = makeEdid("Living room", 7, { width: 3840, height: 2160, refreshRate: 60 });
  assertEquals(edid.reduce((sum, byte) => sum + byte, 0) % 256, 0);
  assertEquals([edid[56] | (edid[58] & 0xf0) << 4, edid[59] | (edid[61] & 0xf0) << 4], [3840, 2160]);
  assertEquals(new TextDecoder().decode(edid.slice(77, 88)), "Living room");
  assertEquals([edid[126], edid[18], edid[19]], [0, 1, 4]);
});

Deno.test(
  "a display that gets no frame for a while is flattened, and unflattened with the next",
  onBench((bench) => {
    const { composer, display, clock } = bench, refreshes: bigint[] = [];
    composer.registerCallback(CALLBACK.REFRESH, (display) => void refreshes.push(display));
    const below = bench.layer(), above = bench.layer(bench.buffer([9, 9, 9, 255], [8, 8]), undefined, 1);
    assertEquals(composer.validateDisplay(display).numTypes, 0);
    composer.presentDisplay(display).close();
    clock.advance(900_000_000n);
    assertEquals(refreshes, []);
    clock.advance(200_000_000n);
    assertEquals(refreshes, [display]);
    assertThrows(() => composer.presentDisplay(display), HwcError, "NOT_VALIDATED");
    assertEquals(composer.validateDisplay(display).numTypes, 2, "all to the client");
    assert(composer.plan(display)!.explain()[0].reason.includes("the picture rests"));
    composer.acceptDisplayChanges(display);
    composer.setClientTarget(display, bench.buffer([7, 7, 7, 255]), null, 0, []);
    composer.presentDisplay(display).close();
    clock.advance(5_000_000_000n);
    assertEquals([refreshes.length, composer.statistics(display).flattened], [1, 1], "once is enough");
    for (const layer of [below, above]) composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
    assertEquals(composer.validateDisplay(display).numTypes, 0, "back to the planes");
    composer.presentDisplay(display).close();
    clock.advance(1_100_000_000n);
    assertEquals([refreshes.length, composer.validateDisplay(display).numTypes], [2, 2], "and when it rests again");
  }, { flattenAfter: 1000 }),
);

Deno.test(
  "a display is not flattened while frames come, for one layer, or with a cursor",
  onBench((bench) => {
    const { composer, display, clock } = bench, refreshes: bigint[] = [];
    composer.registerCallback(CALLBACK.REFRESH, (display) => void refreshes.push(display));
    bench.layer();
    bench.present().close();
    clock.advance(3_000_000_000n);
    const cursor = bench.layer(bench.buffer([0, 0, 0, 255], [4, 4]), undefined, 5);
    composer.setLayerCompositionType(display, cursor, COMPOSITION.CURSOR);
    bench.present().close();
    clock.advance(3_000_000_000n);
    composer.setLayerCompositionType(display, cursor, COMPOSITION.DEVICE);
    for (let count = 0; count < 20; count++) {
      bench.present().close();
      clock.advance(500_000_000n);
    }
    assertEquals(refreshes, []);
  }, { flattenAfter: 1000 }),
);

Deno.test(
  "setCursorPosition() moves the cursor on the panel without a frame",
  onBench((bench) => {
    const { composer, display } = bench, white = bench.buffer([255, 255, 255, 255], [4, 4]);
    bench.layer();
    const cursor = bench.layer(white, { left: 0, top: 0, right: 4, bottom: 4 }, 1);
    composer.setLayerCompositionType(display, cursor, COMPOSITION.CURSOR);
    bench.present().close();
    bench.vsyncs();
    assertEquals([bench.pixel(1, 1), bench.pixel(21, 11)], [[255, 255, 255], [0, 0, 0]]);
    composer.setCursorPosition(display, cursor, 20, 10);
    assertEquals([bench.pixel(1, 1), bench.pixel(21, 11)], [[0, 0, 0], [255, 255, 255]]);
    assertEquals(composer.statistics(display).presented, 1);
  }),
);

Deno.test(
  "setCursorPosition() moves its own layer where another has the same name, and shown() tells both places",
  onBench((bench) => {
    const { composer, display } = bench, place = { left: 0, top: 0, right: 4, bottom: 4 };
    const white = bench.buffer([255, 255, 255, 255], [4, 4]);
    const lower = bench.layer(white, place), cursor = bench.layer(white, place, 1);
    composer.setLayerCompositionType(display, cursor, COMPOSITION.CURSOR);
    for (const layer of [lower, cursor]) composer.nameLayer(display, layer, "twin");
    bench.present().close();
    bench.vsyncs();
    composer.setCursorPosition(display, cursor, 20, 10);
    assertEquals([bench.pixel(1, 1), bench.pixel(21, 11)], [[255, 255, 255], [255, 255, 255]]);
    const places = composer.shown(display)!.layers.map(({ handle, place: { left, top } }) => [handle, left, top]);
    assertEquals(places, [[lower, 0, 0], [cursor, 20, 10]]);
  }),
);

Deno.test(
  "presentDisplay() with changes that nobody accepted is refused, or accepts them if it is lenient",
  () => {
    for (const lenientPresent of [false, true]) {
      using bench = new Bench({ lenientPresent });
      const { composer, display } = bench, sideways = bench.layer();
      composer.setLayerTransform(display, sideways, 4);
      assertEquals(composer.validateDisplay(display).numTypes, 1);
      if (lenientPresent) composer.presentDisplay(display).close();
      else assertThrows(() => composer.presentDisplay(display), HwcError, "nobody accepted");
    }
  },
);

Deno.test("explain() speaks of the layer as it was asked for, also when the changes are accepted", () => {
  using bench = new Bench();
  const { composer, display } = bench, sideways = bench.layer();
  composer.setLayerTransform(display, sideways, 4);
  bench.present().close();
  const [{ reason }] = composer.plan(display)!.explain();
  assert(reason.includes("cannot do transform 4"), reason);
  assert(composer.dump().includes("cannot do transform 4"));
});

Deno.test("a colour transform that no plane can do leaves all to the client, which then does it itself", () => {
  using bench = new Bench({ planes: { name: "plain", planes: [{ name: "only", tier: 0, formats: [1] }] } });
  const { composer, display } = bench, layer = bench.layer();
  const half = [.5, 0, 0, 0, 0, .5, 0, 0, 0, 0, .5, 0, 0, 0, 0, 1];
  composer.setColorTransform(display, half, 1);
  composer.validateDisplay(display);
  assertEquals(composer.getChangedCompositionTypes(display), [{ layer, type: COMPOSITION.CLIENT }]);
  assert(!composer.getDisplayCapabilities(display).includes(1));
});

Deno.test(
  "a colour transform changes what the panel shows",
  onBench((bench) => {
    bench.layer(bench.buffer([200, 100, 50, 255]));
    const half = [.5, 0, 0, 0, 0, .5, 0, 0, 0, 0, .5, 0, 0, .2, 0, 1];
    bench.composer.setColorTransform(bench.display, half, 1);
    bench.present().close();
    bench.vsyncs();
    assertEquals(bench.pixel(3, 3), [100, 101, 25]);
  }),
);

Deno.test("a closed composer says so", () => {
  const bench = new Bench();
  bench.composer.close();
  bench.composer.close();
  assertThrows(() => bench.composer.createLayer(bench.display), HwcError, "the composer is closed");
  bench[Symbol.dispose]();
});

Deno.test(
  "a readback buffer need not be one that the CPU may write",
  onBench((bench) => {
    const { composer, display } = bench, usage = USAGE.CPU_READ_OFTEN | USAGE.GPU_TEXTURE;
    bench.layer(bench.buffer([200, 100, 50, 255]));
    composer.setColorTransform(display, [.5, 0, 0, 0, 0, .5, 0, 0, 0, 0, .5, 0, 0, 0, 0, 1], 1);
    using into = allocateBuffer({ width: 32, height: 24, format: 1, usage });
    composer.setReadbackBuffer(display, into, null);
    bench.present().close();
    bench.vsyncs();
    using fence = composer.getReadbackBufferFence(display);
    assertEquals([fence.poll(), [...into.lock().subarray(0, 3)]], [true, [100, 50, 25]]);
    into.unlock();
  }),
);

Deno.test("explain() calls layers by the client's names or by number, and says what they show", () => {
  const clock = new ManualClock();
  using composer = createReferenceComposer({
    clock,
    panels: [{ modes: [{ width: 16, height: 12, refreshRate: 60 }] }],
  });
  using flinger = new SurfaceFlinger({ composer });
  const display = flinger.displays[0].handle!;
  flinger.createLayer({ name: "veil", color: { r: 1, g: 0, b: 0, a: 1 }, size: { width: 16, height: 6 } });
  composer.createLayer(display);
  clock.advance(40_000_000n);
  const said = composer.plan(display)!.explain().map(({ path, content }) => [path, content]);
  assertEquals(said.sort(), [["layer 1", "no buffer"], ["veil", "one colour"]]);
  assertThrows(() => composer.nameLayer(display, 1n, "none"), HwcError, "HWC2_ERROR_BAD_LAYER");
});
