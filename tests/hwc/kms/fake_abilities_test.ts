import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { explainText } from "../../../loader/driver/report/finding.ts";
import {
  CALLBACK,
  COLOR_TRANSFORM,
  CONTENT_TYPE,
  DISPLAY_CAPABILITY,
  HDR,
  METADATA_KEY,
} from "../../../hwc/device_types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { COMMIT } from "../../../hwc/kms/card/commit.ts";
import { COMPOSITION, DATASPACE, ERROR, type Rect } from "../../../hwc/types.ts";
import { opaqueLayer } from "../core/frame.ts";
import { FakeCard, ON_FAKE } from "./fake_card.ts";
import { until } from "../../support/until.ts";

const SMALL = { left: 10, top: 20, right: 74, bottom: 68 };
/** The lower half of a word. */
const MOST_16 = 0xffff;
/** As hwc2 says that nothing changed. */
const NOTHING: Rect = { left: 0, top: 0, right: 0, bottom: 0 };

Deno.test("damage of a picture is told the kernel where only the picture changes", ON_FAKE, async () => {
  await using fake = new FakeCard({ HAS: "FB_DAMAGE_CLIPS" });
  const { composer, display } = fake;
  const layer = opaqueLayer(composer, display, fake.buffer(64, 48), { frame: SMALL });
  const shown = async (...damage: Rect[]) => {
    composer.setLayerBuffer(display, layer, fake.buffer(64, 48), null);
    composer.setLayerSurfaceDamage(display, layer, damage);
    await fake.shown();
    const blob = fake.commits.at(-1)!.values["30.FB_DAMAGE_CLIPS"];
    return blob && numbersOf(blob);
  };
  const small = { left: 1, top: 2, right: 30, bottom: 40 }, outside = { left: 60, top: -5, right: 90, bottom: 9 };
  assertEquals(await shown(small), undefined, "the first picture is new everywhere");
  assertEquals(await shown(small), [1, 2, 30, 40]);
  assertEquals(await shown(small, outside), [1, 2, 30, 40, 60, 0, 64, 9]);
  for (const all of [[], [NOTHING], [{ left: 0, top: 0, right: 64, bottom: 48 }]]) {
    assertEquals(await shown(...all), undefined);
  }
  composer.setLayerDisplayFrame(display, layer, { ...SMALL, left: 11, right: 75 });
  assertEquals(await shown(small), undefined, "the plane moved");
  composer.destroyLayer(display, layer);
  const other = opaqueLayer(composer, display, fake.buffer(64, 48), { frame: { ...SMALL, left: 11, right: 75 } });
  composer.setLayerSurfaceDamage(display, other, [small]);
  await fake.shown();
  assertEquals(fake.commits.at(-1)!.values["30.FB_DAMAGE_CLIPS"], undefined, "the picture of another layer");
  composer.setClientTarget(display, fake.buffer(), null, 0, []);
  composer.setLayerCompositionType(display, other, 1);
  await fake.shown();
  composer.setClientTarget(display, fake.buffer(), null, 0, [small]);
  await fake.shown();
  assertEquals(numbersOf(fake.commits.at(-1)!.values["30.FB_DAMAGE_CLIPS"]), [1, 2, 30, 40]);
  composer.close();
  assertEquals([fake.kept("blobs"), fake.errors], [0, []]);
});

