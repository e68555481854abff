import { assert, assertEquals } from "@std/assert";
import { linuxExports } from "../../../loader/install/exports.ts";
import { lavapipePath, swiftshaderPath, systemLoaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { compileNativeApp } from "./native_app.ts";
import { runCounted } from "./run_counted.ts";

const driver = lavapipePath(), app = compileNativeApp("dlopen"), linked = compileNativeApp("libvulkan.so.1");
const NEEDS_APP = { ignore: needs("Mesa lavapipe", driver).ignore || needs("Vulkan headers and registry", app).ignore };

const NEEDS_VALIDATED = { ignore: NEEDS_APP.ignore || needs("Khronos validation layer", validationManifest()).ignore };
const VALIDATION = "VK_LAYER_KHRONOS_validation";

/** Runs the program and checks that it drew right, through this loader alone; returns what the layer counted. */
function run(
  path: string,
  soname: string,
  where: "here" | "thread",
  byDevice: 0 | 1,
  drivers = driver!,
  ...more: readonly string[]
): Record<string, number> {
  const args = [drivers, path, soname, where, `${byDevice}`, ...more];
  const { result, right, mapped, counts } = runCounted("native_app", args);
  assertEquals([result, right, mapped], [0, true, 0]);
  return counts;
}

Deno.test("a native program that opens Vulkan runs through a TypeScript layer", NEEDS_APP, () => {
  for (const soname of ["libvulkan.so.1", "libvulkan.so"]) {
    for (const byDevice of [0, 1] as const) {
      const counts = run(app!, soname, "here", byDevice);
      const { vkCreateInstance, vkCmdFillBuffer, vkQueueSubmit, vkDestroyDevice } = counts;
      assertEquals({ vkCreateInstance, vkCmdFillBuffer, vkQueueSubmit, vkDestroyDevice }, {
        vkCreateInstance: 1,
        vkCmdFillBuffer: 1,
        vkQueueSubmit: 1,
        vkDestroyDevice: 1,
      });
    }
  }
});

Deno.test("a native program that is linked with Vulkan runs through a TypeScript layer", NEEDS_APP, () => {
  assertEquals(run(linked!, "", "here", 0).vkCmdFillBuffer, 1);
});

Deno.test("a native program runs on a thread of its own, where hooks are skipped", NEEDS_APP, () => {
  for (const path of [app!, linked!]) {
    const counts = run(path, "libvulkan.so.1", "thread", 1);
    assertEquals(counts, { vkCreateInstance: 1, vkCreateDevice: 1 });
  }
});

/** A native program's calls of two commands each time, and what else the layers made of it. */
const CALLED = ["vkCmdFillBuffer", "vkQueueSubmit"];
/** The ends of a device and an instance; an installed loader has no hooks of these below native layers. */
const ENDED = ["vkDestroyDevice", "vkDestroyInstance"];

Deno.test(
  "what a native program calls on a thread of its own is recorded for layers that want it",
  NEEDS_VALIDATED,
  () => {
    const counts = run(app!, "libvulkan.so.1", "thread", 1, driver, "record", VALIDATION, "TypeScript");
    for (const command of CALLED) {
      assertEquals([counts[command], counts[`recorded ${command}`], counts[`recorded below ${command}`]], [
        undefined,
        1,
        1,
      ]);
    }
    for (const command of ENDED) assertEquals([counts[command], counts[`recorded ${command}`]], [undefined, 1]);
  },
);

Deno.test("a native program's thread waits for hooks that want it to", NEEDS_VALIDATED, () => {
  const counts = run(app!, "libvulkan.so.1", "thread", 1, driver, "block", VALIDATION, "TypeScript");
  for (const command of CALLED) assertEquals([counts[command], counts[`below ${command}`]], [1, 1]);
  for (const command of ENDED) assertEquals(counts[command], 1);
});

Deno.test("a native program finds the devices of several drivers, on a thread of its own, too", {
  ignore: NEEDS_APP.ignore || needs("SwiftShader", swiftshaderPath()).ignore,
}, () => {
  for (const where of ["here", "thread"] as const) {
    for (const drivers of [`${driver}:${swiftshaderPath()}`, `${swiftshaderPath()}:${driver}`]) {
      assertEquals(run(app!, "libvulkan.so.1", where, 1, drivers).vkCreateDevice, 1);
    }
  }
});

Deno.test("a native program runs behind Android's driver level, on this thread and on its own", NEEDS_APP, () => {
  for (const where of ["here", "thread"] as const) {
    const counts = run(app!, "libvulkan.so.1", where, 1, `android:${driver}`);
    assertEquals([counts.vkCreateInstance, counts.vkCreateDevice], [1, 1]);
  }
});

Deno.test("the exports are Linux's", needs("system Vulkan loader", systemLoaderPath()), () => {
  const ours = linuxExports();
  assertEquals([ours.length, new Set(ours).size], [269, 269]);
  const { success, stdout } = new Deno.Command("nm", { args: ["-D", "--defined-only", systemLoaderPath()!] })
    .outputSync();
  assert(success);
  const theirs = [...new TextDecoder().decode(stdout).matchAll(/ T (vk\w+)/g)].map(([, name]) => name);
  assert(theirs.length > 200);
  assertEquals(theirs.filter((name) => !ours.includes(name)), []);
});
