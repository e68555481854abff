import "../../support/warm_loader.ts";
import { assertEquals } from "@std/assert";
import { nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { needs } from "../../support/require.ts";
import { draw, DRIVERS, openBench, openCanvas, type Picture, wrongPixels } from "./drawing.ts";

const PICTURE: Picture = {
  rect: { x: 10, y: 5, width: 20, height: 9 },
  color: [1, 0, 0, 1],
  ground: [0, 1, 1, 1],
};

for (const [name, driver] of DRIVERS) {
  Deno.test(`nativeBufferAdaptor() has ${name} draw into the memory of a buffer`, needs(name, driver), () => {
    using bench = openBench(nativeBufferAdaptor(), { driver: driver! });
    const { device, queue } = bench, acquired = device.vkCreateSemaphore({}), drawn = device.vkCreateSemaphore({});
    for (const [width, height] of [[61, 37], [333, 77]]) {
      using canvas = openCanvas(device, 37, width, height);
      device.vkAcquireImageANDROID(canvas.image, -1, acquired);
      using _drawing = draw(bench, canvas, PICTURE, { wait: acquired, signal: drawn });
      assertEquals(queue.vkQueueSignalReleaseImageANDROID([drawn], canvas.image), -1);
      assertEquals(wrongPixels(canvas.buffer, PICTURE, [255, 0, 0, 255], [0, 255, 255, 255]), 0);
      assertEquals(canvas.buffer.copies, 0);
    }
    device.vkDestroySemaphore(acquired);
    device.vkDestroySemaphore(drawn);
  });
}
