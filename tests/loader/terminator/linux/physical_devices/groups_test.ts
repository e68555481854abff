import { assertEquals } from "@std/assert";
import { peek32, peek64, poke32, poke64 } from "../../../../../ffi/machine.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import { offsetsOfVkPhysicalDeviceGroupProperties } from "../../../../../loader/gen/native_gen.ts";
import { cards, deviceNames, groupNames, withDrivers } from "../drivers.ts";

const INFO = { pApplicationInfo: { apiVersion: 0x401000 } };

/** A driver whose devices compare equal; a pair and a single one are its groups, and its devices are listed last first. */
const GROUPED: DriverSpec = {
  name: "grouped",
  physicalDevices: [["A", "pair"], ["B", "single"], ["C", "pair"]].map(([deviceName, group]) => ({
    properties: { deviceName },
    group,
  })),
  commands: {
    vkEnumeratePhysicalDevices(next, instance, count, out) {
      const result = next(instance, count, out);
      if (out === 0n) return result;
      const handles = Array.from({ length: peek32(count) }, (_, index) => peek64(out + BigInt(8 * index)));
      handles.reverse().forEach((handle, index) => poke64(out + BigInt(8 * index), handle));
      return result;
    },
  },
};

for (const [title, env] of [["sorted", {}], ["not sorted", { VK_LOADER_DISABLE_SELECT: "1" }]] as const) {
  Deno.test(`groups of equal devices stay in the order in which the driver lists them, ${title}`, () => {
    withDrivers([GROUPED], ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance(INFO);
      assertEquals(deviceNames(instance), ["C", "B", "A"]);
      assertEquals(groupNames(instance), [["A", "C"], ["B"]]);
    }, env);
  });

  Deno.test(`the last driver's groups go first, as devices do, where they compare equal, ${title}`, () => {
    withDrivers([GROUPED, cards("single", "D")], ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance(INFO);
      assertEquals(groupNames(instance), [["D"], ["A", "C"], ["B"]]);
    }, env);
  });
}

Deno.test("a driver that says a group has four billion devices counts as one that cannot list groups", () => {
  const liar: DriverSpec = {
    ...GROUPED,
    name: "liar",
    commands: {
      vkEnumeratePhysicalDeviceGroups(next, instance, count, out) {
        const result = next(instance, count, out);
        if (out !== 0n) poke32(out + BigInt(offsetsOfVkPhysicalDeviceGroupProperties.physicalDeviceCount), 0xffff_ffff);
        return result;
      },
    },
  };
  withDrivers([liar], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    assertEquals(groupNames(instance), [["A"], ["B"], ["C"]]);
  });
});

Deno.test("groups go by the type of their best device, and devices within by theirs", () => {
  const CPU = 4, DISCRETE = 2, INTEGRATED = 1;
  const types: Record<string, number> = { A: CPU, B: INTEGRATED, C: DISCRETE };
  const physicalDevices = GROUPED.physicalDevices!.map((each) => {
    const { deviceName } = each.properties!;
    return { ...each, properties: { deviceName, deviceType: types[deviceName!] } };
  });
  withDrivers([{ name: "typed", physicalDevices }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    assertEquals(groupNames(instance), [["C", "A"], ["B"]]);
  });
});
