import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../cli/commands.ts";
import { walk } from "../../tools/walk.ts";
import { isLayerFile } from "../../loader/layers/android/folders.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import { loadVulkan } from "../../loader/mod.ts";
import { withFolder } from "../support/temporary.ts";
import { REVISIONS } from "../wsi/foreign_hal.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** A file, and words that are in it as the name of what proves a row. */
type Proof = readonly [file: string, words: string];

/** The proofs of each row about Android of docs/internals/android.md, by the row's beginning. */
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
  "binder: the driver's interface": [
    ["tests/hwc/binder/driver/calls_test.ts", "calls in both directions nest in one chain of threads"],
    ["tests/hwc/binder/on_kernel/frames_test.ts", "frames of eight layers go by binder of the kernel"],
    ["tests/hwc/binder/on_kernel/frames_test.ts", "a HIDL composer is found"],
    [
      "tests/hwc/binder/on_kernel/death_test.ts",
      "a client that is killed anywhere leaves the composer to the next one",
    ],
    ["tests/hwc/binder/service_manager/service_manager_test.ts", "finds, lists, replaces and forgets services"],
  ],
  "machine code for AArch64": [
    ["tools/arm64/machines.ts", "Armv8.0 (Cortex-A53)"],
    ["tools/arm64/machines.ts", "16 KiB pages"],
  ],
  "layers on an application, by `pumice phone`": [
    ["tests/cli/layer_server/phone_program_test.ts", "an arm64 program that loads the library which was pushed"],
    ["tests/cli/layer_server/phone_program_test.ts", "adb of Debian knows the words that the command uses"],
  ],
  "the emitted libraries against the rules of Android's linker": [
    ["tests/cli/layer_server/layer_library_test.ts", "that linkers of glibc and Android accept"],
  ],
};

const PAGE = Deno.readTextFileSync(`${ROOT}docs/android.md`);
const PROVEN = Deno.readTextFileSync(`${ROOT}docs/internals/android.md`);

/** Folders of a desktop, where the same rooms look for GLVND and for ANGLE in browsers. */
const DESKTOP = ["/usr", "/etc", "/opt", "/lib"];

/** The folders of a device's root that code of a search names. */
function rootsIn(rooms: readonly string[]): Set<string> {
  const files = rooms.flatMap((room) => [...walk(ROOT + room)]).filter((path) => path.endsWith(".ts"));
  const texts = files.map((path) => Deno.readTextFileSync(path).replace(/^ *(\/\*\*|\*|\/\/).*$/gm, ""));
  return new Set(texts.flatMap((text) => [...text.matchAll(/["`](\/[a-z]+)(?=\/)/g)].map(([, root]) => root)));
}

Deno.test("docs/android.md names the folders of a device that the searches look into, and no others", () => {
  const [, told] = /`DEVICE` is a folder with the device's (.*?), such as/s.exec(PAGE)!;
  const rooms = ["loader/driver/android", "loader/layers/android", "egl/driver", "egl/layers"];
  const looked = ["/vendor", "/system", "/odm", "/product", "/apex", "/data"];
  const found = [...rootsIn(rooms)].filter((root) => !DESKTOP.includes(root));
  assertEquals([...told.matchAll(/`(.*?)`/g)].map(([, root]) => root), looked);
  assertEquals(found.toSorted(), looked.toSorted());
});

Deno.test("the maintainers' page about Android names the steps of the search for a driver that the code has", () => {
  const [, type] = /export type AndroidSource = (.*);/.exec(
    Deno.readTextFileSync(`${ROOT}loader/driver/android/search.ts`),
  )!;
  const words = { updatable: "updatable drivers", apex: "APEX", "built-in": "HAL folders", stub: "the stub HAL" };
  assertEquals([...type.matchAll(/"(.*?)"/g)].map(([, source]) => source), Object.keys(words));
  const [row] = /^\| Android's search .*$/m.exec(PROVEN)!;
  for (const each of Object.values(words)) assertStringIncludes(row, each);
});

Deno.test("the maintainers' page about Android tells the revisions, alignments, folders, options and commands that there are", () => {
  assertStringIncludes(PROVEN, `fixtures of revisions ${Math.min(...REVISIONS)} to ${Math.max(...REVISIONS)} `);
  const [, alignment] = /^const ALIGN = (0x\d+);$/m.exec(Deno.readTextFileSync(`${ROOT}ffi/asm/elf.ts`))!;
  assertStringIncludes(PROVEN, `${Number(alignment) / 1024} KiB alignment`);
  const search = Deno.readTextFileSync(`${ROOT}loader/driver/android/search.ts`);
  for (const [, folder] of PROVEN.matchAll(/`(\/vendor\/[\w/]+)`/g)) assertStringIncludes(search, `"${folder}`);
  const explained = COMMANDS.get("explain")!, [, option] = /in place of a device's \(`--(\w+)`/.exec(PROVEN)!;
  assert(COMMANDS.has("phone") && explained !== undefined);
  assertStringIncludes(Deno.readTextFileSync(`${ROOT}cli/arguments/usage.ts`), `  ${option}: { type: "string"`);
  for (const [, page] of PAGE.matchAll(/\]\(([\w-]+\.md)\)/g)) assert(Deno.statSync(`${ROOT}docs/${page}`).isFile);
  assertStringIncludes(Deno.readTextFileSync(`${ROOT}docs/layers-elsewhere.md`), "pumice phone ");
});

Deno.test("docs/android.md names both spellings of a property and of layer files, and which one is read", () => {
  const sentences = PAGE.slice(PAGE.indexOf("two names in two ways"), PAGE.indexOf("## On a device"));
  const [read, unread] = sentences.split("The other spellings");
  const reads = (property: string, file: string) =>
    withFolder((root) => {
      using vulkan = loadVulkan({ platform: "android", root, systemProperties: { [property]: "soc" } });
      const names = ({ path, reason }: Finding) =>
        path.endsWith("/vulkan.soc.so") && !reason.startsWith("is not looked for");
      return [vulkan.explain().some(names), isLayerFile(file)];
    });
  const [property, file] = [...read.matchAll(/`(.*?)`/g)].map(([, name]) => name.replace("*", "_a"));
  const [other, otherFile] = [...unread.matchAll(/`(.*?)`/g)].map(([, name]) => name.replace("*", "a"));
  assertEquals(reads(property, file), [true, true]);
  assertEquals(reads(other, otherFile), [false, false]);
});

Deno.test("each row about Android of the maintainers' page about Android has a test, and each of these tests is there", () => {
  const [table] = PROVEN.slice(PROVEN.indexOf("| what")).split("\n\n");
  const rows = [...table.matchAll(/^\| (.*?) +\|/gm)].map(([, row]) => row).slice(1).filter((row) => !/^-+$/.test(row));
  const beginnings = Object.keys(PROOFS);
  assertEquals(rows.map((row) => beginnings.find((each) => row.startsWith(each)) ?? row), beginnings);
  for (const [file, words] of Object.values(PROOFS).flat()) {
    assert(Deno.readTextFileSync(ROOT + file).includes(words), `${file} has nothing named "${words}"`);
  }
});
