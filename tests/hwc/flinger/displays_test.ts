import { assert, assertEquals, assertThrows } from "@std/assert";
import { COLOR_MODE, POWER_MODE } from "../../../hwc/device_types.ts";
import { blitterPlane } from "../../../hwc/planes/models.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { DATASPACE, FORMAT } from "../../../hwc/types.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { createTsBackend } from "../../../hwc/backends/create.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { BLUE, draw, GREEN, HEIGHT, onStage, RED, type Stage, WIDTH, words } from "./stage.ts";

const EXTERNAL = { name: "television", modes: [{ width: 16, height: 12, refreshRate: 60 }] };

/** A composer that writes down which display is validated and presented. */
function watched(calls: string[]) {
  return <Thing extends object>(thing: Thing): Thing =>
    new Proxy(thing, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function" || (name !== "validateDisplay" && name !== "presentDisplay")) return value;
        return (display: bigint) => {
          calls.push(`${name === "validateDisplay" ? "validate" : "present"} ${display}`);
          return value.call(target, display);
        };
      },
    });
}

for (const release of [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] as const) {
  const calls: string[] = [];
  Deno.test(
    `${release <= 9 ? "S32" : "S31 S33"} several displays go in the order of release ${release}, also if one changed`,
    onStage((stage) => {
      stage.composer.plug(EXTERNAL);
      const [one, two] = [stage.handle(0), stage.handle(1)];
      stage.flinger.setLayerStack(1, 7);
      const layer = stage.layer("app", [32, 24], RED);
      const film = stage.layer("film", [16, 12], BLUE, { layerStack: 7 });
      stage.vsyncs(4);
      stage.flinger.transaction().set(layer, { alpha: 0.5 }).set(film, { alpha: 0.5 }).apply();
      calls.length = 0;
      stage.vsyncs();
      const expected = release <= 9
        ? [`validate ${one}`, `validate ${two}`, `present ${one}`, `present ${two}`]
        : [`validate ${one}`, `present ${one}`, `validate ${two}`, `present ${two}`];
      assertEquals(calls, expected);
      stage.vsyncs(2);
      for (const [changed, handle] of [[layer, one], [film, two]] as const) {
        calls.length = 0;
        changed.set({ alpha: 0.75 });
        stage.vsyncs(3);
        assertEquals(calls, [`validate ${handle}`, `present ${handle}`], "nothing of the other display changed");
      }
      assertEquals(stage.screen(1, [16, 12])[0], 0xffbf0000);
    }, { release, between: watched(calls) }),
  );
}

Deno.test(
  "S20 S28 S29 S30 the first display is primary; external ones come and go with what they show",
  onStage((stage) => {
    const { flinger, composer } = stage;
    stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    const handle = composer.plug(EXTERNAL);
    stage.vsyncs(3);
    assertEquals(flinger.displays.map(({ name, isPrimary }) => [name, isPrimary]).at(-1), ["television", false]);
    assertEquals(stage.screen(1, [16, 12])[0], 0xff0000ff, "mirrored: it has the same layer stack");
    composer.changeModes(handle, [{ width: 8, height: 8, refreshRate: 60 }]);
    stage.vsyncs(3);
    assertEquals(flinger.displays[1].width, 8);
    composer.unplug(handle);
    stage.vsyncs(2);
    assertEquals(flinger.displays.length, 1);
    assertThrows(() => flinger.setPowerMode(1, 0), RangeError, "no display 1");
  }),
);

Deno.test(
  "a display that is off gets no frames, and vsyncs come from another one",
  onStage((stage) => {
    const { flinger, composer } = stage;
    composer.plug(EXTERNAL);
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    flinger.setPowerMode(0, POWER_MODE.OFF);
    const { frames } = flinger.displays[0];
    draw(layer.window!, GREEN);
    stage.vsyncs(3);
    assertEquals(flinger.displays[0].frames, frames);
    assertEquals(stage.screen(1, [16, 12])[0], 0xff00ff00);
    flinger.setPowerMode(0, POWER_MODE.ON);
    stage.vsyncs(3);
    assertEquals(stage.pixel(0, 0), [0, 255, 0]);
    flinger.setPowerMode(1, POWER_MODE.DOZE);
    assertEquals(flinger.displays[1].power, POWER_MODE.DOZE);
  }),
);

