import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { DriverError, VulkanError } from "../../../../loader/error.ts";
import { openFiles } from "../../../support/open_files.ts";
import { compileFixture } from "../../../support/compile.ts";
import { NEEDS_TINY, TINY, TINY_HAL, tinyCount, tinyVariant } from "../../tiny.ts";

/** Makes a file with these contents for one test. */
function withFile(name: string, contents: Uint8Array | string, use: (path: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    const path = `${folder}/${name}`;
    Deno.writeFileSync(path, typeof contents === "string" ? new TextEncoder().encode(contents) : contents);
    use(path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Loading `driver` fails with an error that names the path and has all `words`; nothing stays open. */
function assertRefused(driver: string, ...words: string[]): void {
  const before = openFiles();
  const error = assertThrows(() => loadVulkan({ driver }), DriverError);
  for (const word of [...words]) assertStringIncludes(error.message, word);
  assertEquals(openFiles(), before);
}

Deno.test("loadVulkan() refuses a missing file", () => {
  assertRefused("/nowhere/libvulkan_x.so", "/nowhere/libvulkan_x.so", "check the path");
});

Deno.test("loadVulkan() refuses a directory", () => {
  assertRefused("/usr/lib/", "/usr/lib/", "directory");
});

Deno.test("loadVulkan() refuses a text file named .so", () => {
  withFile("libvulkan_text.so", "INPUT(libreal.so)\n", (path) => assertRefused(path, path, "ELF"));
});

Deno.test("loadVulkan() refuses an empty file", () => {
  withFile("libvulkan_empty.so", "", (path) => assertRefused(path, path));
});

Deno.test("loadVulkan() refuses a truncated ELF file", NEEDS_TINY, () => {
  const whole = Deno.readFileSync(TINY!);
  for (const length of [20, 100, 3000, whole.length >> 1]) {
    withFile("libvulkan_cut.so", whole.slice(0, length), (path) => assertRefused(path, path, "get the whole file"));
  }
});

Deno.test("loadVulkan() refuses a 32-bit ELF file", NEEDS_TINY, () => {
  const bytes = Deno.readFileSync(TINY!);
  bytes[4] = 1; // ELFCLASS32
  withFile("libvulkan_32.so", bytes, (path) => assertRefused(path, path, "32-bit"));
});

Deno.test("loadVulkan() refuses an ELF file for another machine", NEEDS_TINY, () => {
  const bytes = Deno.readFileSync(TINY!);
  new DataView(bytes.buffer).setUint16(18, 243, true); // EM_RISCV
  withFile("libvulkan_riscv.so", bytes, (path) => assertRefused(path, path, "RISC-V"));
});

Deno.test("loadVulkan() refuses a library that exports nothing of a driver", NEEDS_TINY, () => {
  assertRefused(compileFixture("ffi")!, "HMI", "vk_icdGetInstanceProcAddr");
});

Deno.test("loadVulkan() refuses malformed manifests and says what is wrong with each", () => {
  const cases: [string, string][] = [
    ["{", "not JSON"],
    ["[]", "not an object"],
    ["{}", '"ICD"'],
    ['{"layer":{}}', '"ICD"'],
    ['{"ICD":{"api_version":"1.3.0"}}', '"library_path" is missing'],
    ['{"ICD":{"library_path":"x.so"}}', '"api_version" is missing'],
    ['{"ICD":{"library_path":7,"api_version":"1.3.0"}}', '"library_path" is 7'],
    ['{"ICD":{"library_path":"/x.so","api_version":"1.3.0","library_arch":"32"}}', "32"],
  ];
  for (const [text, word] of cases) withFile("icd.json", text, (path) => assertRefused(path, path, word));
  assertRefused("/nowhere/icd.json", "/nowhere/icd.json", "check the path");
});

Deno.test("loadVulkan() opens a manifest's library, relative to the manifest", NEEDS_TINY, () => {
  withFile(
    "icd.json",
    '{"file_format_version":"1.0.1","ICD":{"library_path":"./tiny.so","api_version":"1.3.0"}}',
    (path) => {
      Deno.copyFileSync(TINY!, path.replace("icd.json", "tiny.so"));
      using vulkan = loadVulkan({ driver: path });
      using instance = vulkan.vkCreateInstance({});
      assertEquals(instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties().deviceName, "Tiny driver");
      assertEquals(vulkan.explain()[0].taken, true);
    },
  );
});

Deno.test("loadVulkan() opens a HAL module through HMI and closes its device", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY_HAL! });
  assertStringIncludes(vulkan.explain()[0].reason, "hal");
  assertEquals(tinyCount("open_devices", TINY_HAL), 1);
  using instance = vulkan.vkCreateInstance({});
  assertEquals(instance.vkEnumeratePhysicalDevices().length, 1);
  vulkan.close();
  assertEquals(tinyCount("open_devices", TINY_HAL), 0);
});

Deno.test("loadVulkan() refuses a HAL module of another kind", NEEDS_TINY, () => {
  assertRefused(tinyVariant("gralloc", "-DHAL", '-DHAL_ID="gralloc"')!, "gralloc", "vulkan");
});

Deno.test("loadVulkan() refuses an ICD that refuses every interface version", NEEDS_TINY, () => {
  assertRefused(tinyVariant("refusing", "-DREFUSE_NEGOTIATION")!, "refuses loader interface version");
});

Deno.test("vkCreateInstance() throws the driver's error and leaks nothing", NEEDS_TINY, () => {
  const driver = tinyVariant("failing", "-DFAIL_CREATE=-9")!, before = openFiles();
  {
    using vulkan = loadVulkan({ driver });
    const error = assertThrows(() => vulkan.vkCreateInstance({}), VulkanError, "VK_ERROR_INCOMPATIBLE_DRIVER");
    assertEquals([error.command, error.code], ["vkCreateInstance", -9]);
    assertStringIncludes(error.message, driver);
  }
  assertEquals(openFiles(), before);
});

Deno.test("vkCreateInstance() refuses a driver whose handles are not the loader's to write", NEEDS_TINY, () => {
  const driver = tinyVariant("no_magic", "-DNO_MAGIC")!;
  using vulkan = loadVulkan({ driver });
  assertThrows(() => vulkan.vkCreateInstance({}), DriverError, "loader magic");
  assertEquals(tinyCount("live_instances", driver), 0);
});
