import { assert, assertEquals, assertThrows } from "@std/assert";
import { explainText } from "../../../loader/driver/report/finding.ts";
import { openCard } from "../../../hwc/kms/card/card.ts";
import { COMMIT } from "../../../hwc/kms/card/commit.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { KmsError } from "../../../hwc/kms/kms_error.ts";
import { CALLBACK, VSYNC } from "../../../hwc/device_types.ts";
import { BLEND, COMPOSITION, TRANSFORM } from "../../../hwc/types.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { openFiles } from "../../support/open_files.ts";
import { colorLayer, opaqueLayer } from "../core/frame.ts";
import { FAKE_LIBDRM, FakeCard, ON_FAKE } from "./fake_card.ts";

const SMALL = { left: 10, top: 20, right: 74, bottom: 68 };

Deno.test(
  "a commit says every property of a plane: place, crop, alpha, blending, rotation, order",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard();
    const { composer, display } = fake;
    opaqueLayer(composer, display, fake.buffer());
    const layer = opaqueLayer(composer, display, fake.buffer(64, 48), { frame: SMALL, z: 1 });
    composer.setLayerPlaneAlpha(display, layer, 0.5);
    composer.setLayerBlendMode(display, layer, BLEND.COVERAGE);
    composer.setLayerTransform(display, layer, TRANSFORM.FLIP_H);
    await fake.shown();
    const { values, flags } = fake.commits.findLast(({ flags }) => !(flags & COMMIT.TEST_ONLY))!;
    assertEquals(flags, COMMIT.NONBLOCK | COMMIT.PAGE_FLIP_EVENT | COMMIT.ALLOW_MODESET);
    assertEquals([values["10.ACTIVE"], values["20.CRTC_ID"]], ["1", "10"]);
    const of = (name: string) => values[`31.${name}`];
    assertEquals(["CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H"].map(of), ["10", "20", "64", "48"]);
    assertEquals(["SRC_X", "SRC_Y", "SRC_W", "SRC_H"].map(of), ["0", "0", `${64 << 16}`, `${48 << 16}`]);
    assertEquals(["alpha", "pixel blend mode", "rotation", "zpos"].map(of), ["32768", "2", "17", "1"]);
    assertEquals([values["32.FB_ID"], values["32.CRTC_ID"]], ["0", "0"]);
    assertEquals(fake.errors, []);
  },
);

Deno.test(
  "a plan that the kernel refuses loses a layer to the client, which says the kernel's reason",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard({ REFUSE: "22:CRTC_X=100" });
    const { composer, display } = fake;
    opaqueLayer(composer, display, fake.buffer());
    const inside = opaqueLayer(composer, display, fake.buffer(64, 48), { frame: SMALL, z: 1 });
    const frame = { left: 200, top: 0, right: 232, bottom: 24 };
    const outside = opaqueLayer(composer, display, fake.buffer(32, 24), { frame, z: 2 });
    for (const [layer, name] of [[inside, "inside"], [outside, "outside"]] as const) {
      composer.nameLayer(display, layer, name);
    }
    const target = fake.buffer();
    composer.validateDisplay(display);
    assertEquals(composer.getChangedCompositionTypes(display), [{ layer: outside, type: 1 }]);
    composer.setClientTarget(display, target, null, 0, []);
    const text = explainText(composer.plan(display)!.explain());
    assert(/outside .*the client composes it: the kernel refuses: EINVAL \(22\)/.test(text), text);
    assert(/inside .*shows it/.test(text), text);
    await fake.shown();
    assertEquals(fake.commits.filter(({ result, flags }) => result !== 0 && !(flags & COMMIT.TEST_ONLY)), []);
    const tests = () => fake.commits.filter(({ flags }) => flags & COMMIT.TEST_ONLY).length, before = tests();
    for (let frames = 0; frames < 10; frames++) await fake.shown();
    assertEquals(tests(), before, "the kernel's answers are remembered");
  },
);

Deno.test("a refusal of the moment is asked about again, and one that lasts is not", ON_FAKE, async () => {
  for (const [errno, lasts] of [[13, false], [12, false], [22, true]] as const) {
    await using fake = new FakeCard();
    const { composer, display } = fake;
    const layer = opaqueLayer(composer, display, fake.buffer());
    fake.rules = { REFUSE: `${errno}:FB_ID=1` };
    assertEquals(composer.validateDisplay(display).numTypes, 1, `errno ${errno}`);
    fake.rules = {};
    composer.setLayerBuffer(display, layer, fake.buffer(), null);
    assertEquals(composer.validateDisplay(display).numTypes, lasts ? 1 : 0, `errno ${errno}`);
  }
});

