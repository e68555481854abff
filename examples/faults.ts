/**
 * A program's behaviour when its driver fails: faults on demand, on any driver.
 *
 * ```sh
 * deno run --allow-ffi --allow-read '--allow-env=HOME,XDG_*,VK_*' examples/faults.ts
 * ```
 *
 * The program asks for ten images, and the sixth gets no memory; the program
 * goes on with a smaller one. Then the device is lost, and the program opens
 * another. It prints each step, and the list of faults.
 *
 * @module
 */
import { type Gpu, openGpu, VulkanError } from "@pumice/gfx";
import { faultInjection } from "@pumice/gfx/layers";
import { VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY } from "@pumice/gfx/vk";

const { layer, injected } = faultInjection({
  rules: [
    { command: "vkAllocateMemory", result: VK_ERROR_OUT_OF_DEVICE_MEMORY, after: 5, times: 1 },
    { command: "vkQueueSubmit", result: VK_ERROR_DEVICE_LOST, after: 2, times: 1 },
  ],
});

{
  using gpu = openGpu({ layers: [layer] });
  for (let number = 1; number <= 10; number++) makeImage(gpu, number);
  try {
    for (let frame = 1;; frame++) {
      gpu.submit(() => {});
      console.log(`frame ${frame}: done`);
    }
  } catch (error) {
    if (!isResult(error, VK_ERROR_DEVICE_LOST)) throw error;
    console.log(`the device is lost: ${error.message}`);
  }
}
using another = openGpu({ layers: [layer] });
another.submit(() => {});
console.log(`another device works: ${another.properties.deviceName}`);
for (const { name, command, call } of injected) console.log(`injected: ${name} in call ${call} of ${command}`);

/** Makes an image, or one of a quarter of the size where memory is short: the program goes on without memory. */
function makeImage(gpu: Gpu, number: number): void {
  try {
    gpu.image({ width: 256, height: 256 });
  } catch (error) {
    if (!isResult(error, VK_ERROR_OUT_OF_DEVICE_MEMORY)) throw error;
    gpu.image({ width: 128, height: 128 });
    console.log(`image ${number} is smaller: ${error.message}`);
  }
}

function isResult(error: unknown, result: number): error is VulkanError {
  return error instanceof VulkanError && error.code === result;
}
