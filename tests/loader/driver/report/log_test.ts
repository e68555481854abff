import { assert, assertEquals } from "@std/assert";
import { formatLogLine, LOG, parseLogMask } from "../../../../loader/driver/report/log.ts";
import { loadVulkan, type VulkanOptions } from "../../../../loader/mod.ts";
import { withFolder } from "../../../support/temporary.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";
import { fakeHost } from "../fake_host.ts";
import { loadWith, writeManifest } from "../machine.ts";

Deno.test("parseLogMask() knows upstream's words and their beginnings", () => {
  const words = {
    error: 8,
    warn: 2,
    info: 1,
    perf: 4,
    debug: 0x10,
    layer: 0x20,
    driver: 0x40,
    implem: 0x40,
    icd: 0x40,
  };
  for (const [word, bits] of Object.entries(words)) assertEquals(parseLogMask(word), bits, word);
  assertEquals(parseLogMask("all"), 0xff);
  assertEquals(parseLogMask("e,w,,dr"), LOG.error | LOG.warning | LOG.driver);
  assertEquals(parseLogMask("i"), LOG.info);
  assertEquals(["", "none", "errors", "ALL"].map(parseLogMask), [0, 0, 0, 0]);
});

Deno.test("formatLogLine() begins the text in column 32, whatever stands before", () => {
  const cases: [number, string][] = [
    [LOG.error, "[Vulkan Loader] ERROR:          "],
    [LOG.error | LOG.driver, "[Vulkan Loader] ERROR | DRIVER: "],
    [LOG.warning | LOG.layer, "[Vulkan Loader] WARNING | LAYER: "],
    [LOG.info | LOG.perf, "[Vulkan Loader] INFO | PERF:    "],
    [LOG.debug, "[Vulkan Loader] DEBUG:          "],
    [LOG.driver, "[Vulkan Loader] DRIVER:         "],
    [LOG.layer | LOG.driver, "[Vulkan Loader] DRIVER:         "], // one category, as the newest Khronos loader
    [LOG.fatal | LOG.error, "[Vulkan Loader] ERROR:          "],
  ];
  for (const [bits, header] of cases) assertEquals(formatLogLine(bits, "text"), `${header}text`);
});

Deno.test("formatLogLine() cuts a text after 511 bytes, never inside a character", () => {
  const text = (line: string) => line.slice(32);
  assertEquals(text(formatLogLine(LOG.error, "x".repeat(600))), "x".repeat(511));
  assertEquals(text(formatLogLine(LOG.error, "é".repeat(300))), "é".repeat(255));
});

Deno.test("a script's request is on standard error as native code's is, with and without findings", NEEDS_TINY, () => {
  const requested = (options: VulkanOptions, mask: string) => {
    const lines: string[] = [], host = fakeHost({ env: { VK_LOADER_DEBUG: mask }, lines });
    using vulkan = loadVulkan({ platform: "linux", driver: TINY!, host, ...options });
    vulkan.vkCreateInstance({}).close();
    return lines.filter((line) => line.includes("vkCreateInstance: Requested"));
  };
  const each = ["layer(s)", "extension(s)"].map((what) =>
    formatLogLine(LOG.info, `vkCreateInstance: Requested 0 instance ${what}:`)
  );
  for (const implicitLayers of [false, true]) {
    assertEquals(requested({ implicitLayers }, "info"), each);
    assertEquals(requested({ implicitLayers }, "error"), []);
  }
});

Deno.test("VK_LOADER_DEBUG puts lines on standard error, those asked for", NEEDS_TINY, () => {
  withFolder((folder) => {
    writeManifest(`${folder}/good.json`, TINY!);
    Deno.writeTextFileSync(`${folder}/bad.json`, "{");
    const linesFor = (mask: string) => {
      const lines: string[] = [];
      loadWith({ env: { VK_DRIVER_FILES: folder, VK_LOADER_DEBUG: mask }, lines });
      return lines;
    };
    assertEquals(linesFor("perf"), []);
    assertEquals(linesFor("warn"), []);
    const invalid = `loader_get_json: Invalid JSON file ${folder}/bad.json.`;
    assertEquals(linesFor("error"), [formatLogLine(LOG.error, invalid)]);
    assert(linesFor("all").some((line) => line.startsWith(`[Vulkan Loader] INFO | DRIVER:  ${TINY}: has Tiny driver`)));
  });
});

Deno.test("VK_LOADER_DEBUG speaks also when no driver is found", () => {
  const lines: string[] = [];
  loadWith({ env: { VK_DRIVER_FILES: "/nowhere/a.json", VK_LOADER_DEBUG: "warn,error" }, lines });
  assertEquals(lines.length, 1);
});
