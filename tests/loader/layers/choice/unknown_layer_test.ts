import { assertEquals, assertThrows } from "@std/assert";
import { DriverError, loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import { fakeHost } from "../../driver/fake_host.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";
import { withMachine } from "./layer_machine.ts";

/** A process that may not look at anything. */
function blindHost() {
  const refuse = () => {
    throw new Deno.errors.NotCapable("Requires access");
  };
  return { ...fakeHost(), env: refuse, exists: refuse, readDir: refuse, readFile: refuse, realPath: refuse };
}

Deno.test("a layer that nobody has is refused with the nearest name, or the names there are", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("first");
    machine.explicit("VK_LAYER_OTHER_second");
    const message = (layer: string) =>
      assertThrows(() => machine.load({}, { layers: [layer] }), DriverError, `Cannot find layer "${layer}": `).sentence
        .replace(/^.*?": /, "");
    assertEquals(message("VK_LAYER_TEST_frist"), "did you mean VK_LAYER_TEST_first?");
    const all = message("nothing_like_it").split("; ");
    assertEquals(all[0].split(/ |, /).slice(2).sort(), ["VK_LAYER_OTHER_second", "VK_LAYER_TEST_first"]);
    assertEquals(all[1], "install it or set VK_LAYER_PATH to the folder of its manifest");
    using vulkan = machine.load();
    const create = (name: string) =>
      assertThrows(() => vulkan.vkCreateInstance({ ppEnabledLayerNames: [name] }), VulkanError).sentence;
    assertEquals(
      create("VK_LAYER_TEST_frist"),
      "there are no such layers: VK_LAYER_TEST_frist; did you mean VK_LAYER_TEST_first?",
    );
    assertEquals(
      create("nothing_like_it"),
      "there are no such layers: nothing_like_it; take them out or install what has them",
    );
  });
  withMachine((machine) => {
    const none = "no layer is installed; install it or set VK_LAYER_PATH to the folder of its manifest";
    assertThrows(() => machine.load({}, { layers: ["VK_LAYER_TEST_a"] }), DriverError, none);
  });
});

Deno.test("a layer that permissions hide is refused with the permission", NEEDS_TINY, () => {
  const options = { platform: "linux", driver: TINY!, host: blindHost() } as const;
  const hidden =
    /the folders of layer manifests \(\/\S+_layer\.d and \d+ more\) may not be read; allow it with --allow-read \(and with --allow-env variables that name manifests\)$/;
  const { message } = assertThrows(() => loadVulkan({ ...options, layers: ["VK_LAYER_TEST_a"] }), DriverError);
  assertEquals(hidden.test(message), true, message);
  using vulkan = loadVulkan(options);
  const error = assertThrows(() => vulkan.vkCreateInstance({ ppEnabledLayerNames: ["VK_LAYER_TEST_a"] }), VulkanError);
  assertEquals(hidden.test(error.message), true, error.message);
});
