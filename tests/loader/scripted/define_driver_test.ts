import { assertEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { defineLayer, loadVulkan } from "../../../loader/mod.ts";
import { openDevice } from "../../support/device.ts";
import { runPasted } from "../../support/pasted.ts";
import { fillAndRead } from "../fill.ts";

Deno.test("acceptance 38: a driver in TypeScript runs an application through layers", () => {
  const seen: string[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_seen",
    anyCommand: (name) => (next, ...args) => {
      seen.push(name);
      return next(...args);
    },
  });
  using driver = defineDriver({
    name: "draws zeros",
    commands: {
      vkCmdFillBuffer(next, ...args) {
        seen.push("the driver's own hook");
        next(...args);
      },
    },
  });
  using vulkan = loadVulkan({ driver, layers: [layer] });
  using instance = vulkan.vkCreateInstance({});
  assertEquals(fillAndRead(instance, 7), 0);
  const at = seen.indexOf("vkCmdFillBuffer");
  assertEquals(seen.slice(at, at + 3), ["vkCmdFillBuffer", "the driver's own hook", "vkEndCommandBuffer"]);
  const drawing = driver.calls.slice(driver.calls.indexOf("vkBeginCommandBuffer"));
  assertEquals(drawing.slice(0, 4), [
    "vkBeginCommandBuffer",
    "vkCmdFillBuffer",
    "vkEndCommandBuffer",
    "vkQueueSubmit",
  ]);
  assertEquals(["VkDevice", "VkBuffer", "VkDeviceMemory"].map((type) => driver.live(type)), [0, 0, 0]);
});

Deno.test("what a hook of a driver in TypeScript throws reaches the caller", () => {
  using driver = defineDriver({
    name: "thrower",
    commands: {
      vkCreateFence() {
        throw new RangeError("no fences today");
      },
    },
  });
  using open = openDevice({ driver });
  assertThrows(() => open.device.vkCreateFence({}), RangeError, "no fences today");
});

Deno.test("defineDriver() refuses what makes no sense, and leaves nothing open", () => {
  const before = openBlocks();
  assertThrows(() => defineDriver({ name: "" }), TypeError, "without a name");
  assertThrows(() => defineDriver({ name: "x", commands: { vkNope: () => 0 } as never }), TypeError, "vkNope");
  assertThrows(() => defineDriver({ name: "x", missing: ["vkNope"] }), TypeError, "vkNope");
  const properties = { deviceNmae: "x" } as never;
  assertThrows(() => defineDriver({ name: "x", physicalDevices: [{ properties }] }), TypeError, "deviceNmae");
  const chain = [{ sType: 77 }] as never;
  assertThrows(() => defineDriver({ name: "x", physicalDevices: [{ chain }] }), TypeError, "sType 77");
  const unknownCommands = { vkTEST: { signature: "s:o", run: () => 0 } };
  assertThrows(() => defineDriver({ name: "x", unknownCommands }), TypeError, '"q"');
  assertEquals(openBlocks(), before);
});

Deno.test("a closed driver in TypeScript leaves nothing open and cannot be used", () => {
  const before = openBlocks(), driver = defineDriver({ name: "closed" });
  openDevice({ driver })[Symbol.dispose]();
  driver.close();
  driver.close();
  assertEquals(openBlocks(), before);
  assertThrows(() => loadVulkan({ driver }), TypeError, "it is closed");
});

Deno.test("defineDriver()'s example runs as pasted", () => {
  const source = Deno.readTextFileSync(new URL("../../../loader/scripted/define_driver.ts", import.meta.url));
  const example = source.match(/```ts ignore\n([\s\S]*?) \* ```/)![1].replaceAll(/^ \* ?/gm, "");
  const { code, output } = runPasted(example);
  assertEquals(code, 0, output);
});