Deno.test(
  "a frame with other pictures alone names them alone, and has the plan of the one before",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard();
    const { composer, display } = fake, back = opaqueLayer(composer, display, fake.buffer());
    const front = opaqueLayer(composer, display, fake.buffer(64, 48), { frame: SMALL, z: 1 });
    await fake.shown();
    const buffer = fake.buffer(64, 48);
    composer.setLayerBuffer(display, front, buffer, null);
    await fake.shown();
    const { decisions, stack } = composer.plan(display)!, last = () => Object.keys(fake.commits.at(-1)!.values);
    assertEquals(decisions[1].layer.buffer, buffer);
    assertEquals(stack.map(({ plane, layer }) => [plane, layer]), [["primary", 0], ["overlay1", 1]]);
    assertEquals(last(), ["30.FB_ID", "31.FB_ID", "10.OUT_FENCE_PTR"]);
    composer.setLayerDisplayFrame(display, front, { ...SMALL, left: 11, right: 75 });
    await fake.shown();
    assertEquals(last(), ["30.FB_ID", "31.FB_ID", "31.CRTC_X", "10.OUT_FENCE_PTR"]);
    composer.setLayerZOrder(display, back, 2);
    await fake.shown();
    assertEquals(composer.plan(display)!.stack.map(({ layer }) => layer), [0]); // the other one is hidden
    assertEquals(last().filter((name) => name.startsWith("31.")), ["31.FB_ID", "31.CRTC_ID"]);
  },
);

Deno.test("a busy card gets the frame again, and the client hears nothing", ON_FAKE, async () => {
  await using fake = new FakeCard({ BUSY: "3" });
  opaqueLayer(fake.composer, fake.display, fake.buffer());
  for (let frames = 0; frames < 12; frames++) await fake.shown();
  assert(fake.commits.some(({ result }) => result === -16));
  assertEquals(fake.errors, []);
  assertEquals(fake.composer.statistics(fake.display).shown, 12);
});

Deno.test(
  "a frame that the kernel refuses after all is told, counts as shown, and the next says everything",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard();
    opaqueLayer(fake.composer, fake.display, fake.buffer());
    await fake.shown();
    fake.rules = { REFUSE: "22:FB_ID=1" };
    await fake.shown();
    assertEquals(fake.errors.map(({ code }) => code), ["refused"]);
    assert(/Cannot show a frame on Fake-1: EINVAL/.test(fake.errors[0].message), fake.errors[0].message);
    fake.rules = {};
    await fake.shown();
    assertEquals(fake.commits.at(-1)!.values["10.ACTIVE"], "1");
    assertEquals(fake.errors.length, 1);
  },
);

Deno.test("3,000 frames leave no framebuffers, blobs or files behind", ON_FAKE, async () => {
  const round = async (frames: number) => {
    await using fake = new FakeCard();
    const { composer, display } = fake, buffers = [fake.buffer(), fake.buffer(), fake.buffer()];
    const layer = opaqueLayer(composer, display, buffers[0]);
    for (let frame = 0; frame < frames; frame++) {
      composer.setLayerBuffer(display, layer, buffers[frame % 3], null);
      await fake.shown();
      assert(fake.kept("framebuffers") <= 4, `${fake.kept("framebuffers")} framebuffers`);
    }
    assertEquals(composer.statistics(display).shown, frames);
    composer.close();
    assertEquals([fake.kept("framebuffers"), fake.kept("blobs")], [0, 0]);
  };
  await round(2);
  const before = openFiles();
  await round(3000);
  assertEquals(openFiles(), before);
});

Deno.test("a fence that the kernel does not know is waited for, and never given to the kernel", ON_FAKE, async () => {
  await using fake = new FakeCard();
  const { composer, display } = fake, layer = opaqueLayer(composer, display, fake.buffer());
  await fake.shown();
  const commits = () => fake.commits.filter(({ flags }) => !(flags & COMMIT.TEST_ONLY)), before = commits().length;
  const { fence: acquire, signal } = NativeFence.create();
  composer.setLayerBuffer(display, layer, fake.buffer(), acquire);
  using fence = fake.present();
  assertEquals([fence.poll(), commits().length], [false, before]);
  setTimeout(signal, 20);
  await fence.ready();
  assertEquals([commits().length, composer.statistics(display).shown], [before + 1, 2]);
  assert(commits().every(({ values }) => values["10.OUT_FENCE_PTR"] !== undefined));
  assert(commits().every(({ values }) => values["30.IN_FENCE_FD"] === undefined));
});

