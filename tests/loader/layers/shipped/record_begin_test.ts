import { assertEquals } from "@std/assert";
import { REST, type SplitLayer } from "../../../../workbench/layer_server/server/layer_kind.ts";
import { apiRecording } from "../../../../workbench/layers.ts";
import { defineLayer } from "../../../../loader/mod.ts";
import { VK_BUFFER_USAGE_TRANSFER_DST_BIT } from "../../../../loader/vk.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { openDevice } from "../../../support/device.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";

Deno.test(
  "apiRecording() knows that a command buffer has begun while the hook of its beginning has not ended",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    withFolder((folder) => {
      // A served thread goes on with the result before its hooks end, when another thread's call takes long. The session
      // runs the rest of the recording's hook before.
      let goOn = () => {};
      const early = defineLayer({
        name: "VK_LAYER_TEST_early",
        commands: {
          vkBeginCommandBuffer(next, ...args) {
            const result = next(...args);
            (recording.layer as SplitLayer)[REST]?.()?.(result);
            goOn();
            return result;
          },
        },
      });
      using recording = apiRecording({ path: `${folder}/early.jsonl` });
      using opened = openDevice({ driver: lavapipePath()!, layers: [recording.layer, early] });
      const { device } = opened, commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
      const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
      const buffer = device.vkCreateBuffer({ size: 64n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
      const memory = device.vkAllocateMemory({ allocationSize: 64n, memoryTypeIndex: 0 });
      device.vkBindBufferMemory(buffer, memory, 0n);
      goOn = () => {
        commands.vkCmdFillBuffer(buffer, 0n, 64n, 7);
        commands.vkEndCommandBuffer();
      };
      commands.vkBeginCommandBuffer({});
      device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{ pCommandBuffers: [commands] }]);
      device.vkDeviceWaitIdle();
      device.vkDestroyCommandPool(commandPool);
      device.vkDestroyBuffer(buffer);
      device.vkFreeMemory(memory);
      assertEquals([recording.error, recording.gaps], [undefined, []]);
    });
  },
);