Deno.test(
  "a colour transform that mixes channels is the card's matrix, and a refused one the client's",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard({ HAS: "CTM,GAMMA_LUT,GAMMA_LUT_SIZE" });
    const { composer, display } = fake;
    opaqueLayer(composer, display, fake.buffer());
    const set = async (matrix: readonly number[]) => {
      composer.setColorTransform(display, matrix, COLOR_TRANSFORM.ARBITRARY_MATRIX);
      const { numTypes } = composer.validateDisplay(display);
      if (numTypes > 0) return undefined;
      await fake.shown();
      const { values } = fake.commits.at(-1)!;
      return { CTM: values["10.CTM"], GAMMA_LUT: values["10.GAMMA_LUT"] };
    };
    const grey = [0.5, 0.25, 1, 0, -0.5, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1], one = 2 ** 32;
    const mixed = await set(grey);
    // The kernel's matrix is for columns, with the sign in the topmost bit of 64.
    const words = hexOf(mixed!.CTM).match(/.{16}/g)!.map((hex) => BigInt(`0x${hex.match(/../g)!.reverse().join("")}`));
    const sign = 1n << 63n,
      numbers = words.map((word) => word & sign ? -Number(word & ~sign) / one : Number(word) / one);
    assertEquals(numbers, [0.5, -0.5, 0, 0.25, 0, 0, 1, 0, 2]);
    assertEquals(mixed!.GAMMA_LUT, "0");
    const inverted = await set([-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 1, 1, 1, 1]);
    assertEquals([inverted!.CTM, hexOf(inverted!.GAMMA_LUT).slice(0, 16)], ["0", "ffffffffffff0000"]);
    assertEquals(await set([0.5, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0, 0, 1]), undefined, "an offset and a mix");
  },
);

Deno.test("what planes scale is asked of the kernel, and explain() tells the limits", ON_FAKE, async () => {
  await using fake = new FakeCard({ SCALE: "50:400", PLANES: "2" });
  const { composer, display } = fake, tests = () => fake.commits.filter(({ flags }) => flags & COMMIT.TEST_ONLY).length;
  opaqueLayer(composer, display, fake.buffer());
  await fake.shown();
  assertEquals([tests(), composer.planes(display).planes[1].scaling], [1, undefined], "nobody asked");
  const zoomed = opaqueLayer(composer, display, fake.buffer(64, 48), {
    frame: { left: 0, top: 0, right: 192, bottom: 144 },
    z: 1,
  });
  composer.setLayerSourceCrop(display, zoomed, { left: 0, top: 0, right: 64, bottom: 48 });
  await fake.shown();
  assertEquals(composer.plan(display)!.stack.map(({ plane }) => plane), ["primary", "overlay1"]);
  assertEquals(composer.planes(display).planes.map(({ scaling }) => scaling), Array(3).fill({ min: 0.5, max: 4 }));
  const { values } = fake.commits.at(-1)!;
  assertEquals([values["31.CRTC_W"], values["31.SRC_W"]], ["192", `${64 << 16}`]);
  const before = tests();
  composer.setLayerDisplayFrame(display, zoomed, { left: 0, top: 0, right: 320, bottom: 240 });
  assertEquals(composer.validateDisplay(display).numTypes, 1);
  const text = explainText(composer.plan(display)!.explain());
  assert(/scales by 0\.5 to 4, not by 5 and 5/.test(text), text);
  assert(tests() <= before + 1, "what a plane scales is asked once");
  assertEquals(fake.errors, []);
});

Deno.test("a card whose planes do not scale says so, after few questions", ON_FAKE, async () => {
  await using fake = new FakeCard({ PLANES: "1" });
  const { composer, display } = fake;
  opaqueLayer(composer, display, fake.buffer());
  const frame = { left: 0, top: 0, right: 128, bottom: 96 };
  const zoomed = opaqueLayer(composer, display, fake.buffer(64, 48), { frame, z: 1 });
  composer.setLayerSourceCrop(display, zoomed, { left: 0, top: 0, right: 64, bottom: 48 });
  composer.validateDisplay(display);
  const text = explainText(composer.plan(display)!.explain());
  assert(/overlay1 cannot scale/.test(text) || /cannot scale/.test(text), text);
  assertEquals(fake.commits.length, 2 * 2 + 1, "two questions a plane, and the plan");
});

