import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { loadEgl } from "../../../egl/mod.ts";
import { apiTrace } from "../../../workbench/layers.ts";
import { defineLayer, DriverError, loadVulkan } from "../../../loader/mod.ts";
import { withFolder } from "../../support/temporary.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";

const layer = defineLayer({ name: "VK_LAYER_TEST_once", commands: {} });

/** Options that make no sense, and what is said of them. */
const SENSELESS: [options: unknown, said: RegExp][] = [
  [5, /Cannot use 5 as the options of loadVulkan\(\): give an object/],
  [{ driver: 5 }, /Cannot use 5 as option "driver" of loadVulkan\(\): give "auto", the path/],
  [{ driver: "" }, /Cannot use "" as option "driver"/],
  [{ driver: null }, /Cannot use null as option "driver"/],
  [{ driver: "a\0b.so" }, /as option "driver"/],
  [{ driver: [TINY, 5] }, /at index 1, where 5 is/],
  [{ driver: {} }, /Cannot use an object as option "driver"/],
  [{ layers: "VK_LAYER_KHRONOS_validation" }, /option "layers".*give a list of layers/],
  [{ layers: [null] }, /give what defineLayer\(\) returns.* at index 0, where null is/],
  [{ layers: [5] }, /at index 0, where 5 is/],
  [{ layers: [{}] }, /at index 0, where an object is/],
  [{ layers: [apiTrace({ write: () => {} })] }, /give its `layer` member at index 0/],
  [{ layers: [layer, layer] }, /Cannot use layer VK_LAYER_TEST_once twice.*give it once/],
  [{ bottomLayers: layer }, /option "bottomLayers"/],
  [{ implicitLayers: "no" }, /give true or false/],
  [{ log: "stderr" }, /give a function/],
  [{ root: 5 }, /give the path of a folder/],
  [{ drivers: TINY }, /Cannot use option "drivers" of loadVulkan\(\), for there is none: did you mean "driver"\?/],
  [{ app: "com.example" }, /option "app".*give an object/],
  [{ xyzzyplugh: 1 }, /option "xyzzyplugh".*there are driver, layers/],
];

Deno.test(
  "loadVulkan() refuses options that make no sense before anything is opened, and says what to give",
  NEEDS_TINY,
  () => {
    for (const [options, said] of SENSELESS) {
      const all = typeof options === "object" ? { driver: TINY, ...options } : options;
      assertMatch(assertThrows(() => loadVulkan(all as never), TypeError).message, said);
    }
  },
);

Deno.test("loadEgl() refuses options alike", () => {
  const rows: [unknown, RegExp][] = [
    [{ driver: 5 }, /Cannot use 5 as option "driver" of loadEgl\(\): give a path/],
    [{ driver: "" }, /Cannot use "" as option "driver"/],
    [{ driver: null }, /Cannot use null as option "driver"/],
    [{ layers: "x" }, /option "layers".*give a list/],
    [{ layers: [null] }, /at index 0, where null is/],
    [{ log: 1 }, /give a function/],
    [{ blobCashe: {} }, /"blobCashe" of loadEgl\(\).*did you mean "blobCache"\?/],
  ];
  for (const [options, said] of rows) {
    assertMatch(assertThrows(() => loadEgl(options as never), TypeError).message, said);
  }
});

Deno.test("defineLayer() refuses what it does not know, and names the nearest it knows", () => {
  const rows: [unknown, RegExp][] = [
    [{ comands: {} }, /option "comands" of defineLayer\(\).*did you mean "commands"\?/],
    [{ commands: { vkCreateBufer() {} } }, /no Vulkan command vkCreateBufer; did you mean vkCreateBuffer\?/],
    [{ onCreate: { VkBufer: () => ({}) } }, /no Vulkan handle type VkBufer; did you mean VkBuffer\?/],
    [{ onCreate: { VkRect2D: () => ({}) } }, /no Vulkan handle type VkRect2D/],
    [{ onCreate: { VkBuffer: {} } }, /onCreate.VkBuffer is object; write it as a function/],
    [{ hides: "vkCreateBuffer" }, /option "hides".*give a list/],
    [{ deviceExtensions: ["VK_EXT_x"] }, /option "deviceExtensions".*at index 0/],
  ];
  for (const [definition, said] of rows) {
    const all = { name: "VK_LAYER_TEST_x", ...definition as object };
    assertMatch(assertThrows(() => defineLayer(all as never), TypeError).message, said);
  }
  for (const type of ["VkInstance", "VkPhysicalDevice", "VkQueue", "VkDisplayKHR", "VkBuffer", "VkSwapchainKHR"]) {
    defineLayer({ name: "VK_LAYER_TEST_x", onCreate: { [type]: () => ({}) } });
  }
});

Deno.test(
  "paths that the system cannot follow are told as any other driver or layer that is not there",
  NEEDS_TINY,
  () => {
    withFolder((folder) => {
      Deno.symlinkSync("loop.so", `${folder}/loop.so`);
      Deno.writeTextFileSync(`${folder}/file`, "x");
      const paths = [
        `${folder}/loop.so`,
        `${folder}/file/x.so`,
        `${folder}/${"a".repeat(300)}.so`,
        `${"a/".repeat(3000)}x.so`,
      ];
      for (const path of paths) {
        for (const options of [{ driver: path }, { driver: TINY!, layers: [path] }]) {
          const error = assertThrows(() => loadVulkan(options), DriverError, "the system cannot follow the path");
          assertEquals(error.findings.length > 0, true);
        }
      }
    });
  },
);

Deno.test("files that are no manifests and no properties are refused without being read", NEEDS_TINY, () => {
  withFolder((folder) => {
    Deno.writeFileSync(`${folder}/large.json`, new Uint8Array());
    Deno.truncateSync(`${folder}/large.json`, 5_000_000_000);
    const error = assertThrows(() => loadVulkan({ driver: `${folder}/large.json` }), DriverError);
    assertMatch(error.message, /it has 5000000000 bytes/);
    const rows = [["/dev/zero", /found no regular file/], [folder, /found a folder/], [
      `${folder}/large.json`,
      /5000000000/,
    ]];
    for (const [properties, said] of rows as [string, RegExp][]) {
      const refused = assertThrows(
        () => loadVulkan({ platform: "android", systemProperties: properties }),
        DriverError,
      );
      assertMatch(refused.message, said);
    }
  });
});

Deno.test("what a loader, an instance or a device can do says after its end that it is closed", NEEDS_TINY, () => {
  const vulkan = loadVulkan({ driver: TINY! }), instance = vulkan.vkCreateInstance({});
  const { explain, driver } = vulkan, { attach, close, [Symbol.dispose]: dispose } = instance;
  assertEquals([explain().length > 0, driver], [true, TINY]);
  vulkan.close();
  const calls = [
    () => vulkan.explain(),
    () => vulkan.drain(),
    () => vulkan.install(),
    () => vulkan.replace(layer, layer),
    () => instance.attach(layer),
    () => instance.detach(layer),
    () => instance.replace(layer, layer),
    () => attach(layer),
  ];
  for (const call of calls) assertThrows(call, TypeError, "is closed; keep it open while its objects are in use");
  vulkan.close();
  instance.close();
  close();
  dispose();
});
