import { assertEquals } from "@std/assert";
import type { StructObject } from "../../../../loader/codec/values/convert.ts";
import * as vk from "../../../../loader/vk.ts";
import { withoutWindows } from "../../../../workbench/recordings/replay/needs.ts";

Deno.test("withoutWindows() leaves out the features of window systems alone, in their order", () => {
  const link = (sType: number) => ({ sType, on: true }) as unknown as StructObject;
  const windows = [
    vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT,
    vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
    vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR,
  ].map(link);
  const others = [
    vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
  ].map(link);
  const pNext = [windows[0], others[0], windows[1], others[1], windows[2]];
  assertEquals(withoutWindows({ flags: 0, pNext }), { flags: 0, pNext: others });
  assertEquals(withoutWindows({ flags: 0 }), { flags: 0, pNext: [] });
});
