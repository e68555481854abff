/**
 * The program of a process that runs a script's test once, on one driver.
 *
 * @module
 */
import { requireDriver } from "../../../loader/api/load_vulkan.ts";
import type { Vulkan } from "../../../loader/api/vulkan.ts";
import { loadVulkan } from "../../../loader/api/load_vulkan.ts";
import { endWithParent } from "../../process/end_with_parent.ts";
import { gpuTestOf, openGpuTest } from "../../runs/testing/mod.ts";
import { loadLayer } from "../../../loader/layers/define/layer_file.ts";
import { BEGAN, type TrialTask } from "./trial.ts";

async function run({ vulkan: options, layerFiles, file, name, folder }: TrialTask): Promise<void> {
  const layers = [...await Promise.all(layerFiles.map(loadLayer)), ...options.layers ?? []];
  const test = await gpuTestOf(file, name);
  using vulkan = requireDriver(loadVulkan({ ...options, layers }));
  using context = openGpuTest(vulkan as Vulkan, test, { name: "trial", path: "trial" }, folder);
  console.log(BEGAN);
  await test.body(context);
  context.device.vkDeviceWaitIdle();
}

const task: TrialTask = JSON.parse(Deno.args[0]);
if (endWithParent(task.parent)) {
  try {
    await run(task);
    console.log(JSON.stringify({ passed: true }));
  } catch (error) {
    console.log(JSON.stringify({ failed: (error as Error).message }));
  }
}
