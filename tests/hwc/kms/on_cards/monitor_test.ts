import { assert, assertEquals } from "@std/assert";
import { CALLBACK, CONNECTION } from "../../../../hwc/device_types.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { Monitor } from "./monitor.ts";
import { ON_CARDS, Vkms } from "./on_vkms.ts";

/** The number of changes of the screen to another one; every so many changes it is gone in between. */
const CHANGES = 100, GONE = 10;
const SIZES = [[640, 480], [800, 600]] as const;
const WHITE = 0xffffffff;
/** The virtual machine has a monitor only if this file is named: `deno task test:vm tests/hwc/kms/on_cards/monitor_test.ts`. */
const WITH_MONITOR = { ignore: ON_CARDS.ignore || Deno.env.get("PUMICE_VM_MONITOR") !== "1" };

Deno.test(
  "the machine's monitor becomes another one amid frames, and is told with its modes",
  WITH_MONITOR,
  async () => {
    await using vkms = new Vkms("virtio_gpu");
    using monitor = await Monitor.open();
    const { composer, display } = vkms, seen: boolean[] = [], called: number[] = [];
    composer.registerCallback(CALLBACK.HOTPLUG, (_display, connection) => void called.push(connection));
    composer.onHotplug((_display, isThere) => void seen.push(isThere));
    const buffers = SIZES.map(([width, height]) => vkms.buffer(width, height, () => WHITE));
    const layer = opaqueLayer(composer, display, buffers[0]);
    const before = called.length;
    for (let change = 1; change <= CHANGES; change++) {
      const at = change % SIZES.length,
        [width, height] = SIZES[at],
        rect = { left: 0, top: 0, right: width, bottom: height };
      if (change % GONE === 0) {
        await monitor.resize(0, 0);
        await until(seen, false);
      }
      await monitor.resize(width, height);
      await until(seen, true);
      const [{ width: across, height: down }] = composer.getDisplayConfigurations(display);
      assertEquals([across, down], [width, height], `change ${change}`);
      composer.setLayerBuffer(display, layer, buffers[at], null);
      composer.setLayerSourceCrop(display, layer, rect);
      composer.setLayerDisplayFrame(display, layer, rect);
      composer.setClientTarget(display, buffers[at], null, 0, [rect]);
      using fence = vkms.present();
      await fence.ready();
    }
    assertEquals(called.slice(before), Array(CHANGES).fill(CONNECTION.CONNECTED));
    assertEquals([composer.statistics(display).shown, vkms.errors], [CHANGES, []]);
  },
);

/** Waits until the newest thing that was seen is this, and forgets what was seen. */
async function until(seen: boolean[], wanted: boolean): Promise<void> {
  for (let tries = 0; seen.at(-1) !== wanted && tries < 1000; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert(seen.splice(0).at(-1) === wanted, `${wanted ? "a connection" : "no connection"} was not told`);
}
