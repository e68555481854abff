import { assertEquals, assertThrows } from "@std/assert";
import { type DefinedLayer, defineLayer, loadVulkan, type ReplacedLayer } from "../../../../loader/mod.ts";
import { watchLayer } from "../../../../workbench/layers.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NEEDS_TINY, TINY, withTinyDevice } from "../../tiny.ts";

type Types = { VkDevice: { calls: number }; VkBuffer: { size: bigint } };

/** A layer that counts calls of each device and knows the size of each buffer. */
function counting(onReplace?: (old: ReplacedLayer<Types>) => void): DefinedLayer<Types> {
  return defineLayer<Types>({
    name: "VK_LAYER_TEST_counting",
    onCreate: { VkDevice: () => ({ calls: 0 }), VkBuffer: ({ info }) => ({ size: info?.size ?? 0n }) },
    onReplace,
    commands: {
      vkGetEventStatus(_next, device) {
        return ++this.state.VkDevice(device).calls;
      },
    },
  });
}

Deno.test("a layer keeps the state of the layer whose place it takes, as it is or converted", NEEDS_TINY, () => {
  const first = counting(), told: unknown[] = [];
  withTinyDevice([first], (device, vulkan) => {
    const status = () => device.vkGetEventStatus(8n as never) as number;
    const buffer = device.vkCreateBuffer({ size: 16n, usage: 2 }),
      gone = device.vkCreateBuffer({ size: 32n, usage: 2 });
    device.vkDestroyBuffer(gone);
    assertEquals([status(), status()], [1, 2]);
    const forgetful = counting();
    vulkan.replace(first, forgetful);
    assertEquals([status(), forgetful.state.VkBuffer(device.handle, buffer).size], [1, 0n]);
    vulkan.replace(forgetful, first);
    const second = counting((old) => {
      told.push(old.layer, typeof old.instance);
      old.keep("VkDevice");
      old.keep("VkBuffer", ({ size }, handle) => ({ size: handle === buffer as unknown ? size + 1n : -1n }));
    });
    vulkan.replace(first, second);
    assertEquals(told, [first, "bigint"]);
    assertEquals([status(), second.state.VkBuffer(device.handle, buffer).size], [3, 17n]);
    assertEquals(second.state.VkBuffer(device.handle, gone).size, 0n); // what is gone is not kept
    device.vkDestroyBuffer(buffer);
  });
});

Deno.test("state is kept for the instance in which a layer takes a place, and for no other", NEEDS_TINY, () => {
  const old = counting(), instances: bigint[] = [];
  const next = counting((replaced) => void instances.push(replaced.instance));
  using vulkan = loadVulkan({ driver: TINY!, layers: [old] });
  using one = vulkan.vkCreateInstance({});
  using other = vulkan.vkCreateInstance({});
  one.replace(old, next);
  assertEquals(instances, [one.handle]);
  vulkan.replace(old, next);
  assertEquals(instances, [one.handle, other.handle]);
  assertThrows(() => one.replace(old, counting(() => instances.push(0n))), TypeError, "it is not attached");
  assertEquals(instances.length, 2);
});

Deno.test("where onReplace throws the old layer stays, and the error names the new one", NEEDS_TINY, () => {
  const first = counting(), cause = new RangeError("not mine");
  withTinyDevice([first], (device, vulkan) => {
    const status = () => device.vkGetEventStatus(8n as never) as number;
    status();
    const failing = counting((old) => {
      old.keep("VkDevice");
      throw cause;
    });
    const error = assertThrows(() => vulkan.replace(first, failing), Error);
    const words = "VK_LAYER_TEST_counting, onReplace: not mine; VK_LAYER_TEST_counting stays in use";
    assertEquals([error.message, error.cause, status()], [words, cause, 2]);
    const greedy = counting((old) => old.keep("VkFence" as never));
    assertThrows(
      () => vulkan.replace(first, greedy),
      Error,
      "Cannot keep the state of VkFence: add VkFence to onCreate",
    );
    vulkan.replace(first, counting((old) => old.keep("VkDevice")));
    assertEquals(status(), 3);
  });
});

Deno.test(
  "a layer file that is saved keeps its state, and a refused version does not end the watch",
  NEEDS_TINY,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/layer.ts`, errors: string[] = [];
      const write = (onReplace: string) =>
        Deno.writeTextFileSync(
          path,
          `import { defineLayer } from "${new URL("../../../../loader/mod.ts", import.meta.url)}";
        export default defineLayer({
          name: "VK_LAYER_TEST_saved",
          onCreate: { VkDevice: () => ({ calls: 0 }) },
          onReplace(old) { ${onReplace} },
          commands: { vkGetEventStatus(_next, device) { return ++this.state.VkDevice(device).calls; } },
        });`,
        );
      write("");
      using file = await watchLayer(path, { onError: (error) => errors.push((error as Error).message) });
      using vulkan = loadVulkan({ driver: TINY!, layers: [file.layer] });
      file.follow(vulkan);
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      const status = () => device.vkGetEventStatus(8n as never) as number;
      assertEquals(status(), 1);
      write('throw new Error("not yet");');
      assertEquals([await file.reload(), status()], [false, 2]);
      write('old.keep("VkDevice");');
      assertEquals([await file.reload(), status()], [true, 3]);
      const refusals = errors.filter((each) => each.includes("onReplace: not yet; VK_LAYER_TEST_saved stays in use"));
      assertEquals([refusals.length > 0, refusals.length], [true, errors.length]); // the watch may have seen the save, too
    });
  },
);