Deno.test(
  "frames that need no validation are presented without one",
  onStage((stage) => {
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    for (let count = 0; count < 5; count++) {
      draw(layer.window!, GREEN);
      stage.vsyncs(2);
    }
    const { frames, skippedValidate } = stage.flinger.displays[0];
    assertEquals([frames, skippedValidate >= 3, stage.pixel(0, 0)], [6, true, [0, 255, 0]]);
  }),
);

Deno.test(
  "setActiveConfig() and setColorMode() change what a display shows",
  onStage((stage) => {
    const { flinger, composer } = stage;
    composer.plug({ modes: [{ width: 16, height: 12, refreshRate: 60 }, { width: 8, height: 6, refreshRate: 60 }] });
    stage.layer("app", [32, 24], [200, 100, 50, 255], { dataspace: DATASPACE.DISPLAY_P3 });
    stage.vsyncs(3);
    assertEquals(stage.pixel(0, 0), [200, 100, 50], "NATIVE: nothing is converted");
    flinger.setActiveConfig(1, composer.getDisplayConfigs(stage.handle(1))[1]);
    flinger.setColorMode(0, COLOR_MODE.SRGB);
    stage.vsyncs(3);
    assertEquals([flinger.displays[1].width, flinger.displays[1].failed], [8, 0]);
    const [red, green, blue] = stage.pixel(0, 0);
    assert(
      red > 205 && green < 100 && blue < 45,
      `${[red, green, blue]}: P3 has less of a colour that sRGB needs more of`,
    );
    flinger.setForceClient(true);
    stage.vsyncs(3);
    assertEquals(stage.pixel(0, 0), [red, green, blue], "the client converts as the composer does");
    flinger.setColorMode(0, 99);
    assertEquals(stage.said.length, 1);
  }),
);

Deno.test(
  "HDR metadata of a producer's frames goes to the composer with them",
  () => {
    const sent: unknown[] = [];
    const between = (composer: ReferenceComposer) =>
      new Proxy(composer, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name !== "setLayerPerFrameMetadata" || typeof value !== "function") return value;
          return (...args: unknown[]) => {
            sent.push(args[2]);
            return value.apply(target, args);
          };
        },
      });
    onStage((stage) => {
      sent.length = 0;
      const layer = stage.layer("film", [32, 24], RED);
      stage.vsyncs(2);
      assertEquals(sent, []);
      layer.window!.setBuffersCta8613({ maxContentLightLevel: 1000, maxFrameAverageLightLevel: 400 });
      draw(layer.window!, GREEN);
      stage.vsyncs(2);
      assertEquals(sent, [[{ key: 10, value: 1000 }, { key: 11, value: 400 }]]);
      assertEquals(stage.pixel(0, 0), [0, 255, 0]);
    }, { between })();
  },
);

interface Seen {
  readonly format: number;
  readonly hal: number;
  readonly words: number[];
  readonly ready: boolean;
}

/** A window that keeps what it gets. */
function encoder(seen: Seen[], usage?: bigint, format: number = FORMAT.RGBA_8888): NativeWindow {
  return new NativeWindow({
    width: WIDTH,
    height: HEIGHT,
    defaultFormat: format,
    consumer: {
      ...(usage === undefined ? {} : { usage }),
      attach() {},
      onFrame(source) {
        const frame = source.acquire();
        if (!frame) return;
        const { buffer } = frame, ready = frame.fence.poll();
        seen.push({ format: buffer.format, hal: buffer.pixelFormat.hal, words: words(buffer), ready });
        frame.release();
      },
    },
  });
}

function twoLayers(stage: Stage) {
  const below = stage.layer("below", [32, 24], RED);
  return [below, stage.layer("above", [8, 8], GREEN, { z: 1 })];
}

