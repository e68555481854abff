import { assert, assertEquals, assertThrows } from "@std/assert";
import { CALLBACK } from "../../../../hwc/device_types.ts";
import { openCard } from "../../../../hwc/kms/card/card.ts";
import { createKmsComposer } from "../../../../hwc/kms/create_kms_composer.ts";
import { KmsError } from "../../../../hwc/kms/kms_error.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { consoleShown, ON_CARDS, SIZE, switchTo, Vkms } from "./on_vkms.ts";

const BLUE = 0xffff0000;

Deno.test(
  "the card is another program's while another console is shown, and shows frames again after",
  ON_CARDS,
  async () => {
    await using vkms = new Vkms("vkms", { console: consoleShown() });
    const { composer, display } = vkms, own = consoleShown();
    const refreshed = Promise.withResolvers<void>();
    composer.registerCallback(CALLBACK.REFRESH, () => refreshed.resolve());
    opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
    await vkms.shown();
    const other = own === "/dev/tty2" ? "3" : "2";
    await switchTo(other);
    assertEquals([consoleShown(), composer.card.isMaster], [`/dev/tty${other}`, false]);
    {
      using card = openCard({ driver: "vkms" });
      card.takeMaster();
      const before = composer.statistics(display).shown;
      using fence = vkms.present();
      await fence.ready();
      assertEquals(composer.statistics(display).shown, before + 1, "a frame that nobody sees counts as shown");
    }
    await switchTo(own.replace("/dev/tty", ""));
    await refreshed.promise;
    assertEquals([consoleShown(), composer.card.isMaster], [own, true]);
    assert((await vkms.shown()).every((pixel) => pixel === BLUE));
    assertEquals(vkms.errors, []);
  },
);

Deno.test("a console that is none, or that there is not, is refused by name", ON_CARDS, () => {
  for (const path of ["/dev/null", "/dev/tty999"]) {
    const error = assertThrows(() => createKmsComposer({ card: { driver: "vkms" }, console: path }), KmsError, path);
    assertEquals(error.code, "unsupported");
  }
  using composer = createKmsComposer({ card: { driver: "vkms" } });
  assert(composer.card.isMaster, "the card was closed after the error");
});
