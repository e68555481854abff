/**
 * A test that waits for ever, with all the time there is.
 *
 * @module
 */
import { gpuTest } from "@pumice/gfx/testing";

gpuTest("sits", { timeout: 600_000 }, ({ device }) => {
  device.vkWaitForFences([device.vkCreateFence({})], true, 2n ** 64n - 1n);
});
