import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { loadVulkan, type Vulkan, VulkanError } from "../../../loader/mod.ts";
import { mappings } from "../../support/open_files.ts";
import { withFolder } from "../../support/temporary.ts";
import { fakeHost } from "../driver/fake_host.ts";
import { deviceTypes, writeManifest } from "../driver/machine.ts";
import { NEEDS_TINY, TINY, tinyVariant } from "../tiny.ts";

const discrete = tinyVariant("type_2", "-DGPU_TYPE=2")!;

/** A loader that looks in a folder, with an environment the test may change. */
function withLoader(use: (vulkan: Vulkan, folder: string, env: Record<string, string>) => void): void {
  withFolder((folder) => {
    const env: Record<string, string> = { VK_DRIVER_FILES: folder };
    using vulkan = loadVulkan({ platform: "linux", host: fakeHost({ env }), implicitLayers: false });
    use(vulkan, folder, env);
  });
}

function types(vulkan: Vulkan): number[] {
  using instance = vulkan.vkCreateInstance({});
  return deviceTypes(instance);
}

Deno.test(
  "refresh() finds drivers that have come, and closes those that have gone once nobody uses them",
  NEEDS_TINY,
  () => {
    withLoader((vulkan, folder) => {
      assertEquals(vulkan.driver, "");
      const error = assertThrows(() => vulkan.vkCreateInstance({}), VulkanError);
      assertEquals(error.code, -9);
      assertStringIncludes(
        error.message,
        `Cannot find a Vulkan driver: found no driver manifest; unset VK_DRIVER_FILES, which is "${folder}"`,
      );
      const first = writeManifest(`${folder}/a.json`, TINY!);
      assertThrows(() => vulkan.vkCreateInstance({}), VulkanError);
      vulkan.refresh();
      assertEquals([vulkan.driver, types(vulkan)], [TINY, [4]]);
      const older = vulkan.vkCreateInstance({});
      Deno.removeSync(first);
      writeManifest(`${folder}/b.json`, discrete);
      vulkan.refresh();
      assertEquals([vulkan.driver, types(vulkan), deviceTypes(older)], [discrete, [2], [4]]);
      assertEquals(mappings("/tiny_driver.so") > 0, true);
      older.close();
      assertEquals([mappings("/tiny_driver.so"), types(vulkan)], [0, [2]]);
      assertStringIncludes(vulkan.explain().find(({ subject }) => subject === "driver")!.reason, "may refuse");
    });
  },
);

Deno.test("refresh() takes what was put in the place of a driver's library, if nobody uses that", NEEDS_TINY, () => {
  withLoader((vulkan, folder) => {
    const library = `${folder}/driver.so`;
    Deno.copyFileSync(TINY!, library);
    writeManifest(`${folder}/a.json`, library);
    vulkan.refresh();
    const older = vulkan.vkCreateInstance({});
    Deno.copyFileSync(discrete, `${library}.new`);
    Deno.renameSync(`${library}.new`, library);
    assertEquals(types(vulkan), [4]);
    vulkan.refresh();
    assertEquals([types(vulkan), deviceTypes(older)], [[4], [4]]);
    older.close();
    vulkan.refresh();
    assertEquals(types(vulkan), [2]);
  });
});

Deno.test("what the environment says of devices counts anew for each instance", NEEDS_TINY, () => {
  withLoader((vulkan, folder, env) => {
    writeManifest(`${folder}/a.json`, TINY!);
    writeManifest(`${folder}/b.json`, discrete);
    vulkan.refresh();
    assertEquals(types(vulkan), [2, 4]);
    env.VK_LOADER_DISABLE_SELECT = "1";
    const unsorted = types(vulkan);
    delete env.VK_LOADER_DISABLE_SELECT;
    env.VK_LOADER_VENDOR_ID_FILTER = "1";
    const filtered = types(vulkan);
    delete env.VK_LOADER_VENDOR_ID_FILTER;
    assertEquals([unsorted, filtered, types(vulkan)], [[2, 4], [], [2, 4]]);
  });
});
