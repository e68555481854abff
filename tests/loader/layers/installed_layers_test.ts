import "../../support/warm_loader.ts";
import { assert, assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { mappings } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { NativeVulkan } from "../install/native.ts";
import { runCounted } from "../install/run_counted.ts";
import { NEEDS_TINY } from "../tiny.ts";
import { layerName, withMachine } from "./layer_machine.ts";

const REAL = { ignore: NEEDS_TINY.ignore || needs("Mesa lavapipe", lavapipePath()).ignore };

Deno.test(
  "native callers get the layers there were when the loader was installed, and nothing is read for them",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.implicit("i");
      machine.implicit("broken", { layer: { library_path: "/nowhere/libVkLayer.so" } });
      using vulkan = machine.load({ VK_LOADER_DEBUG: "all" });
      const memory = arena(), mark = memory.mark();
      {
        using installed = vulkan.install();
        using native = new NativeVulkan();
        Deno.removeSync(`${machine.folder}/vulkan`, { recursive: true });
        machine.lines.length = 0;
        const instance = native.createInstance(), gpu = native.firstGpu(instance);
        native.call("vkDestroyDevice", [native.createDevice(gpu), 0n]);
        native.call("vkDestroyInstance", [instance, 0n]);
        const events = machine.log().filter((line) => line.includes("create") || line.includes("destroy"));
        assertEquals(events, ["i create instance", "i create device", "i destroy device", "i destroy instance"]);
        assertEquals([installed.instances().length, mappings(`${layerName("i")}.so`)], [0, 0]);
        assertEquals(machine.lines, []);
        assert(vulkan.explain().some(({ origin, taken }) => origin.endsWith("broken.json") && !taken));
      }
      assertEquals(machine.result(vulkan, {}), 0);
      assertEquals(machine.log().filter((line) => line.endsWith("create instance")).length, 1);
      memory.release(mark);
    });
  },
);

Deno.test("Deno's WebGPU runs through layers of the environment, opened while it makes its instance", REAL, () => {
  withMachine((machine) => {
    const names = ["a", "b"].map((short) => [machine.explicit(short), layerName(short)][1]);
    const env = {
      VK_LAYER_PATH: `${machine.folder}/vulkan/explicit_layer.d`,
      VK_INSTANCE_LAYERS: names.join(":"),
      CHAIN_LOG: `${machine.folder}/log`,
    };
    const flags = ["--unstable-webgpu", "--v8-flags=--expose-gc"];
    const { right, counts } = runCounted("webgpu", [lavapipePath()!], { flags, env });
    assertEquals([right, counts.vkCreateInstance], [true, 1]);
    const created = (what: string) => machine.log().filter((line) => line.endsWith(`create ${what}`)).join(", ");
    assertEquals(created("instance"), "b create instance, a create instance");
    assertEquals(created("device"), Array(3).fill("b create device, a create device").join(", "));
  });
});
