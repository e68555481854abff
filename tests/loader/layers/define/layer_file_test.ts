import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { watchLayer } from "../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";
import { until } from "../../../support/until.ts";

const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** A module with a layer that answers a command with a number. */
function source(status: number, hook = "vkGetEventStatus"): string {
  return `export default { name: "VK_LAYER_TEST_file", commands: { ${hook}: () => ${status} } };`;
}

Deno.test(
  "watchLayer() exchanges the layer in live devices and in loaders each time the file is saved",
  NEEDS_TINY,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/layer.ts`, errors: string[] = [];
      Deno.writeTextFileSync(path, source(41));
      using file = await watchLayer(path, { onError: (error) => errors.push(String(error)) });
      using vulkan = loadVulkan({ driver: TINY!, layers: [file.layer] });
      file.follow(vulkan);
      using instance = vulkan.vkCreateInstance({});
      using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
      const status = () => device.vkGetEventStatus(8n as never);
      assertEquals(status(), 41);
      Deno.writeTextFileSync(path, source(42));
      await until("the layer says 42", () => status() === 42);
      assertEquals(status(), 42);
      Deno.writeTextFileSync(path, "export default {");
      await until("an error is told", () => errors.length > 0);
      assertEquals(status(), 42);
      assertStringIncludes(errors[0], "SyntaxError");
      Deno.writeTextFileSync(`${folder}/new.ts`, source(43));
      Deno.renameSync(`${folder}/new.ts`, path); // as many editors save
      await until("the layer says 43", () => status() === 43);
      using later = vulkan.vkCreateInstance({});
      using other = later.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
      assertEquals([status(), other.vkGetEventStatus(8n as never)], [43, 43]);
      Deno.writeTextFileSync(path, source(7, "vkQueueSubmit"));
      await until("the layer says 3", () => status() === 3);
      assertEquals([status(), device.raw.vkQueueSubmit(device.vkGetDeviceQueue(0, 0).handle, 0, 0n, 0n)], [3, 7]);
    });
  },
);

Deno.test("watchLayer() refuses a module without a layer", async () => {
  await withFolderAsync(async (folder) => {
    Deno.writeTextFileSync(`${folder}/none.ts`, "export const x = 1;");
    const error = await assertRejects(() => watchLayer(`${folder}/none.ts`), TypeError);
    assertStringIncludes(error.message, "it exports x; export what defineLayer() returns");
    await assertRejects(() => watchLayer(`${folder}/missing.ts`), Error);
  });
});

Deno.test(
  "watchLayer() tells of holders that have the layer no longer, and follows them no more",
  NEEDS_TINY,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/layer.ts`, errors: string[] = [];
      Deno.writeTextFileSync(path, source(1));
      using file = await watchLayer(path, { onError: (error) => errors.push(String(error)) });
      using vulkan = loadVulkan({ driver: TINY! });
      file.follow(vulkan);
      assertEquals([await file.reload(), await file.reload(), errors.length], [true, true, 1]);
      assertStringIncludes(errors[0], "it is not attached");
      file.close();
    });
  },
);
