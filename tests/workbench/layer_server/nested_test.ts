import { assert, assertEquals } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { VK_ERROR_FEATURE_NOT_PRESENT, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 } from "../../../loader/vk.ts";
import { numberedCommands } from "../../../workbench/layer_server/commands.ts";
import { APP, NEEDS_PROGRAMS, runServed } from "./programs.ts";

Deno.test(
  "serveLayers(): structs that a hook writes reach the program's driver, behind pointers and in chains, and next can be called again",
  NEEDS_PROGRAMS,
  async () => {
    const results: number[] = [], errors: unknown[] = [];
    const writing = defineLayer({
      name: "VK_LAYER_TEST_writing",
      commands: {
        vkCreateDevice(next, gpu, pCreateInfo, ...rest) {
          const info = this.read("VkDeviceCreateInfo", pCreateInfo);
          const at = this.write("VkPhysicalDeviceFeatures", {});
          this.below(gpu).vkGetPhysicalDeviceFeatures(gpu, at);
          const has = this.read("VkPhysicalDeviceFeatures", at) as unknown as Record<string, boolean>;
          const missing = Object.keys(has).find((name) => !has[name])!;
          const more = { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, features: { [missing]: true } } as const;
          const pointed = { ...info, pEnabledFeatures: more.features };
          results.push(next(gpu, this.write("VkDeviceCreateInfo", pointed as never), ...rest));
          const chained = { ...info, pNext: [...info.pNext, more] };
          results.push(next(gpu, this.write("VkDeviceCreateInfo", chained as never), ...rest));
          results.push(next(gpu, pCreateInfo, ...rest));
          return results.at(-1)!;
        },
      },
    });
    await using server = await serveLayers({ layers: [writing], onError: (error) => errors.push(error) });
    const { code, stdout, stderr } = await runServed(server, [APP!, "buffers", "1"]);
    assertEquals(errors, []);
    assertEquals(results, [VK_ERROR_FEATURE_NOT_PRESENT, VK_ERROR_FEATURE_NOT_PRESENT, 0]);
    assertEquals([code, stdout], [0, "1024 bytes\n"], stderr);
  },
);

Deno.test("serveLayers() hooks every command at once, more than 500", NEEDS_PROGRAMS, async () => {
  const called = new Set<string>();
  const names = numberedCommands().filter((name) => !name.endsWith("ProcAddr"));
  assert(names.length > 500, `${names.length} commands`);
  const commands = Object.fromEntries(names.map((name) => [name, (next: Next, ...args: unknown[]) => {
    called.add(name);
    return next(...args);
  }]));
  const all = defineLayer({ name: "VK_LAYER_TEST_all", commands: commands as never });
  await using server = await serveLayers({ layers: [all] });
  assertEquals((await runServed(server, [APP!, "threads", "5"])).stdout, "500 buffers\n");
  assert(called.has("vkCreateBuffer") && called.has("vkEnumeratePhysicalDevices"), [...called].join());
});

type Next = (...args: unknown[]) => unknown;
