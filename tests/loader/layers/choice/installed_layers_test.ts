import { assert, assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { mappings } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { NativeVulkan } from "../../install/native.ts";
import { runCounted } from "../../install/run_counted.ts";
import { NEEDS_TINY } from "../../tiny.ts";
import { layerName, withMachine } from "./layer_machine.ts";

const REAL = { ignore: NEEDS_TINY.ignore || needs("Mesa lavapipe", lavapipePath()).ignore };

Deno.test("native callers get the layers there are when they make an instance", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.implicit("i");
    machine.implicit("broken", { layer: { library_path: "/nowhere/libVkLayer.so" } });
    using vulkan = machine.load({ VK_LOADER_DEBUG: "layer" });
    const memory = arena(), mark = memory.mark();
    {
      using installed = vulkan.install();
      using native = new NativeVulkan();
      const cycle = (): string => {
        const before = machine.log().length, instance = native.createInstance(), gpu = native.firstGpu(instance);
        native.call("vkDestroyDevice", [native.createDevice(gpu), 0n]);
        native.call("vkDestroyInstance", [instance, 0n]);
        const events = machine.log().slice(before).filter((line) => /(create|destroy) (in|de)/.test(line));
        return events.map((event) => event.replace(/(create|destroy) (instance|device)/, (_, a, b) => a[0] + b[0]))
          .join();
      };
      assertEquals(cycle(), "i ci,i cd,i dd,i di");
      assertEquals([installed.instances().length, mappings(`${layerName("i")}.so`)], [0, 0]);
      assert(vulkan.explain().some(({ origin, taken }) => origin.endsWith("broken.json") && !taken));
      machine.implicit("j");
      assertEquals(cycle(), "j ci,i ci,j cd,i cd,j dd,i dd,i di,j di");
      Deno.removeSync(`${machine.folder}/vulkan`, { recursive: true });
      assertEquals(cycle(), "");
    }
    assertEquals(machine.result(vulkan, {}), 0);
    memory.release(mark);
  });
});

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
