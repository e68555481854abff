/**
 * The answers of a layer's `below` and `state` to values that are no handles.
 *
 * deno run … tests/loader/layers/guard/programs/stray_handles.ts DRIVER
 */
import { NativeBlock } from "../../../../../ffi/block.ts";
import { defineLayer } from "../../../../../loader/mod.ts";
import { openDevice } from "../../../../support/device.ts";
import { carryOutRows, type Trial } from "../../../../support/rows.ts";

const [driver] = Deno.args;
const foreign = new NativeBlock(4096);
const strays = { nothing: 0n, small: 8n, odd: 0x1001n, foreign: foreign.address, wide: 1n << 70n, number: 5 as never };

let below: (handle: bigint) => unknown = () => "no hook ran";
const layer = defineLayer({
  name: "VK_LAYER_TEST_stray",
  onCreate: { VkDevice: () => ({ looks: 0 }), VkQueue: () => ({ looks: 0 }), VkBuffer: () => ({ looks: 0 }) },
  commands: {
    vkGetEventStatus(next, device, event) {
      below = (handle) => this.below(handle).vkGetEventStatus(handle, event);
      return next(device, event);
    },
  },
});

using open = openDevice({ driver, layers: [layer] });
const { device } = open;
device.raw.vkGetEventStatus(device.handle, 8n);
const trials: Record<string, Trial> = {
  "a device below": () => below(device.handle),
  "a device's state": () => layer.state.VkDevice(device.handle).looks,
};
for (const [name, value] of Object.entries(strays)) {
  trials[`${name} below`] = () => below(value);
  trials[`${name} as device`] = () => layer.state.VkDevice(value);
  trials[`${name} as queue`] = () => layer.state.VkQueue(value);
  trials[`${name} as owner`] = () => layer.state.VkBuffer(value, 1n);
}
const other = open.gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
trials["a closed device"] = () => {
  const { handle } = other;
  below(handle);
  other.close();
  return below(handle);
};
await carryOutRows(trials);
foreign.close();
