import { assert, assertEquals } from "@std/assert";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** A file, and words that are in it as the name of what proves a row. */
type Proof = readonly [file: string, words: string];

/** What proves each row of the page's table, by the row's beginning. */
const PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  "Android's search for Vulkan and EGL drivers": [
    ["tests/loader/driver/android/search_test.ts", "the APEX of ro.vulkan.apex goes before the built-in driver"],
    ["tests/loader/driver/android/search_test.ts", "an updatable driver goes before all"],
    ["tests/loader/driver/android/search_test.ts", "the stub HAL is used"],
  ],
  "the driver interface of a HAL": [
    ["tests/loader/driver/interface/driver_test.ts", "opens a HAL module through HMI and closes its device"],
  ],
  "windows through `VK_ANDROID_native_buffer`": [
    ["tests/wsi/foreign_hal_test.ts", "a driver's own native buffers of every revision"],
  ],
  "layers of applications, of the settings and of properties": [
    ["tests/loader/layers/android/discover_test.ts", "VK5: a layer without a manifest is found by its file's name"],
  ],
  "Hardware Composer": [
    ["tests/hwc/hwc2/open_test.ts", "openHwc2() answers as Android what a vendor's composer does not have"],
    ["tests/hwc/requirements/check_composer_test.ts", "says the same of a composer behind hwcomposer2.h"],
  ],
  "machine code for AArch64": [
    ["tools/arm64/machines.ts", "Armv8.0 (Cortex-A53)"],
    ["tools/arm64/machines.ts", "16 KiB pages"],
  ],
  "layers on an application, by `pumice phone`": [
    ["tests/cli/elsewhere/phone_program_test.ts", "an arm64 program that loads the library which was pushed"],
    ["tests/cli/elsewhere/phone_program_test.ts", "adb of Debian knows the words that the command uses"],
  ],
  "the emitted libraries against the rules of Android's linker": [
    ["tests/cli/elsewhere/layer_library_test.ts", "that linkers of glibc and Android accept"],
  ],
};

Deno.test("each row of the page about Android has a test, and each of these tests is there", () => {
  const page = Deno.readTextFileSync(`${ROOT}docs/android.md`);
  const table = page.slice(page.indexOf("| what"), page.indexOf("[android-differences.md]"));
  const rows = [...table.matchAll(/^\| (.*?) +\|/gm)].map(([, row]) => row).slice(1).filter((row) => !/^-+$/.test(row));
  const beginnings = Object.keys(PROOFS);
  assertEquals(rows.map((row) => beginnings.find((each) => row.startsWith(each)) ?? row), beginnings);
  for (const [file, words] of Object.values(PROOFS).flat()) {
    assert(Deno.readTextFileSync(ROOT + file).includes(words), `${file} has nothing named "${words}"`);
  }
});
