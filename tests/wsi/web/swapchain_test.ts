import { assertEquals } from "@std/assert";
import { chromiumPath, lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { closeFenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { webViewer } from "../../../wsi/web/web_viewer.ts";
import { Browser } from "../../support/browser.ts";
import { needs } from "../../support/require.ts";
import { Presenter, Stage } from "../swapchain/presenter.ts";
import { PageClient } from "./page_client.ts";

const SIZE = { width: 61, height: 37 };

for (const [name, driver] of [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  Deno.test(
    `webViewer() shows what a driver draws into a swapchain, without a copy (${name})`,
    needs(name, driver),
    async () => {
      await using viewer = webViewer();
      using stage = new Stage({ driver: driver!, window: { ...SIZE, consumer: viewer } });
      using presenter = new Presenter(stage);
      await using page = await PageClient.connect(viewer.url);
      await page.next("hello");
      for (let frame = 1; frame <= 4; frame++) {
        presenter.frame([frame / 5, 0, 1, 0]);
        const { number, pixels, stride } = await page.show();
        const last = 4 * (36 * stride + 60);
        assertEquals([number, ...pixels.slice(last, last + 4)], [frame, 51 * frame, 0, 255, 0]);
      }
      // A loop that never lets the browser's messages in, with more frames than buffers.
      for (let frame = 5; frame <= 40; frame++) presenter.frame([0, 1, 0, 1]);
      for (let number = 0; number < 40;) ({ number } = await page.show());
      assertEquals([stage.window.statistics.copies, viewer.statistics().copies], [0, 0]);
      closeFenceWorker();
    },
  );
}

const both = chromiumPath() && lavapipePath();
Deno.test(
  "the viewer's page shows what a driver draws into a swapchain",
  needs("Chromium and lavapipe", both),
  async () => {
    await using browser = await Browser.start();
    await using viewer = webViewer();
    using stage = new Stage({ driver: lavapipePath()!, window: { ...SIZE, consumer: viewer } });
    using presenter = new Presenter(stage);
    const page = await browser.open(viewer.url);
    for (let frame = 1; frame <= 3; frame++) {
      presenter.frame([0, frame / 5, 1, 0]);
      await page.until(`document.querySelector(".number")?.textContent === "${frame}"`);
      const pixel = `[...document.querySelector(".frame").getContext("2d").getImageData(60, 36, 1, 1).data]`;
      assertEquals(await page.evaluate(pixel), [0, 51 * frame, 255, 255]);
    }
    closeFenceWorker();
  },
);
