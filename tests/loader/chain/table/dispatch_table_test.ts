import { assertEquals, assertNotEquals } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { peek64 } from "../../../../ffi/machine.ts";
import { instanceTable, stampOver } from "../../../../loader/chain/object/adopt.ts";
import { DispatchTable } from "../../../../loader/chain/table/dispatch_table.ts";
import { declareImage, HIDDEN_SLOTS, stampsOf } from "../../../../loader/chain/table/table_layout.ts";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { openDriver } from "../../../../loader/driver/interface/driver.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";

Deno.test("DispatchTable.fill() asks for every command of its level", NEEDS_TINY, () => {
  using driver = openDriver(TINY!), table = new DispatchTable("device");
  table.fill(driver.getInstanceProcAddr, 0n);
  assertNotEquals(table.get(findCommand("vkQueueSubmit")!.slot), 0n);
  assertEquals(table.get(findCommand("vkCreateSwapchainKHR")!.slot), 0n);
});

Deno.test("setDriver() stores any name, and the last one counts", () => {
  for (const level of ["instance", "device"] as const) {
    using table = new DispatchTable(level, 1);
    const name = () => readCString(table.get(table.layout.driver)), long = "/long".repeat(2000);
    const before = openBlocks();
    for (const path of ["/a.so", long, "", `${long}é.so`, "/ü.so"]) {
      table.setDriver(path);
      assertEquals(name(), path || "any driver");
      assertEquals(openBlocks() - before, path.length > 4096 ? 1 : 0);
    }
    table.set(table.layout.size - 1, 5n);
    assertEquals([name(), table.get(table.layout.size - 1)], ["/ü.so", 5n]);
  }
});

Deno.test("DispatchTable keeps hidden slots behind the commands", () => {
  using table = new DispatchTable("instance");
  table.set(table.hidden(1), 0x1234n);
  assertEquals(peek64(table.address + 8n * BigInt(table.hidden(1))), 0x1234n);
  assertEquals(table.get(0), 0n);
});

Deno.test(
  "openFront() lets native code in by the same pointers, divert() leads it elsewhere and back",
  NEEDS_TINY,
  () => {
    using driver = openDriver(TINY!), table = new DispatchTable("instance");
    const { slot } = findCommand("vkEnumeratePhysicalDevices")!, submit = findCommand("vkQueueSubmit")!.slot;
    const front = () => peek64(table.address + 8n * BigInt(table.layout.front + slot));
    table.fill(driver.getInstanceProcAddr, 0n);
    assertEquals(front(), 0n);
    table.openFront(0n);
    assertEquals(front(), table.get(slot));
    table.divert(slot, 5n);
    assertEquals(front(), 5n);
    table.divert(slot);
    assertEquals(front(), table.get(slot));
    assertNotEquals(table.get(table.layout.available + submit), 0n);
    assertEquals(table.get(table.layout.available + findCommand("vkCreateSwapchainKHR")!.slot), 0n);
  },
);

Deno.test("stampOver() puts terminators before commands there are, and none where there are none", NEEDS_TINY, () => {
  declareImage();
  using driver = openDriver(TINY!), table = instanceTable();
  table.fill(driver.getInstanceProcAddr, 0n);
  const { slot } = findCommand("vkEnumeratePhysicalDevices")!, own = table.get(slot);
  stampOver("instance", table);
  const [stamp] = stampsOf("instance");
  assertEquals([table.get(slot), table.get(table.hidden(stamp.hidden))], [stamp.address, own]);
  assertEquals(table.get(findCommand("vkEnumeratePhysicalDeviceGroups")!.slot), 0n);
  assertEquals(stampsOf("instance").length, HIDDEN_SLOTS.instance);
});
