import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { VkjsonInstance } from "../../loader/vkjson.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { mesa } from "../egl/drivers.ts";
import { NEEDS_TINY, TINY, tinyVariant } from "../loader/tiny.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { compileFixture } from "../support/compile.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";

const vendor = compileFixture("hwc2_vendor");

Deno.test("cli info shows what the devices can do", needs("Mesa lavapipe", lavapipePath()), async () => {
  const { code, text } = await cli("info", `--driver=${lavapipePath()}`);
  assertEquals(code, 0);
  assertStringIncludes(text, "llvmpipe");
  for (
    const line of ["  Vulkan 1.", "  Memory ", "  Queues      1: graphics compute", "  Features    1.0: ", "  Formats "]
  ) {
    assertStringIncludes(text, `\n${line}`);
  }
  assert(text.split("\n").every((line) => line.length <= 120));
});

Deno.test("cli info --json prints vkjson", NEEDS_TINY, async () => {
  const { code, text } = await cli("info", "--json", `--driver=${TINY}`),
    { devices }: VkjsonInstance = JSON.parse(text);
  const { deviceName } = devices[0].properties as { deviceName: string };
  assertEquals([code, devices.length, deviceName, devices[0].extensions], [0, 1, "Tiny driver", []]);
});

Deno.test("cli info shows the devices of all drivers that are named", NEEDS_TINY, async () => {
  const discrete = tinyVariant("type_2", "-DGPU_TYPE=2")!, both = ["--driver", TINY!, "--driver", discrete];
  const data = await cli("info", "--json", ...both), people = await cli("info", ...both);
  assertEquals([data.code, JSON.parse(data.text).devices.length], [0, 2]);
  assertEquals(people.text.match(/^Tiny driver$/gm)?.length, 2);
});

Deno.test(
  "cli info has the devices in the order of --driver, whatever the order of the loader is",
  NEEDS_TINY,
  async () => {
    const drivers = [2, 1, 4].map((type) => `--driver=${tinyVariant(`type_${type}`, `-DGPU_TYPE=${type}`)}`);
    for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2]]) {
      const { code, text } = await cli("info", "--json", "--platform=linux", ...order.map((index) => drivers[index]));
      const { devices }: VkjsonInstance = JSON.parse(text);
      const types = devices.map(({ properties }) => (properties as { deviceType: number }).deviceType);
      assertEquals([code, types], [0, order.map((index) => [2, 1, 4][index])]);
    }
  },
);

Deno.test("cli info --summary is one line for each device, and data with --json", NEEDS_TINY, async () => {
  const both = [`--driver=${TINY}`, `--driver=${tinyVariant("type_2", "-DGPU_TYPE=2")}`];
  const { code, text } = await cli("info", "--summary", ...both),
    data = await cli("info", "--summary", "--json", ...both);
  assertEquals([code, text.split("\n").map((line) => line.split(/  +/))], [0, [
    ["Tiny driver", "cpu", "Vulkan 1.3.0"],
    ["Tiny driver", "discrete-gpu", "Vulkan 1.3.0"],
  ]]);
  assertEquals(JSON.parse(data.text)[1], {
    deviceName: "Tiny driver",
    deviceType: "discrete-gpu",
    apiVersion: "1.3.0",
  });
  for (const args of [["--composer"], ["--diff=/nowhere"]]) {
    assertEquals((await cli("info", "--summary", ...args)).code, 2);
  }
});

Deno.test("cli info --diff says what a file has otherwise", NEEDS_TINY, () =>
  withFolderAsync(async (folder) => {
    const file = `${folder}/tiny.json`, driver = `--driver=${TINY}`, { text } = await cli("info", "--json", driver);
    Deno.writeTextFileSync(file, text);
    const same = await cli("info", driver, "--diff", file);
    assertEquals([same.code, same.text], [0, `this driver and ${file} say the same.`]);
    const discrete = `--driver=${tinyVariant("type_2", "-DGPU_TYPE=2")}`;
    const path = "devices[0].properties.deviceType";
    const table = await cli("info", discrete, "--diff", file),
      data = await cli("info", discrete, "--diff", file, "--json");
    assertEquals([table.code, table.text.split("\n").at(-1)!.split(/ +/)], [1, [path, "2", "4"]]);
    assertEquals([data.code, JSON.parse(data.text)], [1, [{ path, one: 2, other: 4 }]]);
    assertEquals((await cli("info", file, "--diff", file)).code, 0);
    assertStringIncludes((await cli("info", file)).text, "Tiny driver\n  Vulkan 1.3.0");
  }));