Deno.test("the kernel's fence of a flip is the present fence and the release fence", ON_FAKE, async () => {
  await using fake = new FakeCard();
  const { composer, display } = fake, layer = opaqueLayer(composer, display, fake.buffer());
  await fake.shown();
  composer.setLayerBuffer(display, layer, fake.buffer(), null);
  using fence = fake.present();
  const [{ fence: release }] = composer.getReleaseFences(display);
  assertEquals([fence.kind, release.kind], ["eventfd", "eventfd"]); // what this card gives
  assertEquals([fence.wait(0), release.wait(0)], [true, true]);
  release.close();
  assertEquals(composer.statistics(display).shown, 2);
});

Deno.test("a flip that is read with a vsync is told, though nobody asks", ON_FAKE, async () => {
  await using fake = new FakeCard({ VSYNCS: "4" });
  const { composer, display } = fake, flipped = Promise.withResolvers<boolean>();
  opaqueLayer(composer, display, fake.buffer());
  await fake.shown();
  assertEquals(composer.statistics(display).shown, 1);
  composer.onFlip(() => flipped.resolve(true));
  const limit = setTimeout(() => flipped.resolve(false), 5000);
  let isFirst = true;
  composer.registerCallback(CALLBACK.VSYNC_2_4, () => {
    if (isFirst) fake.present().close();
    isFirst = false;
  });
  composer.setVsyncEnabled(display, VSYNC.ENABLE);
  assert(await flipped.promise, "the flip was not told");
  clearTimeout(limit);
  composer.setVsyncEnabled(display, VSYNC.DISABLE);
});

Deno.test("cards that cannot be opened are told", () => {
  const missing = assertThrows(() => openCard({ path: "/dev/dri/card63" }), KmsError);
  assertEquals(missing.code, "no-card");
  const library = assertThrows(() => openCard({ path: "/dev/null", libdrm: "libdrm-of-nobody.so.9" }), KmsError);
  assertEquals(library.code, "missing-library");
  assert(library.message.includes("libdrm2"), library.message);
});

Deno.test("a folder is no card, and is told with the error's name", ON_FAKE, () => {
  const folder = assertThrows(() => openCard({ path: "/dev", libdrm: FAKE_LIBDRM! }), KmsError);
  assertEquals(folder.message, "Cannot open /dev: EISDIR (21)");
});

Deno.test(
  "a colour of which the card makes no picture is the client's alone, and is tried again",
  ON_FAKE,
  async () => {
    await using fake = new FakeCard();
    const { composer, display } = fake, frame = { left: 100, top: 0, right: 300, bottom: 200 };
    opaqueLayer(composer, display, fake.buffer());
    opaqueLayer(composer, display, fake.buffer(64, 48), { frame: SMALL, z: 1 });
    const color = colorLayer(composer, display, { r: 255, g: 0, b: 0, a: 255 }, frame, 2);
    for (let turn = 0; turn < 2; turn++) {
      composer.setLayerCompositionType(display, color, COMPOSITION.SOLID_COLOR); // the client agreed to compose it
      composer.validateDisplay(display);
      assertEquals(composer.getChangedCompositionTypes(display), [{ layer: color, type: 1 }]);
      composer.setClientTarget(display, fake.buffer(), null, 0, []);
      await fake.shown();
    }
    const text = explainText(composer.plan(display)!.explain());
    assert(text.includes("the client composes it: the card makes no picture of its colour"), text);
    assertEquals(fake.errors, []);
  },
);

Deno.test("a card that is closed closes its composer first, which then says so", ON_FAKE, async () => {
  const before = openFiles(), fake = new FakeCard(), { composer, display } = fake;
  opaqueLayer(composer, display, fake.buffer());
  await fake.shown();
  assertThrows(() => composer.setStrategy(display, undefined as never), HwcError, "leastGpuWork()");
  composer.card.close();
  composer.card.close();
  assertThrows(() => composer.validateDisplay(display), HwcError, "the composer is closed");
  assertThrows(() => composer.rescan(), KmsError, "the card is closed");
  assertThrows(() => composer.createVirtualDisplay(64, 48, 1), HwcError, "the composer is closed");
  assertEquals([fake.kept("framebuffers"), fake.kept("blobs")], [0, 0]);
  await fake[Symbol.asyncDispose]();
  assertEquals([openFiles(), fake.errors], [before, []]);
});
