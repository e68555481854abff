import { assert, assertEquals, assertThrows } from "@std/assert";
import { needs } from "../../support/require.ts";
import { hasHeaders, REGISTRY } from "./c_headers.ts";

const ROOT = new URL("../../..", import.meta.url).pathname.replace(/\/$/, "");
const PART = "the Vulkan registry (libvulkan-dev)";

Deno.test(
  "generate writes modules that type-check from the system's registry, the same each time",
  needs(PART, hasHeaders()),
  () => {
    const out = Deno.makeTempDirSync({ prefix: "generate" });
    try {
      assertEquals(generate(["--registry", REGISTRY, "--out", out]).code, 0);
      assertEquals(
        generate([`--vk=${REGISTRY}/vk.xml`, `--video=${REGISTRY}/video.xml`, `--out=${out}`, "--check"]).code,
        0,
      );
      for (const name of ["base.ts", "layer.ts", "types.ts"]) {
        Deno.copyFileSync(`${ROOT}/loader/${name}`, `${out}/loader/${name}`);
      }
      const modules = [...Deno.readDirSync(`${out}/loader/gen`)].map(({ name }) => `${out}/loader/gen/${name}`);
      const { code, message } = deno(["check", "--no-config", ...modules]);
      assertEquals(code, 0, message);
    } finally {
      Deno.removeSync(out, { recursive: true });
    }
  },
);

Deno.test("generate --check names what differs and exits with 1", needs(PART, hasHeaders()), () => {
  const out = Deno.makeTempDirSync({ prefix: "generate" });
  try {
    const { code, message } = generate(["--registry", REGISTRY, "--out", out, "--check"]);
    assertEquals(code, 1);
    assert(message.includes("loader/gen/structs_gen.js differs"), message);
  } finally {
    Deno.removeSync(out, { recursive: true });
  }
});

Deno.test("generate refuses a registry that is older than the files in place", needs(PART, hasHeaders()), () => {
  const out = Deno.makeTempDirSync({ prefix: "generate" });
  try {
    Deno.mkdirSync(`${out}/loader/gen`, { recursive: true });
    Deno.writeTextFileSync(`${out}/loader/gen/enums_core_gen.js`, "export const\nVK_HEADER_VERSION = 100000,\n");
    const { code, message } = generate(["--registry", REGISTRY, "--out", out]);
    assertEquals(code, 2);
    assert(
      /its header version is \d+, and the files in place are of 100000; name a newer registry/.test(message),
      message,
    );
    assertEquals([...Deno.readDirSync(`${out}/loader/gen`)].length, 1);
  } finally {
    Deno.removeSync(out, { recursive: true });
  }
});

Deno.test("generate exits with 2 and says what to do when the registry or an option is wrong", () => {
  const missing = generate(["--registry", "/nowhere"]);
  assertEquals(missing.code, 2);
  assert(missing.message.includes('Cannot read the registry "/nowhere/vk.xml"'), missing.message);
  const unknown = generate(["--registy", "/nowhere"]);
  assertEquals(unknown.code, 2);
  assert(unknown.message.includes("use: deno task generate"), unknown.message);
});

Deno.test(
  "generate writes the tables of profiles that lie in a folder, and leaves them alone where there is none",
  needs(PART, hasHeaders()),
  () => {
    const out = Deno.makeTempDirSync({ prefix: "generate" });
    const path = `${out}/loader/requirements/gen/profiles_gen.js`;
    try {
      const { message } = generate(["--registry", REGISTRY, "--out", out]);
      assert(message.includes("the tables of profiles are left alone"), message);
      assertThrows(() => Deno.statSync(path), Deno.errors.NotFound);
      Deno.mkdirSync(`${out}/profiles`);
      for (const name of ["VP_ONE", "VP_TWO"]) {
        Deno.writeTextFileSync(`${out}/profiles/${name}.json`, JSON.stringify(profileFile(name)));
      }
      const args = ["--registry", REGISTRY, "--profiles", `${out}/profiles`, "--out", out];
      assertEquals(generate(args).code, 0);
      const lines = Deno.readTextFileSync(path).split("\n").filter((line) => line.startsWith("{"));
      const formats = { "VK_FORMAT_R8_UNORM VK_FORMAT_R8G8_UNORM": { VkFormatProperties: { bufferFeatures: 0x18 } } };
      assertEquals(lines.map((line) => JSON.parse(line)), [
        { capabilities: { all: { formats } }, profiles: { VP_ONE: { version: 1, capabilities: ["all"] } } },
        { capabilities: { all: "VP_ONE/all" }, profiles: { VP_TWO: { version: 1, capabilities: ["all"] } } },
      ]);
      assertEquals(generate([...args, "--check"]).code, 0);
      assertEquals(generate(["--registry", REGISTRY, "--profiles", "/nowhere"]).code, 2);
    } finally {
      Deno.removeSync(out, { recursive: true });
    }
  },
);

function profileFile(name: string): object {
  const bits = ["VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT", "VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT"];
  const properties = { VkFormatProperties: { bufferFeatures: bits } };
  return {
    $schema: "of no matter",
    capabilities: { all: { formats: { VK_FORMAT_R8_UNORM: properties, VK_FORMAT_R8G8_UNORM: properties } } },
    profiles: { [name]: { version: 1, label: "a label", description: "words", capabilities: ["all"] } },
  };
}

function generate(args: string[]): { code: number; message: string } {
  const map = `--import-map=${ROOT}/tools/offline_import_map.json`;
  return deno(["run", "-A", "--no-check", map, `${ROOT}/tools/generate/main.ts`, ...args]);
}

function deno(args: string[]): { code: number; message: string } {
  const { code, stderr } = new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).outputSync();
  return { code, message: new TextDecoder().decode(stderr) };
}