Deno.test("cli info --release and --quirks write vkjson as Android does", NEEDS_TINY, async () => {
  const { code, text } = await cli("info", "--json", `--driver=${TINY}`, "--release=14", "--quirks=aosp");
  assertEquals([code, JSON.parse(text).devices.length], [0, 1]);
  for (
    const [option, words] of [["--release=13", `"13" is not a known release`], ["--quirks=mine", `"mine" is not a set`]]
  ) {
    const { code, text } = await cli("info", `--driver=${TINY}`, option);
    assertEquals(code, 2);
    assertStringIncludes(text, words);
  }
});

Deno.test(
  "cli info --egl shows what EGL and OpenGL ES can do",
  needs(mesa.part, mesa.found),
  () =>
    withFolderAsync(async (folder) => {
      const driver = "--driver=libEGL_mesa.so.0", { code, text } = await cli("info", "--egl", driver);
      assertEquals(code, 0);
      for (
        const line of [
          "  EGL         1.5 of Mesa",
          "  Configs     ",
          "  GLES 1.1    OpenGL ES-CM 1.1",
          "  GLES 3.2    as 3.1",
        ]
      ) {
        assertStringIncludes(text, `\n${line}`);
      }
      const data = await cli("info", "--egl", "--json", driver), file = `${folder}/egl.json`;
      assertEquals(JSON.parse(data.text).own.vendor, "Mesa Project");
      Deno.writeTextFileSync(file, data.text);
      assertEquals((await cli("info", file)).text, text);
      assertEquals((await cli("info", "--egl", driver, "--diff", file)).code, 0);
      assertEquals((await cli("info", "--composer", "--diff", file)).code, 2);
    }),
);

Deno.test(
  "cli info --composer shows the reference composer, or a vendor's",
  needs("C compiler (cc)", vendor),
  async () => {
    const own = await cli("info", "--composer"), theirs = await cli("info", "--composer", `--driver=${vendor}`);
    assertEquals([own.code, theirs.code], [0, 0]);
    assertStringIncludes(own.text, "Configs     1: 1920 × 1080, 60.00 Hz");
    assertStringIncludes(theirs.text, "\nVendor (0xd000000000000001)\n");
    const { text } = await cli("info", "--composer", "--json", `--driver=${vendor}`);
    assertEquals(JSON.parse(text).displays[0].name, "Vendor");
  },
);

Deno.test("cli info says what it cannot read, open or do", async () => {
  for (
    const [args, code, words] of [
      [["/nowhere.json"], 2, `info: "/nowhere.json" is not there`],
      [["--diff=/nowhere.json"], 2, `info: "/nowhere.json" is not there`],
      [["--diff", "/nowhere.json", "--driver=/nowhere.so"], 2, `info: "/nowhere.json" is not there`],
      [[new URL("../../deno.json", import.meta.url).pathname], 2, "has no devices, contexts or displays"],
      [["--composer", "--driver=/nowhere.so"], 2, "/nowhere.so"],
      [["--composer=/nowhere.so"], 2, "/nowhere.so"],
      [["--composer=kms:/nowhere"], 2, "/nowhere"],
      [["--composer=/one.so", "--driver=/other.so"], 2, "give one composer"],
      [["--egl", "--driver=/nowhere.so"], 2, "/nowhere.so"],
      [[`--driver=${new URL("../../deno.json", import.meta.url).pathname}`], 2, "deno.json"],
      [["--egl", "--composer"], 2, "--egl and --composer"],
      [["--driver=/nowhere.so", "--json"], 2, `"error": `],
    ] as const
  ) {
    const found = await cli("info", ...args);
    assertEquals(found.code, code, args.join(" "));
    assertStringIncludes(found.text, words);
  }
});