for (
  const [name, strategy, usage, mode, format] of [
    ["S36 S39 GLES: the client alone writes, in the renderer's format", clientOnly(), undefined, "GLES", 1],
    ["S38 S40 HWC: the composer alone writes, in a CPU reader's own format", undefined, undefined, "HWC", 2],
    ["S38 S40 HWC: gralloc chooses the format if no CPU reads", undefined, USAGE.GPU_TEXTURE, "HWC", 0x22],
  ] as const
) {
  Deno.test(
    `S21 S34 S35 ${name}`,
    onStage((stage) => {
      const seen: Seen[] = [];
      using window = encoder(seen, usage, FORMAT.RGBX_8888);
      stage.flinger.createVirtualDisplay({ window, name: "encoder" });
      twoLayers(stage);
      stage.vsyncs(3);
      const last = seen.at(-1)!;
      assertEquals(stage.flinger.displays[1].mode, mode);
      assertEquals([last.format, last.ready], [format, true]);
      assertEquals([last.words[0], last.words.at(-1)].map((word) => word! & 0xffffff), [0x00ff00, 0x0000ff]);
      const { length } = seen;
      stage.vsyncs(20);
      assertEquals(seen.length, length, "nothing is queued while nothing changes");
      assertEquals(stage.said, []);
      stage.flinger.close();
    }, { virtualDisplays: { planes: blitterPlane() }, ...(strategy && { strategy }) }),
  );
}

Deno.test(
  "S37 S40 MIXED: the composer puts the client's picture and other layers into the consumer's format",
  onStage((stage) => {
    const seen: Seen[] = [];
    using window = encoder(seen, undefined, FORMAT.RGBX_8888);
    stage.flinger.createVirtualDisplay({ window });
    const [, above] = twoLayers(stage);
    above.set({ colorTransform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], isSecure: true });
    stage.vsyncs(3);
    assertEquals([stage.flinger.displays[1].mode, seen.at(-1)!.format], ["MIXED", FORMAT.RGBX_8888]);
    assertEquals(seen.at(-1)!.words[0] & 0xffffff, 0, "a secure layer is black where everybody can look");
    assertEquals(seen.at(-1)!.words.at(-1)! & 0xffffff, 0x0000ff);
    assertEquals(stage.pixel(0, 0), [0, 255, 0], "and is shown on the panel");
    above.set({ isHidden: true });
    stage.vsyncs(2);
    assertEquals([stage.flinger.displays[1].mode, seen.at(-1)!.words[0] & 0xffffff], ["HWC", 0x0000ff]);
    stage.flinger.close();
  }),
);

Deno.test(
  "a frame of the client's goes through the composer where that turns it into the consumer's format",
  onStage((stage) => {
    const seen: Seen[] = [];
    using window = encoder(seen, undefined, FORMAT.RGBX_8888);
    stage.flinger.createVirtualDisplay({ window, copiesByHwc: true });
    stage.flinger.setForceClient(true);
    twoLayers(stage);
    stage.vsyncs(3);
    assertEquals([stage.flinger.displays[1].mode, seen.at(-1)!.format], ["MIXED", FORMAT.RGBX_8888]);
    assertEquals(seen.at(-1)!.words[0] & 0xffffff, 0x00ff00);
    stage.flinger.close();
  }),
);

Deno.test(
  "S21 a virtual display that the composer has no room for is the client's",
  onStage((stage) => {
    const seen: Seen[] = [];
    using window = encoder(seen);
    const display = stage.flinger.createVirtualDisplay({ window });
    twoLayers(stage);
    stage.vsyncs(3);
    assertEquals(stage.flinger.displays[1].handle, undefined);
    assertEquals([seen.at(-1)!.words[0], seen.at(-1)!.words.at(-1)], [0xff00ff00, 0xff0000ff]);
    stage.flinger.destroyVirtualDisplay(display);
    assertEquals(stage.flinger.displays.length, 1);
    assertThrows(() => stage.flinger.destroyVirtualDisplay(0), RangeError, "not virtual");
  }, { virtualDisplays: { count: 0 } }),
);

{
  const own = createTsBackend(), forgotten: bigint[] = [];
  let count = 0;
  const renderer = {
    name: "counting",
    compose: (...args: Parameters<typeof own.compose>) => (count++, own.compose(...args)),
    forget: (buffer: { id: bigint }) => void forgotten.push(buffer.id),
  };
  Deno.test(
    "the renderer that is given composes, in three buffers by turns, and is told when they end",
    onStage((stage) => {
      count = forgotten.length = 0;
      const layer = stage.layer("app", [32, 24], RED);
      for (let frame = 0; frame < 6; frame++) {
        draw(layer.window!, [frame, 0, 0, 255]);
        stage.vsyncs();
      }
      assert(count >= 5);
      assert(stage.flinger.dump().includes("renderer counting"));
      stage.flinger.close();
      assert(forgotten.length > 1 && forgotten.length <= 3, `${forgotten.length} buffers`);
    }, { strategy: clientOnly(), renderer }),
  );
}
