import { assertEquals } from "@std/assert";
import { HandleNames } from "../../../../workbench/recordings/record/names.ts";

Deno.test("HandleNames tells images of two swapchains apart that have the same handles one after the other", () => {
  const names = new HandleNames(), old = names.add("VkSwapchainKHR", 1n)!, images = [7n, 8n];
  const gotOf = (owner: string) => images.map((each) => names.gotFrom(owner, "VkImage", each));
  assertEquals(gotOf(old), ["VkImage#1", "VkImage#2"]);
  assertEquals(gotOf(old), ["VkImage#1", "VkImage#2"], "asked again");
  const retiring = names.add("VkSwapchainKHR", 2n)!;
  assertEquals(gotOf(retiring), ["VkImage#3", "VkImage#4"]);
  names.remove("VkSwapchainKHR", 1n);
  assertEquals(names.of("VkImage", 7n), "VkImage#3");
  names.remove("VkSwapchainKHR", 2n);
  assertEquals(names.of("VkImage", 7n), "VkImage?0x7");
  assertEquals(names.add("VkImage", 7n), "VkImage#5");
});
