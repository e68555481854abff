import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { selectDriver } from "../../../loader/driver/select.ts";
import { linux } from "../../../loader/platform/linux.ts";
import { DriverError, type Finding, loadVulkan, requireDriver } from "../../../loader/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { withEnvironment, withFolder } from "../../support/temporary.ts";
import { deviceTypes } from "./machine.ts";
import { NEEDS_TINY, TINY, tinyVariant } from "../tiny.ts";

const lavapipe = lavapipePath();
/** VkPhysicalDeviceType: integrated, discrete. */
const [INTEGRATED, DISCRETE] = [1, 2].map((type) => tinyVariant(`type_${type}`, `-DGPU_TYPE=${type}`)!);
const NO_GPU = tinyVariant("no_gpu", "-DNO_GPU")!, FAILING = tinyVariant("failing", "-DFAIL_CREATE=-9")!;

/** Loads "auto" where only these drivers have manifests. */
function auto<T>(drivers: readonly string[], use: (folder: string) => T): T {
  return withFolder((folder) => {
    drivers.forEach((library, index) => {
      const manifest = { file_format_version: "1.0.0", ICD: { library_path: library, api_version: "1.3.0" } };
      Deno.writeTextFileSync(`${folder}/${index}.json`, JSON.stringify(manifest));
    });
    return withEnvironment({ VK_DRIVER_FILES: folder }, () => use(folder));
  });
}

function explained(drivers: readonly string[]): Finding[] {
  return auto(drivers, () => {
    using vulkan = loadVulkan();
    return vulkan.explain().filter(({ subject }) => subject === "driver");
  });
}

Deno.test('"auto" takes all drivers with a device, and the best device goes first', NEEDS_TINY, () => {
  for (const drivers of [[TINY!, DISCRETE, INTEGRATED], [INTEGRATED, TINY!, DISCRETE], [DISCRETE, INTEGRATED, TINY!]]) {
    auto(drivers, () => {
      using vulkan = loadVulkan({ platform: "linux" });
      const findings = vulkan.explain().filter(({ subject }) => subject === "driver");
      assertEquals(findings.map(({ path, taken }) => [path, taken]), drivers.map((path) => [path, true]));
      assert(findings.every((each) => each.origin.endsWith(".json")));
      using instance = vulkan.vkCreateInstance({});
      assertEquals(deviceTypes(instance), [2, 1, 4]);
    });
  }
});

Deno.test("selectDriver() keeps the first of the best drivers where they cannot be joined", {
  ignore: NEEDS_TINY.ignore || needs("Mesa lavapipe", lavapipe).ignore,
}, () => {
  for (const drivers of [[TINY!, lavapipe!], [lavapipe!, TINY!], [TINY!, DISCRETE]]) {
    auto(drivers, () => {
      const { driver, findings: report } = selectDriver({ kind: "auto" }, { platform: "linux" }, linux);
      const best = drivers.includes(DISCRETE) ? 1 : 0;
      driver.close();
      assertEquals([mappings(drivers[best]), mappings(drivers[1 - best])], [0, 0]);
      const findings = report.filter(({ subject }) => subject === "driver");
      assertEquals(findings.map((each) => each.taken), best ? [false, true] : [true, false]);
      assertStringIncludes(findings[best].reason, "the best device found");
      assertStringIncludes(findings[1 - best].reason, `but ${drivers[best]} ranks first`);
    });
  }
});

Deno.test("one driver that two manifests lead to counts once", NEEDS_TINY, () => {
  const findings = explained([TINY!, TINY!]);
  assertEquals(findings.map((each) => each.taken), [true, false]);
  assertStringIncludes(findings[1].reason, "0.json leads to");
});

Deno.test('"auto" says of each driver why it was not taken', NEEDS_TINY, () => {
  const findings = explained([NO_GPU, "/nowhere/libvulkan_x.so", FAILING, TINY!]);
  assertEquals(findings.map((each) => each.taken), [false, false, false, true]);
  assertStringIncludes(findings[0].reason, "no physical device");
  assertStringIncludes(findings[1].reason, "/nowhere/libvulkan_x.so");
  assertStringIncludes(findings[2].reason, "vkCreateInstance returned -9");
});

Deno.test(
  'acceptance 29: "auto" keeps drivers without a device, which may get some, and closes all in the end',
  NEEDS_TINY,
  () => {
    const files = openFiles();
    auto([DISCRETE, TINY!, NO_GPU], () => {
      using _vulkan = loadVulkan();
      assertEquals([mappings("type_2") > 0, mappings("tiny_driver.so") > 0, mappings("no_gpu") > 0], [
        true,
        true,
        true,
      ]);
    });
    assertEquals([openFiles(), mappings("tiny_driver")], [files, 0]);
  },
);

Deno.test('"auto" lists everything it looked at when it finds no driver', NEEDS_TINY, () => {
  auto([NO_GPU, "/nowhere/libvulkan_x.so"], (folder) => {
    Deno.writeTextFileSync(`${folder}/broken.json`, "{");
    const error = assertThrows(() => requireDriver(loadVulkan()), DriverError);
    for (const word of [NO_GPU, "no physical device", "/nowhere/libvulkan_x.so", `${folder}/broken.json`, "not JSON"]) {
      assertStringIncludes(error.message, word);
    }
    assertStringIncludes(error.message, "install one");
  });
  auto([], () => assertThrows(() => requireDriver(loadVulkan()), DriverError, "found no driver manifest"));
});

Deno.test("loadVulkan() tells log what it looked at", NEEDS_TINY, () => {
  const said: string[] = [];
  auto([NO_GPU, TINY!], () => loadVulkan({ log: (sentence) => said.push(sentence) }).close());
  assertEquals(said.length, 3);
  assertStringIncludes(said[0], "VK_DRIVER_FILES=");
  assertStringIncludes(said[1], `${NO_GPU}: has no physical device`);
  assertStringIncludes(said[2], `${TINY}: has Tiny driver`);
});

Deno.test("vulkan.driver is the library that was opened", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY! });
  assertEquals(vulkan.driver, TINY);
});