Deno.test("frames come when they are ready where that is wanted and the display can", ON_FAKE, async () => {
  const enabled = async (HAS: string | undefined, variableRefresh: boolean) => {
    await using fake = new FakeCard({ HAS }, { variableRefresh });
    opaqueLayer(fake.composer, fake.display, fake.buffer());
    await fake.shown();
    return fake.commits.at(-1)!.values["10.VRR_ENABLED"];
  };
  assertEquals(await enabled("VRR_ENABLED,vrr_capable", true), "1");
  assertEquals(await enabled("VRR_ENABLED,vrr_capable", false), "0");
  assertEquals(await enabled("VRR_ENABLED", true), "0", "a display with fixed times");
  assertEquals(await enabled(undefined, true), undefined);
});

Deno.test("a display that agrees to content protection has the capability, and loses it again", ON_FAKE, async () => {
  await using fake = new FakeCard({ HAS: "Content Protection,HDCP Content Type" }, { contentProtection: true });
  const { composer, display } = fake, refreshed: bigint[] = [];
  const can = () => composer.getDisplayCapabilities(display).includes(DISPLAY_CAPABILITY.PROTECTED_CONTENTS);
  composer.registerCallback(CALLBACK.REFRESH, (id) => void refreshed.push(id));
  opaqueLayer(composer, display, fake.buffer());
  await fake.shown();
  const { values } = fake.commits.at(-1)!;
  assertEquals([values["20.Content Protection"], values["20.HDCP Content Type"], can()], ["1", "0", false]);
  for (const HDCP of ["1", "0"]) {
    fake.rules = { HAS: "Content Protection,HDCP Content Type", HDCP };
    composer.rescan(); // as the kernel's event would
    assertEquals(can(), HDCP === "1");
    await fake.shown();
  }
  assertEquals([refreshed, fake.errors], [[display, display], []]);
});

Deno.test("a display hears what its picture is, where the card has a word for that", ON_FAKE, async () => {
  {
    await using plain = new FakeCard();
    assertEquals(plain.composer.getSupportedContentTypes(plain.display), []);
  }
  await using fake = new FakeCard({ HAS: "content type" });
  const { composer, display } = fake, { GRAPHICS, PHOTO, CINEMA, GAME, NONE } = CONTENT_TYPE;
  assertEquals(composer.getSupportedContentTypes(display), [GRAPHICS, PHOTO, CINEMA, GAME]);
  opaqueLayer(composer, display, fake.buffer());
  await fake.shown();
  for (const type of [GAME, NONE]) {
    composer.setContentType(display, type);
    await fake.shown();
    const { values, flags } = fake.commits.at(-1)!;
    assertEquals([values["20.content type"], flags & COMMIT.ALLOW_MODESET], [`${type}`, COMMIT.ALLOW_MODESET]);
  }
  await fake.shown();
  assertEquals(fake.commits.at(-1)!.flags & COMMIT.ALLOW_MODESET, 0);
});

