import { assert, assertEquals, assertThrows } from "@std/assert";
import { COMPOSITION } from "../../../../hwc/types.ts";
import { POWER_MODE } from "../../../../hwc/device_types.ts";
import { openCard } from "../../../../hwc/kms/card/card.ts";
import { createKmsComposer } from "../../../../hwc/kms/create_kms_composer.ts";
import { KmsError } from "../../../../hwc/kms/kms_error.ts";
import { openDescriptors } from "../../../support/open_files.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { connectScreen, consoleShown, LONG, ON_CARDS, SIZE, switchTo, Vkms } from "./on_vkms.ts";
import { until } from "../../../support/until.ts";

const BLUE = 0xffff0000, WHITE = 0xffffffff;

Deno.test("openCard() finds a card by its driver, and says which there are", ON_CARDS, () => {
  using card = openCard({ driver: "vkms" });
  assertEquals(card.driver, "vkms");
  assert(card.connectors.some(({ name, isConnected }) => name === "Virtual-1" && isConnected));
  assertEquals(card.planes.filter(({ type }) => type === "overlay").length, 8);
  const error = assertThrows(() => openCard({ driver: "i915" }), KmsError);
  assertEquals(error.code, "no-card");
  assert(/the driver "vkms".*the driver "virtio_gpu"/.test(error.message), error.message);
  assertThrows(() => openCard({ driver: "vgem" }), KmsError, "cannot set modes");
  assertThrows(() => openCard({ path: "/dev/null" }), KmsError, "Cannot open /dev/null: it is no card");
});

Deno.test("a display that is turned off and on again shows the next frame, 100 times", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms;
  opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
  for (let round = 0; round < 100; round++) {
    composer.setPowerMode(display, POWER_MODE.OFF);
    composer.setPowerMode(display, POWER_MODE.ON);
    const fence = vkms.present();
    await fence.ready();
    fence.close();
  }
  assertEquals((await vkms.shown()).every((pixel) => pixel === BLUE), true);
  assertEquals(vkms.errors, []);
});

Deno.test("a connector that goes and comes 100 times is told while frames go on", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms, seen: boolean[] = [];
  opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => WHITE));
  composer.onHotplug((_display, isThere) => seen.push(isThere));
  for (let round = 0; round < 100; round++) {
    for (const [status, isThere] of [["off", false], ["on", true]] as const) {
      connectScreen(status);
      await until("the display comes or goes", () => seen.at(-1) === isThere);
    }
    const config = composer.getDisplayConfigurations(display).find(({ width }) => width === SIZE.width)!;
    composer.setActiveConfig(display, config.configId);
    const fence = vkms.present();
    await fence.ready();
    fence.close();
  }
  assertEquals(vkms.errors, []);
});

Deno.test("a display changes its mode 30 times amid its frames, and shows each at its size", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms, configs = composer.getDisplayConfigurations(display);
  const small = configs.filter(({ width, height }) => width * height <= 1024 * 768).slice(0, 3);
  assert(small.length >= 2, `${small.length} small modes`);
  const layer = opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => WHITE));
  const buffers = small.map(({ width, height }) => vkms.buffer(width, height, () => BLUE));
  const fences = [];
  for (let round = 0; round < 30; round++) {
    const at = round % small.length, { width, height, configId } = small[at], screen = rect(width, height);
    composer.setActiveConfig(display, configId);
    composer.setLayerBuffer(display, layer, buffers[at], null);
    composer.setLayerSourceCrop(display, layer, screen);
    composer.setLayerDisplayFrame(display, layer, screen);
    for (let frame = 0; frame < 2; frame++) fences.push(vkms.present()); // the second is behind the first
    await fences.at(-1)!.ready();
    assertEquals(Deno.readTextFileSync("/sys/kernel/debug/dri/0/state").includes(`"${width}x${height}"`), true);
  }
  for (const fence of fences) {
    assert(fence.poll(), fence.describe());
    fence.close();
  }
  assertEquals(vkms.errors, []);
});

Deno.test(
  "a composer whose master is taken says so, and shows frames again when master is back",
  ON_CARDS,
  async () => {
    await using vkms = new Vkms();
    const { composer, display } = vkms;
    opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
    await vkms.shown();
    composer.card.dropMaster();
    {
      using other = openCard({ driver: "vkms" });
      other.takeMaster();
      const fence = vkms.present();
      await fence.ready();
      fence.close();
      assertEquals(vkms.errors.map(({ code }) => code), ["not-master"]);
      assertThrows(() => createKmsComposer({ card: { driver: "vkms" } }), KmsError, "another program does");
    }
    vkms.errors.length = 0;
    composer.card.takeMaster();
    assertEquals((await vkms.shown()).every((pixel) => pixel === BLUE), true);
    assertEquals(vkms.errors, []);
  },
);

Deno.test(
  "a program that is killed amid its frames leaves a card on which the next one shows frames, and its console",
  ON_CARDS,
  async () => {
    for (let round = 0; round < (LONG ? 10 : 1); round++) {
      const program = new URL("programs/frames.ts", import.meta.url).pathname;
      const args = ["run", "-A", "--no-check", "--import-map=tools/offline_import_map.json", program];
      const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn(),
        reader = child.stdout.getReader();
      const { value } = await reader.read();
      assert(new TextDecoder().decode(value).includes("shows frames"));
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
      const console = consoleShown();
      await switchTo("9"); // the kernel asks nobody, who is dead
      assertEquals(consoleShown(), "/dev/tty9");
      await switchTo(console.replace("/dev/tty", ""));
      await using vkms = new Vkms();
      opaqueLayer(vkms.composer, vkms.display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
      assertEquals((await vkms.shown()).every((pixel) => pixel === BLUE), true);
      assertEquals(vkms.errors, []);
    }
  },
);

Deno.test("two composers show frames on two cards, of which one reads no memory but its own", ON_CARDS, async () => {
  await using one = new Vkms(), other = new Vkms("virtio_gpu");
  opaqueLayer(one.composer, one.display, one.buffer(SIZE.width, SIZE.height, () => BLUE));
  const { width, height } = other.composer.getDisplayConfigurations(other.display)[other.config];
  const layer = opaqueLayer(other.composer, other.display, other.buffer(width, height, () => WHITE));
  other.composer.setClientTarget(other.display, other.buffer(width, height, () => WHITE), null, 0, []);
  for (let frame = 0; frame < 3; frame++) {
    const fences = [one.present(), other.present()];
    for (const fence of fences) {
      await fence.ready();
      fence.close();
    }
    if (frame === 0) {
      const [{ reason }] = other.composer.plan(other.display)!.explain();
      assert(/is no memory that the card reads: ENODEV/.test(reason), reason);
    }
    other.composer.setLayerCompositionType(other.display, layer, COMPOSITION.DEVICE);
  }
  assertEquals(other.composer.statistics(other.display).shown, 3);
  assertEquals([one.errors, other.errors], [[], []]);
});

Deno.test("composers leave no files, framebuffers or blobs behind", ON_CARDS, async () => {
  const round = async () => {
    await using vkms = new Vkms();
    opaqueLayer(vkms.composer, vkms.display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
    await vkms.shown();
  };
  await round();
  const before = openDescriptors().length;
  for (let rounds = 0; rounds < 5; rounds++) await round();
  assertEquals(openDescriptors().length, before);
  const state = Deno.readTextFileSync("/sys/kernel/debug/dri/0/framebuffer");
  assertEquals(state.trim(), "");
});

function rect(right: number, bottom: number) {
  return { left: 0, top: 0, right, bottom };
}
