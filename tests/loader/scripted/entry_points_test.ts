import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { readCString } from "../../../ffi/cstring.ts";
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { DriverError, loadVulkan } from "../../../loader/mod.ts";
import { compileFixture } from "../../support/compile.ts";
import { openDevice } from "../../support/device.ts";
import { needs } from "../../support/require.ts";

const THREADS = compileFixture("ffi");

Deno.test("hooks over a driver's GetProcAddr commands see and change what is found", () => {
  const asked = new Set<string>();
  using driver = defineDriver({
    name: "nosy",
    commands: {
      vkGetInstanceProcAddr(next, instance, name) {
        asked.add(readCString(name));
        return next(instance, name);
      },
      vkGetDeviceProcAddr: (next, device, name) => readCString(name) === "vkCmdDraw" ? 0n : next(device, name),
    },
  });
  using open = openDevice({ driver });
  const names = ["vk_icdNegotiateLoaderICDInterfaceVersion", "vkCreateInstance", "vkEnumeratePhysicalDevices"];
  assertEquals(names.filter((name) => !asked.has(name)), []);
  assertEquals(open.device.vkGetDeviceProcAddr("vkCmdDraw"), 0n);
  assertNotEquals(open.device.vkGetDeviceProcAddr("vkCmdDrawIndexed"), 0n);
});

Deno.test("acceptance 40: a driver in TypeScript that does not negotiate is refused", () => {
  using driver = defineDriver({ name: "old", missing: ["vk_icdNegotiateLoaderICDInterfaceVersion"] });
  assertThrows(() => loadVulkan({ driver }), DriverError, "has no vk_icdNegotiateLoaderICDInterfaceVersion");
});

Deno.test("on other threads, commands of a driver in TypeScript succeed at doing nothing and fail at all else", {
  ignore: needs("C compiler (cc)", THREADS).ignore,
}, () => {
  using driver = defineDriver({ name: "threads", commands: { vkQueueWaitIdle: () => 0 } });
  using open = openDevice({ driver });
  using threads = Library.open(THREADS!);
  const onThread = (name: string, handle: bigint) =>
    invokeAddress(threads.require("call_result_on_thread"), "s:qq", [open.device.vkGetDeviceProcAddr(name), handle]);
  assertEquals(onThread("vkDeviceWaitIdle", open.device.handle), 0);
  assertEquals(onThread("vkQueueWaitIdle", open.device.vkGetDeviceQueue(0, 0).handle), -3);
  assertEquals(driver.calls.filter((name) => name.endsWith("WaitIdle")), []);
});
