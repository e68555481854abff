import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { parseVersion, resolveLibrary } from "../../../../loader/driver/manifest/manifest.ts";
import { withFolder } from "../../../support/temporary.ts";
import { VulkanError } from "../../../../loader/error.ts";
import type { Vulkan } from "../../../../loader/mod.ts";
import { NEEDS_TINY, TINY, tinyCount } from "../../tiny.ts";
import { fakeHost } from "../fake_host.ts";
import { deviceTypes, findingOf, interfaceDriver, loadManifest, loadWith, writeManifest } from "../machine.ts";

Deno.test("parseVersion() reads three parts, four with the variant in front, and nonsense as 0", () => {
  assertEquals(parseVersion("1.3.230"), { variant: 0, major: 1, minor: 3, patch: 230 });
  assertEquals(parseVersion("1.0.3.2"), { variant: 1, major: 0, minor: 3, patch: 2 });
  assertEquals(parseVersion("1.2"), { variant: 0, major: 1, minor: 2, patch: 0 });
  assertEquals(parseVersion("new"), { variant: 0, major: 0, minor: 0, patch: 0 });
});

Deno.test("acceptance 12: a library_path with a separator is relative to its manifest", NEEDS_TINY, () => {
  withFolder((folder) => {
    Deno.mkdirSync(`${folder}/lib`);
    Deno.copyFileSync(TINY!, `${folder}/lib/tiny.so`);
    for (const named of ["../lib/tiny.so", "./../lib/tiny.so"]) {
      const manifest = writeManifest(`${folder}/icd.d/a.json`, named);
      const { driver } = loadWith({ env: { VK_DRIVER_FILES: manifest } });
      assertEquals(Deno.realPathSync(driver), Deno.realPathSync(`${folder}/lib/tiny.so`));
    }
  });
});

Deno.test("a manifest that is named without a folder leads to the library beside it", NEEDS_TINY, () => {
  const before = Deno.cwd();
  withFolder((folder) => {
    const library = "libvulkan.so.1"; // which the system has as well, and which is no driver
    Deno.copyFileSync(TINY!, `${folder}/${library}`);
    writeManifest(`${folder}/mine.json`, `./${library}`);
    try {
      Deno.chdir(folder);
      for (const options of [{ driver: "mine.json" }, {}]) {
        const names: string[] = [];
        const { message } = loadWith({ env: { VK_DRIVER_FILES: "mine.json" } }, (vulkan) => {
          using instance = vulkan.vkCreateInstance({});
          const gpus = instance.vkEnumeratePhysicalDevices();
          names.push(...gpus.map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName));
        }, options);
        assertEquals([names, message], [["Tiny driver"], ""]);
      }
    } finally {
      Deno.chdir(before);
    }
  });
});

Deno.test("resolveLibrary() leaves a bare name to the system alone, and nothing that has a folder", () => {
  const rows = [
    ["mine.json", "./lib.so", "./lib.so"],
    ["mine.json", ".//lib.so", "./lib.so"],
    ["mine.json", "../lib.so", "./../lib.so"],
    ["mine.json", "lib.so", "lib.so"],
    ["/a/mine.json", "./lib.so", "/a/lib.so"],
    ["a/mine.json", "b/lib.so", "a/b/lib.so"],
  ];
  for (const [manifest, named, expected] of rows) assertEquals(resolveLibrary(manifest, named), expected);
});

Deno.test(
  "acceptance 34: a portability driver is hidden from an application that does not ask for it",
  NEEDS_TINY,
  () => {
    const path = interfaceDriver("v7", "-DINTERFACE=7")!, name = "VK_KHR_portability_enumeration";
    withFolder((folder) => {
      const manifest = writeManifest(`${folder}/a.json`, path, { is_portability_driver: true });
      using vulkan = loadVulkan({ host: fakeHost({ env: { VK_DRIVER_FILES: manifest } }), platform: "linux" });
      const results = [{}, { flags: 1 }, { ppEnabledExtensionNames: [name] }].map((info) => resultOf(vulkan, info));
      assertEquals(results, [-9, -9, -9]);
      assert(vulkan.vkEnumerateInstanceExtensionProperties(null).some((each) => each.extensionName === name));
      assertEquals(resultOf(vulkan, { flags: 1, ppEnabledExtensionNames: [name] }), 1);
      assertStringIncludes(findingOf(vulkan.explain(), "manifest")!.reason, "portability driver");
    });
  },
);

