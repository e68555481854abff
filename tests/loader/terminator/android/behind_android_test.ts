import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import { DriverError, loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { androidOptions, halAround, withRoot } from "../../driver/android/root.ts";
import { fillAndRead } from "../../fill.ts";
import { NEEDS_TINY, TINY_HAL } from "../../tiny.ts";
import { AndroidDriverFixture, NEEDS_DRIVER } from "./fixture.ts";

const lavapipe = lavapipePath(), LIB64 = "/vendor/lib64/hw";
const PROPERTIES = { "ro.board.platform": "sun", "ro.gfx.driver.0": "org.driver" };
const LATE = `/data/app/org.driver/lib/${Deno.build.arch === "aarch64" ? "arm64" : "x86_64"}`;
/** Lets an application have an updatable driver. */
const UPDATABLE = { app: { packageName: "org.example" }, settings: { updatable_driver_all_apps: "1" } };

/** Fills a buffer by applications of 1.0 and 1.3, over lavapipe and over a HAL around it. */
function fillThrough(layers: readonly string[]): void {
  for (const driver of [lavapipe!, halAround(lavapipe!, "lavapipe")!]) {
    using vulkan = loadVulkan({ driver, platform: "android", layers });
    for (const apiVersion of [1 << 22, 1 << 22 | 3 << 12]) {
      using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion } });
      assertEquals(fillAndRead(instance, 0x48574d54), 0x48574d54);
    }
  }
}

const NEEDS_HAL = { ignore: needs("Mesa lavapipe", lavapipe).ignore || NEEDS_TINY.ignore };

Deno.test("VK11: Android's level works over lavapipe and over a HAL around it", NEEDS_HAL, () => fillThrough([]));

Deno.test("VK16: Android's level works below a layer made for Linux", {
  ignore: NEEDS_HAL.ignore || needs("Khronos validation layer", validationManifest()).ignore,
}, () => fillThrough(["VK_LAYER_KHRONOS_validation"]));

Deno.test("Android's level leaves nothing behind", NEEDS_DRIVER, () => {
  const fixture = new AndroidDriverFixture(""), use = () => fixture.withDevice(() => {});
  use(); // whatever is opened once for the process is open now
  const before = [openFiles(), openBlocks(), mappings("android_driver")];
  for (let round = 0; round < 20; round++) use();
  assertEquals([openFiles(), openBlocks(), mappings("android_driver")], before);
});

Deno.test("a late updatable driver takes over when no instance is left", NEEDS_TINY, () => {
  withRoot({ [`${LIB64}/vulkan.sun.so`]: TINY_HAL! }, (root) => {
    using vulkan = loadVulkan(androidOptions(root, PROPERTIES, UPDATABLE));
    const used = () => [mappings(`${root}${LIB64}`) > 0, mappings(`${root}${LATE}`) > 0];
    const first = vulkan.vkCreateInstance({});
    Deno.mkdirSync(root + LATE, { recursive: true });
    Deno.copyFileSync(TINY_HAL!, `${root}${LATE}/vulkan.sun.so`);
    using second = vulkan.vkCreateInstance({});
    assertEquals(used(), [true, false]);
    first.close();
    second.close();
    for (let round = 0; round < 2; round++) {
      using third = vulkan.vkCreateInstance({});
      assertEquals([used(), third.vkEnumeratePhysicalDevices().length], [[false, true], 1]);
    }
  });
});

Deno.test("a late updatable driver that cannot be used is an error, and the first one stays", NEEDS_TINY, () => {
  withRoot({ [`${LIB64}/vulkan.sun.so`]: TINY_HAL! }, (root) => {
    using vulkan = loadVulkan(androidOptions(root, PROPERTIES, UPDATABLE));
    Deno.mkdirSync(root + LATE, { recursive: true });
    Deno.writeTextFileSync(`${root}${LATE}/vulkan.sun.so`, "no library");
    const error = assertThrows(() => vulkan.vkCreateInstance({}), DriverError);
    assertStringIncludes(error.message, "Cannot use the updatable driver");
    Deno.removeSync(`${root}/data`, { recursive: true });
    using instance = vulkan.vkCreateInstance({});
    assertEquals(instance.vkEnumeratePhysicalDevices().length, 1);
  });
});
