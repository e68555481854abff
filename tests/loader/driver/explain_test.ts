import { assert, assertEquals, assertThrows } from "@std/assert";
import { DriverError, type Finding, loadVulkan } from "../../../loader/mod.ts";
import { withFolder } from "../../support/temporary.ts";
import { NEEDS_TINY, TINY, TINY_HAL } from "../tiny.ts";
import { loadFrom } from "./android/root.ts";
import { fakeHost } from "./fake_host.ts";
import { findingOf, loadWith, writeManifest } from "./machine.ts";

const SUBJECTS = ["platform", "variable", "property", "setting", "folder", "manifest", "driver", "layer"];
const LEVELS = [undefined, "error", "warning", "info", "debug"];

/** Every finding has the documented shape, and survives being written as JSON. */
function assertShape(findings: readonly Finding[]): void {
  assertEquals(JSON.parse(JSON.stringify(findings)), findings);
  for (
    const {
      subject,
      path,
      value,
      origin,
      taken,
      reason,
      level,
      message,
      messageLevel,
      details,
      cause,
      category,
      ...more
    } of findings
  ) {
    assert(SUBJECTS.includes(subject) && LEVELS.includes(level));
    for (const text of [path, origin, reason]) assert(typeof text === "string" && text !== "");
    assert(typeof taken === "boolean" && ["string", "undefined"].includes(typeof value));
    assert(message !== "" && details !== "" && cause !== "");
    assert(category !== "layer" || ["manifest", "variable"].includes(subject));
    assert([undefined, "layer", "none"].includes(category));
    assert(messageLevel === "plain" || LEVELS.includes(messageLevel));
    assert(!reason.endsWith("."), reason);
    assertEquals(more, {});
  }
}

Deno.test(
  "explain() tells of platform, variables, folders, manifests and drivers on Linux, in that order",
  NEEDS_TINY,
  () => {
    withFolder((folder) => {
      writeManifest(`${folder}/a.json`, TINY!);
      const { findings } = loadWith({ env: { VK_DRIVER_FILES: folder } });
      assertShape(findings);
      assertEquals(findings.slice(0, 6).map(({ subject, taken }) => [subject, taken]), [
        ["platform", true],
        ["variable", true],
        ["folder", true],
        ["folder", true],
        ["manifest", true],
        ["driver", true],
      ]);
    });
  },
);

Deno.test("explain() tells of every property read and every path tried on Android", NEEDS_TINY, () => {
  const properties = { "ro.hardware.vulkan": "adreno", "ro.board.platform": "sun" };
  const { findings } = loadFrom({ "/vendor/lib/hw/vulkan.sun.so": TINY_HAL! }, properties);
  assertShape(findings);
  const told = (subject: string) =>
    findings.filter((each) => each.subject === subject).map(({ path, taken }) =>
      `${taken ? "+" : "-"}${path.replace(/.*(?=\/vendor)/, "")}`
    );
  assertEquals(told("property"), ["-ro.vulkan.apex", "+ro.hardware.vulkan", "+ro.board.platform"]);
  assertEquals(told("driver"), [
    "-/vendor/lib64/hw/vulkan.adreno.so",
    "-/vendor/lib/hw/vulkan.adreno.so",
    "-/vendor/lib64/hw/vulkan.sun.so",
    "+/vendor/lib/hw/vulkan.sun.so",
  ]);
});

Deno.test("DriverError carries what was looked at, up to a layer that was refused", NEEDS_TINY, () => {
  const none = loadWith({ env: { VK_DRIVER_FILES: "/nowhere/a.json" } });
  assertShape(none.findings);
  assertEquals(findingOf(none.findings, "manifest")?.taken, false);
  const load = () => loadVulkan({ driver: TINY!, layers: ["/nowhere/libVkLayer_x.so"] });
  const { findings }: DriverError = assertThrows(load, DriverError);
  assertShape(findings);
  assertEquals(findings.map(({ subject, taken }) => [subject, taken]), [["driver", true], ["layer", false]]);
});

Deno.test("explain() says which of several drivers was taken and why the others were not", NEEDS_TINY, () => {
  withFolder((folder) => {
    writeManifest(`${folder}/a.json`, "/nowhere/libvulkan_x.so");
    writeManifest(`${folder}/b.json`, TINY!);
    using vulkan = loadVulkan({ platform: "linux", host: fakeHost({ env: { VK_DRIVER_FILES: folder } }) });
    const drivers = vulkan.explain().filter(({ subject }) => subject === "driver");
    assertShape(vulkan.explain());
    assertEquals(drivers.map(({ path, taken }) => [path, taken]), [["/nowhere/libvulkan_x.so", false], [TINY, true]]);
  });
});