Deno.test("acceptance 34: flag and extension do not reach a driver that does not offer them", NEEDS_TINY, () => {
  const name = "VK_KHR_portability_enumeration";
  const plain = interfaceDriver("v7", "-DINTERFACE=7")!, offering = interfaceDriver("offers", `-DEXTENSION="${name}"`)!;
  for (const [path, seen] of [[plain, [0, 0]], [offering, [1, 1]]] as const) {
    withFolder((folder) => {
      const manifest = writeManifest(`${folder}/a.json`, path, { is_portability_driver: true });
      using vulkan = loadVulkan({ host: fakeHost({ env: { VK_DRIVER_FILES: manifest } }), platform: "linux" });
      using _instance = vulkan.vkCreateInstance({ flags: 1, ppEnabledExtensionNames: [name] });
      assertEquals(["created_flags", "created_extensions"].map((count) => tinyCount(count, path)), seen);
    });
  }
});

Deno.test("acceptance 34: an application that does not ask sees the conformant drivers alone", NEEDS_TINY, () => {
  const better = interfaceDriver("discrete", "-DGPU_TYPE=2")!, name = "VK_KHR_portability_enumeration";
  withFolder((folder) => {
    writeManifest(`${folder}/a.json`, better, { is_portability_driver: true });
    writeManifest(`${folder}/b.json`, TINY!);
    loadWith({ env: { VK_DRIVER_FILES: folder } }, (vulkan) => {
      using plain = vulkan.vkCreateInstance({});
      using asking = vulkan.vkCreateInstance({ flags: 1, ppEnabledExtensionNames: [name] });
      assertEquals([plain, asking].map(deviceTypes), [[4], [2, 4]]);
    });
  });
});

Deno.test("acceptance 41: a manifest with variant ≠ 0 is skipped", NEEDS_TINY, () => {
  const { driver, findings } = loadManifest(TINY!, { api_version: "1.1.3.0" });
  assertEquals([driver, findingOf(findings, "manifest")?.taken], ["", false]);
  assertStringIncludes(findingOf(findings, "manifest")!.reason, "has variant 1");
  assertEquals(loadManifest(TINY!, { api_version: "0.1.3.0" }).driver, TINY);
});

Deno.test("acceptance 42: an unknown file_format_version is accepted, and said", NEEDS_TINY, () => {
  for (const file_format_version of ["1.0.2", "1.1.0", "7.0.0", "9999.9999.9999"]) {
    const { driver, findings } = loadManifest(TINY!, {}, { file_format_version });
    assertEquals(driver, TINY);
    assertStringIncludes(findingOf(findings, "manifest")!.reason, "newer than 1.0.1");
  }
  assertEquals(loadManifest(TINY!, {}, { file_format_version: 1 }).driver, "");
});

Deno.test("acceptance 42: library_arch 64 is accepted, 32 is skipped, others are ignored and said", NEEDS_TINY, () => {
  assertEquals(loadManifest(TINY!, { library_arch: "64" }).driver, TINY);
  assertStringIncludes(loadManifest(TINY!, { library_arch: "32" }).message, "library_arch is 32");
  const odd = loadManifest(TINY!, { library_arch: "x86" });
  assertEquals(odd.driver, TINY);
  assertStringIncludes(findingOf(odd.findings, "manifest")!.reason, 'library_arch "x86"');
});

