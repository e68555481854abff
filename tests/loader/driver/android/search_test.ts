import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Library } from "../../../../ffi/library/library.ts";
import { peek64 } from "../../../../ffi/machine.ts";
import { openDriver } from "../../../../loader/driver/interface/driver.ts";
import { findAndroidDriver, successorOf } from "../../../../loader/driver/android/search.ts";
import { denoHost } from "../../../../loader/driver/host/host.ts";
import { loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { fillAndRead } from "../../fill.ts";
import { NEEDS_TINY, TINY, TINY_HAL } from "../../tiny.ts";
import { androidOptions, halAround, loadFrom, withRoot, WRONG } from "./root.ts";
import { fakeHost } from "../fake_host.ts";
import { findingOf } from "../machine.ts";

const lavapipe = lavapipePath();
const HAL = TINY_HAL!, BOTH = { "ro.hardware.vulkan": "adreno", "ro.board.platform": "sun" };
const LIB64 = "/vendor/lib64/hw", LIB = "/vendor/lib/hw";

Deno.test("VK9: ro.hardware.vulkan's file goes before ro.board.platform's", NEEDS_TINY, () => {
  const files = { [`${LIB64}/vulkan.sun.so`]: HAL, [`${LIB64}/vulkan.adreno.so`]: HAL };
  assertEquals(loadFrom(files, BOTH).driver, `${LIB64}/vulkan.adreno.so`);
  assertEquals(loadFrom({ [`${LIB64}/vulkan.sun.so`]: HAL }, BOTH).driver, `${LIB64}/vulkan.sun.so`);
});

Deno.test("VK9: /vendor/lib64/hw goes before /vendor/lib/hw, both before the next property", NEEDS_TINY, () => {
  const files = { [`${LIB}/vulkan.adreno.so`]: HAL, [`${LIB64}/vulkan.sun.so`]: HAL };
  assertEquals(loadFrom(files, BOTH).driver, `${LIB}/vulkan.adreno.so`);
  const all = { ...files, [`${LIB64}/vulkan.adreno.so`]: HAL };
  assertEquals(loadFrom(all, BOTH).driver, `${LIB64}/vulkan.adreno.so`);
});

Deno.test("an empty property is skipped, and no default name is tried", NEEDS_TINY, () => {
  const files = { [`${LIB64}/vulkan.sun.so`]: HAL, [`${LIB64}/vulkan..so`]: HAL };
  assertEquals(loadFrom(files, { ...BOTH, "ro.hardware.vulkan": "" }).driver, `${LIB64}/vulkan.sun.so`);
  assertEquals(loadFrom({ [`${LIB64}/vulkan.default.so`]: HAL }, BOTH).driver, "stub HAL");
});

Deno.test(
  "the property that only documents name is not read, and the driver that it means is named",
  NEEDS_TINY,
  () => {
    const files = { [`${LIB64}/vulkan.moon.so`]: HAL }, misspelt = { "ro.product.platform": "moon" };
    const { driver, findings } = loadFrom(files, misspelt),
      found = findingOf(findings, "driver", "lib64/hw/vulkan.moon.so");
    assertEquals([driver, found?.taken, found?.origin], ["stub HAL", false, "ro.product.platform"]);
    assertStringIncludes(found!.reason, "reads ro.board.platform");
    const both = loadFrom(files, { ...misspelt, "ro.board.platform": "moon" });
    assertEquals(both.findings.filter(({ origin }) => origin === "ro.product.platform"), []);
  },
);

Deno.test("a file that cannot be loaded is passed over", NEEDS_TINY, () => {
  const files = { [`${LIB64}/vulkan.adreno.so`]: "text:not a library", [`${LIB64}/vulkan.sun.so`]: HAL };
  const { driver, findings } = loadFrom(files, BOTH);
  assertEquals(driver, `${LIB64}/vulkan.sun.so`);
  assertStringIncludes(findingOf(findings, "driver", "lib64/hw/vulkan.adreno.so")!.reason, "ELF");
});

Deno.test("a module that loads and is broken ends the search: the stub HAL is used", NEEDS_TINY, () => {
  for (const [broken, words] of [[WRONG.otherId, '"gralloc" module'], [WRONG.noModule, "exports no HMI"]]) {
    const files = { [`${LIB64}/vulkan.adreno.so`]: broken, [`${LIB64}/vulkan.sun.so`]: HAL };
    const { driver, findings } = loadFrom(files, BOTH);
    assertEquals(driver, "stub HAL");
    assertStringIncludes(findingOf(findings, "driver", "lib64/hw/vulkan.adreno.so")!.reason, words);
    assertStringIncludes(findingOf(findings, "driver", "stub HAL")!.reason, "is broken");
    assertEquals(findingOf(findings, "driver", "vulkan.sun.so"), undefined);
  }
});

Deno.test(
  "VK10: the module's dso is written, its tag and versions are not looked at, vk0 is opened",
  NEEDS_TINY,
  () => {
    const path = halAround(TINY!, "odd", "-DODD")!;
    using driver = openDriver(path);
    using library = Library.open(path);
    assertEquals(peek64(library.require("HMI") + 40n), library.handle);
    assertEquals([driver.kind, [...driver.given.keys()].length], ["hal", 2]);
  },
);

Deno.test("a HAL whose open refuses is an error; with AOSP's quirks a loader that always fails", NEEDS_TINY, () => {
  const files = { [`${LIB64}/vulkan.adreno.so`]: WRONG.refusing, [`${LIB64}/vulkan.sun.so`]: HAL };
  assertStringIncludes(loadFrom(files, BOTH).message, 'open("vk0") returned -2');
  const seen: unknown[] = [];
  loadFrom(files, BOTH, { quirks: "aosp" }, (vulkan) => {
    const created = assertThrows(() => vulkan.vkCreateInstance({}), VulkanError);
    const listed = assertThrows(() => vulkan.vkEnumerateInstanceExtensionProperties(null), VulkanError);
    const version = assertThrows(() => vulkan.vkEnumerateInstanceVersion(), VulkanError);
    seen.push(created.code, listed.code, version.code);
  });
  assertEquals(seen, [-3, -1, -1]);
});

Deno.test("the APEX of ro.vulkan.apex goes before the built-in driver", NEEDS_TINY, () => {
  const apex = "/apex/com.example.vulkan/lib64", builtIn = { [`${LIB64}/vulkan.adreno.so`]: HAL };
  const properties = { ...BOTH, "ro.vulkan.apex": "com.example.vulkan" };
  for (const path of [`${apex}/hw/vulkan.sun.so`, `${apex}/vulkan.sun.so`]) {
    assertEquals(loadFrom({ ...builtIn, [path]: HAL }, properties).driver, path);
  }
  assertEquals(loadFrom(builtIn, properties).driver, `${LIB64}/vulkan.adreno.so`);
  assertEquals(loadFrom({ ...builtIn, [`${apex}/hw/vulkan.sun.so`]: WRONG.otherId }, properties).driver, "stub HAL");
});

Deno.test("an updatable driver goes before all; one that cannot be loaded is an error", NEEDS_TINY, () => {
  const files = {
    [`${LIB64}/vulkan.adreno.so`]: HAL,
    "/data/u/lib/vulkan.sun.so": HAL,
    "/data/b/vulkan.sun.so": WRONG.otherId,
  };
  const updatableDriver = "/data/none:/data/u/lib";
  assertEquals(loadFrom(files, BOTH, { updatableDriver }).driver, "/data/u/lib/vulkan.sun.so");
  for (const [path, words] of [["/data/none", "no such file"], ["/data/b", "gralloc"], ["/x.apk!/lib", "unpack it"]]) {
    const { driver, message } = loadFrom(files, BOTH, { updatableDriver: path });
    assertEquals(driver, "");
    assertStringIncludes(message, words);
    assertStringIncludes(message, "Android would end the process");
  }
});

Deno.test("UPDATABLE_GFX_DRIVER=1 asks the GPU service, and only exactly 1 does", NEEDS_TINY, () => {
  const abi = Deno.build.arch === "aarch64" ? "arm64-v8a" : "x86_64", updatable = `/data/gpu/${abi}/vulkan.sun.so`;
  const files = { [`${LIB64}/vulkan.adreno.so`]: HAL, [updatable]: HAL };
  const updatableDriver = { gpuService: "/data/gpu/" };
  const load = (env: Record<string, string>, given = true) => {
    const host = fakeHost({ system: "android", env });
    return loadFrom(files, BOTH, { host, ...(given && { updatableDriver }) });
  };
  assertEquals(load({ UPDATABLE_GFX_DRIVER: "1" }).driver, updatable);
  for (const other of ["0", "2", "true"]) {
    const { driver, findings } = load({ UPDATABLE_GFX_DRIVER: other });
    assertEquals(driver, `${LIB64}/vulkan.adreno.so`);
    assertEquals(findingOf(findings, "variable")?.taken, false);
  }
  assertEquals(load({ UPDATABLE_GFX_DRIVER: "1" }, false).driver, `${LIB64}/vulkan.adreno.so`);
});

Deno.test("hw_get_module's order: its properties, then default, in /odm, /vendor and /system", NEEDS_TINY, () => {
  const folders = ["/odm/lib64/hw", "/vendor/lib64/hw", "/system/lib64/hw"];
  const properties = {
    "ro.hardware.vulkan": "a",
    "ro.hardware": "b",
    "ro.product.board": "c",
    "ro.board.platform": "d",
    "ro.arch": "e",
  };
  const order = ["a", "b", "c", "d", "e", "default"].flatMap((name) =>
    folders.map((folder) => `${folder}/vulkan.${name}.so`)
  );
  const files = Object.fromEntries(order.map((path) => [path, HAL]));
  for (const path of order) {
    assertEquals(loadFrom(files, properties, { halSearch: "hw_get_module" }).driver, path);
    delete files[path];
  }
  assertEquals(loadFrom({}, properties, { halSearch: "hw_get_module" }).driver, "stub HAL");
});

Deno.test(
  "hw_get_module takes the first file that exists; when it does not load, there is no driver",
  NEEDS_TINY,
  () => {
    const files = { [`${LIB64}/vulkan.adreno.so`]: "text:not a library", [`${LIB64}/vulkan.sun.so`]: HAL };
    assertEquals(loadFrom(files, BOTH, { halSearch: "hw_get_module" }).driver, "stub HAL");
  },
);

Deno.test(
  "without the systemProperties option they come from the files below root, the most specific last",
  NEEDS_TINY,
  () => {
    const files = {
      "/system/build.prop": "text:ro.board.platform=wrong\nro.hardware.vulkan=adreno\n",
      "/vendor/build.prop": "text:ro.board.platform=sun\n",
      [`${LIB64}/vulkan.sun.so`]: HAL,
    };
    const { driver, findings } = loadFrom(files, {}, { systemProperties: undefined });
    assertEquals(driver, `${LIB64}/vulkan.sun.so`);
    const { value, origin } = findingOf(findings, "property", "ro.board.platform")!;
    assertEquals(value, "sun");
    assertStringIncludes(origin, "/vendor/build.prop");
  },
);

Deno.test("no environment variable chooses Android's driver", NEEDS_TINY, () => {
  const host = fakeHost({
    system: "android",
    env: { VK_DRIVER_FILES: "/nowhere.json", VK_ICD_FILENAMES: "/nowhere.json" },
  });
  assertEquals(loadFrom({ [`${LIB64}/vulkan.sun.so`]: HAL }, BOTH, { host }).driver, `${LIB64}/vulkan.sun.so`);
});

Deno.test('platform "auto" is that of the system; another word is refused', NEEDS_TINY, () => {
  withRoot({ [`${LIB64}/vulkan.sun.so`]: HAL }, (root) => {
    using vulkan = loadVulkan(androidOptions(root, BOTH, { platform: "auto" }));
    assertEquals(vulkan.driver, `${root}${LIB64}/vulkan.sun.so`);
    assertEquals(vulkan.explain()[0].path, "android");
  });
  assertThrows(() => loadVulkan({ platform: "windows" as "linux" }), TypeError, "windows");
});

Deno.test("a late updatable driver takes the place of a built-in one, never of the stub", NEEDS_TINY, () => {
  const before = openFiles();
  withRoot({ [`${LIB64}/vulkan.sun.so`]: HAL }, (root) => {
    const options = androidOptions(root, BOTH),
      host = options.host ?? denoHost(),
      late = { ...options, app: { packageName: "org.example" } };
    const settings = { updatable_driver_all_apps: "1" }, properties = { ...BOTH, "ro.gfx.driver.0": "org.driver" };
    const builtIn = findAndroidDriver(options, host, []);
    using _old = builtIn.driver;
    assertEquals(successorOf(builtIn, options, host), undefined);
    const successor = successorOf(builtIn, { ...late, settings, systemProperties: properties }, host)!;
    assertEquals(successor(), undefined);
    const abi = Deno.build.arch === "aarch64" ? "arm64" : "x86_64", folder = `${root}/data/app/org.driver/lib/${abi}`;
    Deno.mkdirSync(folder, { recursive: true });
    Deno.copyFileSync(HAL, `${folder}/vulkan.sun.so`);
    using fresh = successor()!;
    assertEquals([fresh.path, successor()], [`${folder}/vulkan.sun.so`, undefined]);
    assertEquals(successorOf({ source: "stub" }, late, host), undefined);
  });
  assertEquals(openFiles(), before);
});

Deno.test("VK11: a HAL module around a real driver fills a buffer", needs("Mesa lavapipe", lavapipe), () => {
  const hal = halAround(lavapipe!, "lavapipe");
  if (!hal) return;
  let word = 0;
  const { driver } = loadFrom({ [`${LIB64}/vulkan.sun.so`]: hal }, BOTH, {}, (vulkan) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 1 << 22 | 3 << 12 } });
    word = fillAndRead(instance, 0x48574d54);
  });
  assertEquals([driver, word], [`${LIB64}/vulkan.sun.so`, 0x48574d54]);
});
