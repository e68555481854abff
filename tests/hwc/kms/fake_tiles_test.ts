import { assertEquals, assertStringIncludes } from "@std/assert";
import { explainText } from "../../../loader/driver/report/finding.ts";
import { COMMIT } from "../../../hwc/kms/card/commit.ts";
import { openCard } from "../../../hwc/kms/card/card.ts";
import { COMPOSITION, FORMAT } from "../../../hwc/types.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { fourcc } from "../../../wsi/buffer/hal_format.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { withFolder } from "../../support/temporary.ts";
import { run } from "../../support/subprocess.ts";
import { allocateTiled, NVIDIA_LAYOUT } from "../../wsi/buffer/tiled.ts";
import { opaqueLayer } from "../core/frame.ts";
import { FAKE_LIBDRM, FakeCard, ON_FAKE } from "./fake_card.ts";

const X_TILES = MODIFIER.I915_X_TILED;
const USE = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.COMPOSER_OVERLAY;
const PLACES = [10, 200, 400].map((left) => ({ left, top: 20, right: left + 64, bottom: 68 }));

function tiles(modifier: bigint, format: number = FORMAT.RGBA_8888): GraphicBuffer {
  return allocateTiled({ width: 64, height: 48, format, usage: USE }, modifier);
}

/** The reasons of a frame's plan. */
function explained(fake: FakeCard): string {
  return explainText(fake.composer.plan(fake.display)!.explain());
}

/** The last frame that the card showed. */
function lastShown(fake: FakeCard): Readonly<Record<string, string>> {
  return fake.commits.findLast(({ flags }) => !(flags & COMMIT.TEST_ONLY))!.values;
}

Deno.test(
  "planes read tiles as their IN_FORMATS says, and framebuffers have the buffers' modifiers",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard({ HAS: "IN_FORMATS", TILES: "1" });
    using buffer = tiles(X_TILES);
    const { composer, display } = fake;
    opaqueLayer(composer, display, fake.buffer());
    opaqueLayer(composer, display, buffer, { frame: PLACES[0], z: 1 });
    await fake.shown();
    const values = lastShown(fake), of = (plane: number) => fake.modifierOf(Number(values[`${plane}.FB_ID`]));
    assertEquals([of(30), of(31), values["32.FB_ID"]], [MODIFIER.LINEAR, X_TILES, "0"]);
    const [primary, overlay1, overlay2] = composer.planes(display).planes;
    assertEquals([primary.modifiers, overlay2.modifiers], [{}, {}]);
    assertEquals(overlay1.modifiers![FORMAT.RGBA_8888], [MODIFIER.LINEAR, X_TILES]);
    assertEquals(overlay1.modifiers![FORMAT.BGRA_8888], [MODIFIER.LINEAR, X_TILES]);
    assertEquals(overlay1.modifiers![FORMAT.RGB_565], undefined);
    assertEquals(fake.errors, []);
  },
);

Deno.test("tiles that no free plane reads go to the client, and the plan says why", ON_FAKE, async () => {
  await using fake = new FakeCard({ HAS: "IN_FORMATS", TILES: "1" });
  const { composer, display } = fake, buffers = [1, 2].map(() => tiles(X_TILES));
  opaqueLayer(composer, display, fake.buffer());
  const layers = buffers.map((buffer, index) =>
    opaqueLayer(composer, display, buffer, { frame: PLACES[index], z: 1 + index })
  );
  layers.forEach((layer, index) => composer.nameLayer(display, layer, `tiles${index}`));
  composer.validateDisplay(display);
  const changed = composer.getChangedCompositionTypes(display);
  assertEquals(changed.map(({ type }) => type), [COMPOSITION.CLIENT]);
  assertStringIncludes(explained(fake), "the client composes it: the planes that could show it are taken");
  const { planes } = composer.plan(display)!.explain()[2], words = "cannot read RGBA_8888 in Intel's X tiles";
  assertEquals(planes.filter(({ why }) => why === words).map(({ plane }) => plane), [
    "primary",
    "overlay2",
    "overlay3",
  ]);
  composer.setClientTarget(display, fake.buffer(), null, 0, []);
  await fake.shown();
  assertEquals(fake.errors, []);
  for (const each of buffers) each.close();
});

