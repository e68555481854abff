import { assertEquals } from "@std/assert";
import { defineDriver } from "../../../loader/drivers.ts";
import { defineLayer, loadVulkan } from "../../../loader/mod.ts";
import type { VkDevice } from "../../../loader/types.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { fillAndRead } from "../fill.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const lavapipe = lavapipePath()!, swiftshader = swiftshaderPath()!;
const CONSTRUCTED = compileFixture("constructed_driver");
const ALL = { ignore: needs("Mesa lavapipe", lavapipe).ignore || needs("SwiftShader", swiftshader).ignore };

Deno.test("loaders with drivers of all kinds live side by side, their calls interleaved", ALL, () => {
  using scripted = defineDriver({ name: "beside the others" });
  const submits = [0, 0, 0];
  using stack = new DisposableStack();
  const instances = [lavapipe, swiftshader, scripted].map((driver, index) => {
    const layer = defineLayer({
      name: `VK_LAYER_TEST_${index}`,
      commands: {
        vkQueueSubmit(next, ...args) {
          submits[index]++;
          return next(...args);
        },
      },
    });
    return stack.use(stack.use(loadVulkan({ driver, layers: [layer] })).vkCreateInstance({}));
  });
  const names = instances.map((instance) =>
    instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties().deviceName.replace(/ .*/, "")
  );
  assertEquals(names, ["llvmpipe", "SwiftShader", "Scripted"]);
  for (let round = 1; round <= 3; round++) {
    assertEquals(instances.map((instance) => fillAndRead(instance, round)), [round, round, 0]);
    assertEquals(submits, [round, round, round]);
  }
});

Deno.test("devices of several drivers take turns at every command", ALL, () => {
  using scripted = defineDriver({ name: "takes turns" });
  using stack = new DisposableStack();
  const devices = [lavapipe, scripted, swiftshader, scripted, lavapipe].map((driver): VkDevice => {
    const instance = stack.use(stack.use(loadVulkan({ driver })).vkCreateInstance({}));
    return stack.use(instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE));
  });
  const fences = devices.map((device) => device.vkCreateFence({ flags: 1 }));
  assertEquals(new Set(devices.map((device) => device.vkGetDeviceQueue(0, 0).handle)).size, 5);
  for (let turn = 0; turn < 3; turn++) {
    assertEquals(devices.map((device, index) => device.vkGetFenceStatus(fences[index])), [0, 0, 0, 0, 0]);
    devices.forEach((device, index) => device.vkResetFences([fences[index]]));
    const unsignalled = devices.map((device, index) => device.vkGetFenceStatus(fences[index]));
    assertEquals(unsignalled, [1, 0, 1, 0, 1]); // a driver in TypeScript is done at once
    devices.forEach((device, index) => device.vkGetDeviceQueue(0, 0).vkQueueSubmit([], fences[index]));
    devices.forEach((device, index) => device.vkWaitForFences([fences[index]], true, 10n ** 9n));
  }
  const [first] = devices;
  first.vkDestroyFence(fences[0]);
  first.vkDestroyDevice();
  assertEquals(devices.slice(1).map((device, index) => device.vkGetFenceStatus(fences[index + 1])), [0, 0, 0, 0]);
  devices.slice(1).forEach((device, index) => device.vkDestroyFence(fences[index + 1]));
  assertEquals([scripted.live("VkDevice"), scripted.live("VkFence")], [2, 0]);
});

Deno.test("a library's constructors run when its first loader opens it, its destructors after the last", {
  ignore: needs("C compiler (cc)", CONSTRUCTED).ignore,
}, () => {
  const counts = () => ["LOADED", "UNLOADED"].map((what) => Number(Deno.env.get(`PUMICE_TEST_${what}`) ?? 0));
  const since = ([loaded, unloaded]: number[]) => [counts()[0] - loaded, counts()[1] - unloaded];
  const before = counts(), driver = CONSTRUCTED!;
  {
    using first = loadVulkan({ driver });
    using instance = first.vkCreateInstance({});
    {
      using _second = loadVulkan({ driver });
      assertEquals(since(before), [1, 0]);
    }
    assertEquals([since(before), instance.vkEnumeratePhysicalDevices().length], [[1, 0], 1]);
  }
  assertEquals(since(before), [1, 1]);
  loadVulkan({ driver }).close();
  assertEquals(since(before), [2, 2]);
});