Deno.test("HDR is on while all that is shown has one HDR dataspace, with the layer's metadata", ON_FAKE, async () => {
  await using fake = new FakeCard({ HAS: "EDID,HDR_OUTPUT_METADATA,Colorspace" });
  const { composer, display } = fake, { types, ...luminances } = composer.getHdrCapabilities(display);
  assertEquals(types, [HDR.HDR10]);
  assertAlmostEquals(luminances.maxLuminance, 993, 1);
  assertAlmostEquals(luminances.maxAverageLuminance, 400, 1);
  assertAlmostEquals(luminances.minLuminance, 0.103, 0.001);
  const video = opaqueLayer(composer, display, fake.buffer());
  composer.setLayerPerFrameMetadata(display, video, [
    { key: METADATA_KEY.DISPLAY_RED_PRIMARY_X, value: 0.68 },
    { key: METADATA_KEY.WHITE_POINT_Y, value: 0.329 },
    { key: METADATA_KEY.MAX_LUMINANCE, value: 1000 },
    { key: METADATA_KEY.MIN_LUMINANCE, value: 0.005 },
    { key: METADATA_KEY.MAX_FRAME_AVERAGE_LIGHT_LEVEL, value: 400 },
  ]);
  const shown = async () => {
    await fake.shown();
    const { values, flags } = fake.commits.at(-1)!;
    return { blob: values["20.HDR_OUTPUT_METADATA"], space: values["20.Colorspace"], flags };
  };
  assertEquals(await shown().then(({ blob, space }) => [blob, space]), ["0", "0"]);
  composer.setLayerDataspace(display, video, DATASPACE.BT2020_PQ);
  const on = await shown(),
    words = new Uint16Array(numbersOf(on.blob).flatMap((word) => [word & MOST_16, word >>> 16]));
  assertEquals([on.space, on.flags & COMMIT.ALLOW_MODESET], ["2", COMMIT.ALLOW_MODESET]);
  assertEquals([...words], [0, 0, 2, 34000, 0, 0, 0, 0, 0, 0, 16450, 1000, 50, 0, 400, 0]);
  assertEquals((await shown()).flags & COMMIT.ALLOW_MODESET, 0, "nothing changes");
  const menu = opaqueLayer(composer, display, fake.buffer(64, 48), { frame: SMALL, z: 1 });
  composer.setClientTarget(display, fake.buffer(), null, 0, []);
  const off = await shown();
  assertEquals([off.blob, off.space], ["0", "0"], "a layer without HDR is there");
  assert(/cannot convert dataspace/.test(explainText(composer.plan(display)!.explain())));
  composer.destroyLayer(display, menu);
  composer.setLayerCompositionType(display, video, COMPOSITION.DEVICE);
  assertEquals((await shown()).space, "2");
  composer.close();
  assertEquals([fake.kept("blobs"), fake.errors], [0, []]);
});

/** The bytes of a blob in a commit, after its number. */
function hexOf(value: string): string {
  return value.split(":")[1];
}

/** A blob of numbers in 32 bits. */
function numbersOf(blob: string): number[] {
  const bytes = Uint8Array.from(hexOf(blob).match(/../g)!, (hex) => parseInt(hex, 16));
  return [...new Int32Array(bytes.buffer)];
}

Deno.test("modes that the kernel takes without a new mode setting are one group of configs", ON_FAKE, async () => {
  const groups = async (SEAMLESS?: string) => {
    await using fake = new FakeCard({ MODES: "4", SEAMLESS });
    const { composer, display } = fake;
    return composer.getDisplayConfigurations(display).map(({ configGroup }) => configGroup);
  };
  assertEquals(await groups(), [0, 1, 2, 3], "nothing is known of a change");
  assertEquals(await groups("480"), [0, 0, 0, 3], "the mode of another size, which comes last, is alone");
});

Deno.test(
  "a change of the rate within a group needs no dark moment, and another size is refused then",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard({ MODES: "3", SEAMLESS: "480" });
    const { composer, display } = fake, [, slower, small] = composer.getDisplayConfigurations(display);
    opaqueLayer(composer, display, fake.buffer());
    await fake.shown();
    const change = ({ configId }: { readonly configId: number }) => {
      const wish = { desiredTimeNanos: 0n, seamlessRequired: true };
      return composer.setActiveConfigWithConstraints(display, configId, wish);
    };
    assertEquals(assertThrows(() => change(small), HwcError).code, ERROR.SEAMLESS_NOT_ALLOWED);
    change(slower); // at a vsync
    await until(
      "the display has the slower configuration",
      () => composer.getActiveConfig(display) === slower.configId,
    );
    await fake.shown();
    const modes = fake.commits.filter(({ flags }) => !(flags & COMMIT.TEST_ONLY)).map(({ values }) =>
      values["10.MODE_ID"]
    );
    assert(new Set(modes.filter(Boolean)).size === 2, "the other mode is set with a frame");
  },
);