Deno.test(
  "tiles that the card knows nothing of go to the client, in words, as do those of other drivers",
  ON_FAKE,
  async () => {
    const named = [[X_TILES, "Intel's X tiles"], [NVIDIA_LAYOUT, "NVIDIA's layout 0x300000000606010"], [
      MODIFIER.INVALID,
      "a layout that only its driver knows",
    ]] as const;
    for (const [modifier, words] of named) {
      for (const rules of [{}, { HAS: "IN_FORMATS" }]) {
        await using fake = new FakeCard(rules);
        using buffer = tiles(modifier);
        const { composer, display } = fake, layer = opaqueLayer(composer, display, buffer, { frame: PLACES[0] });
        composer.validateDisplay(display);
        assertEquals(composer.getChangedCompositionTypes(display), [{ layer, type: COMPOSITION.CLIENT }]);
        assertStringIncludes(explained(fake), `buffer ${buffer.id} lies in ${words}, which no plane of the card reads`);
      }
    }
  },
);

Deno.test("a layer whose buffers change between rows and tiles is planned anew", ON_FAKE, async () => {
  await using fake = new FakeCard({ HAS: "IN_FORMATS", TILES: "1", PLANES: "2" });
  using tiled = tiles(X_TILES), other = tiles(NVIDIA_LAYOUT);
  const { composer, display } = fake, types: number[] = [];
  opaqueLayer(composer, display, fake.buffer());
  const layer = opaqueLayer(composer, display, tiled, { frame: PLACES[0], z: 1 });
  composer.setClientTarget(display, fake.buffer(), null, 0, []);
  for (const buffer of [tiled, fake.buffer(64, 48), other, tiled]) {
    composer.setLayerBuffer(display, layer, buffer, null);
    types.push(composer.validateDisplay(display).numTypes);
    await fake.shown();
  }
  assertEquals([types, fake.errors], [[0, 0, 1, 0], []]);
});

Deno.test("a client's picture in tiles that no plane reads is refused in words", ON_FAKE, async () => {
  for (const [modifier, why] of [[X_TILES, "Intel's X tiles"], [NVIDIA_LAYOUT, "NVIDIA's layout"]] as const) {
    await using fake = new FakeCard();
    using target = allocateTiled({ width: 640, height: 480, format: FORMAT.RGBA_8888, usage: USE }, modifier);
    const { composer, display } = fake, layer = opaqueLayer(composer, display, fake.buffer());
    composer.setLayerCompositionType(display, layer, COMPOSITION.CLIENT);
    composer.setClientTarget(display, target, null, 0, []);
    await fake.shown();
    assertEquals(fake.errors.length, 1); // the fake card makes no buffers for copies
    assertStringIncludes(fake.errors[0].message, `lies in ${why}`);
  }
});

Deno.test("openCard() tells the modifiers of each plane's formats", ON_FAKE, () =>
  withFolder((folder) => {
    run("mkfifo", [`${folder}/card`]);
    Deno.env.set("FAKE_DRM_HAS", "IN_FORMATS");
    Deno.env.set("FAKE_DRM_TILES", "2");
    try {
      using card = openCard({ path: `${folder}/card`, libdrm: FAKE_LIBDRM! });
      const [primary, overlay] = card.planes, codes = ["AB24", "XB24", "AR24", "XR24", "RG16", "YV12"].map(fourcc);
      assertEquals([...primary.modifiers], codes.map((code) => [code, [MODIFIER.LINEAR]]));
      assertEquals(
        [...overlay.modifiers],
        codes.map((code, index) => [code, index < 4 ? [MODIFIER.LINEAR, X_TILES] : [MODIFIER.LINEAR]]),
      );
      assertEquals(overlay.formats, codes);
    } finally {
      for (const name of ["HAS", "TILES"]) Deno.env.delete(`FAKE_DRM_${name}`);
    }
  }));