Deno.test(
  "acceptance 44: libraries for other machines and dummy files are skipped and said as such",
  NEEDS_TINY,
  () => {
    const whole = Deno.readFileSync(TINY!);
    const changed = (at: number, value: number) => whole.map((byte, index) => index === at ? value : byte);
    const cases: [Uint8Array, string][] = [
      [changed(4, 1), "32-bit library"],
      [changed(18, 243), "RISC-V"],
      [changed(18, Deno.build.arch === "x86_64" ? 183 : 62), Deno.build.arch === "x86_64" ? "AArch64" : "x86-64"],
      [new TextEncoder().encode("dummy"), "ELF"],
      [new Uint8Array(0), "empty file"],
      [whole.slice(0, 5000), "get the whole file"],
    ];
    withFolder((folder) => {
      for (const [bytes, words] of cases) {
        Deno.writeFileSync(`${folder}/driver.so`, bytes);
        const files = [writeManifest(`${folder}/a.json`, "./driver.so"), writeManifest(`${folder}/b.json`, TINY!)];
        const { driver, findings } = loadWith({ env: { VK_DRIVER_FILES: files.join(":") } });
        assertEquals(driver, TINY);
        assertStringIncludes(findingOf(findings, "driver", "driver.so")!.reason, words);
      }
    });
  },
);

Deno.test("acceptance 46: a manifest may be a link; a dangling one is skipped", NEEDS_TINY, () => {
  withFolder((folder) => {
    writeManifest(`${folder}/real/driver.json`, TINY!);
    Deno.mkdirSync(`${folder}/icd.d`);
    Deno.symlinkSync(`${folder}/real/driver.json`, `${folder}/icd.d/b.json`);
    Deno.symlinkSync(`${folder}/real/gone.json`, `${folder}/icd.d/a.json`);
    const { driver, findings } = loadWith({ env: { VK_DRIVER_FILES: `${folder}/icd.d` } });
    assertEquals(driver, TINY);
    assertStringIncludes(findingOf(findings, "manifest", "a.json")!.reason, "no such file");
  });
});

Deno.test(
  "acceptance 46: a linked manifest's library is looked for beside the link, then beside the manifest",
  NEEDS_TINY,
  () => {
    withFolder((folder) => {
      writeManifest(`${folder}/real/driver.json`, "./tiny.so");
      Deno.copyFileSync(TINY!, `${folder}/real/tiny.so`);
      Deno.mkdirSync(`${folder}/icd.d`);
      Deno.symlinkSync(`${folder}/real/driver.json`, `${folder}/icd.d/a.json`);
      const load = () => Deno.realPathSync(loadWith({ env: { VK_DRIVER_FILES: `${folder}/icd.d` } }).driver);
      assertEquals(load(), Deno.realPathSync(`${folder}/real/tiny.so`));
      Deno.copyFileSync(TINY!, `${folder}/icd.d/tiny.so`);
      assertEquals(load(), Deno.realPathSync(`${folder}/icd.d/tiny.so`));
    });
  },
);

Deno.test("acceptance 47: manifests and libraries may have any name that UTF-8 can write", NEEDS_TINY, () => {
  withFolder((folder) => {
    const place = `${folder}/ドライバ 🌋 é`;
    const manifest = writeManifest(`${place}/пемза.json`, "./浮石.so");
    Deno.copyFileSync(TINY!, `${place}/浮石.so`);
    for (const value of [manifest, place]) {
      const { driver } = loadWith({ env: { VK_DRIVER_FILES: value } }, (vulkan) => {
        using instance = vulkan.vkCreateInstance({});
        assert(instance.vkEnumeratePhysicalDevices().length === 1);
      });
      assertEquals(driver, `${place}/浮石.so`);
    }
  });
});

/** The number of an instance's devices, or the result that making it ended with. */
function resultOf(vulkan: Vulkan, info: { flags?: number; ppEnabledExtensionNames?: string[] }): number {
  try {
    using instance = vulkan.vkCreateInstance(info);
    return instance.vkEnumeratePhysicalDevices().length;
  } catch (error) {
    if (error instanceof VulkanError) return error.code;
    throw error;
  }
}
