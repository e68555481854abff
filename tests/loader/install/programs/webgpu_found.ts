/**
 * Deno's own WebGPU on the driver that the search finds: prints the names of
 * the adapters of three devices in turn.
 *
 * @module
 */
import { loadVulkan } from "../../../../mod.ts";

const _installed = loadVulkan().install(); // not closed: what WebGPU made lives as long as the process
for (let round = 0; round < 3; round++) {
  const adapter = await navigator.gpu.requestAdapter(), device = await adapter!.requestDevice();
  console.log(adapter!.info.description);
  device.destroy();
}
