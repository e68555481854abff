import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertLinkable } from "../../support/elf.ts";
import { commandLine } from "../../support/command_line.ts";
import { withFolderAsync } from "../../support/temporary.ts";

Deno.test("cli layer-library writes a native layer and its manifest, and says how programs find them", () =>
  withFolderAsync(async (folder) => {
    const { code, text } = await commandLine("layer-library", `${folder}/layers`, "--target=x86_64-linux");
    assertEquals(code, 0, text);
    assertStringIncludes(text, `VK_ADD_LAYER_PATH=${folder}/layers VK_INSTANCE_LAYERS=VK_LAYER_PUMICE_elsewhere`);
    const { layer } = JSON.parse(Deno.readTextFileSync(`${folder}/layers/VkLayer_pumice.json`));
    assertEquals([layer.name, layer.library_path], ["VK_LAYER_PUMICE_elsewhere", "./libVkLayer_pumice.so"]);
    const bytes = Deno.readFileSync(`${folder}/layers/libVkLayer_pumice.so`), view = new DataView(bytes.buffer);
    assertEquals([view.getUint32(0), view.getUint16(18, true)], [0x7f454c46, 62]);
  }));

for (const target of ["x86_64-linux", "aarch64-linux", "aarch64-android"]) {
  Deno.test(`cli layer-library writes a library for ${target} that linkers of glibc and Android accept`, () =>
    withFolderAsync(async (folder) => {
      const { code, text } = await commandLine("layer-library", folder, `--target=${target}`);
      assertEquals(code, 0, text);
      const elf = assertLinkable(Deno.readFileSync(`${folder}/libVkLayer_pumice.so`), {
        machine: target.startsWith("x86_64") ? 62 : 183,
        soname: "libVkLayer_pumice.so",
      });
      const wanted = ["vkGetInstanceProcAddr", "vkGetDeviceProcAddr", "vkEnumerateInstanceLayerProperties"];
      for (const name of [...wanted, "vkNegotiateLoaderLayerInterfaceVersion"]) {
        assert(elf.exports.includes(name), name);
      }
      assertEquals([elf.needed, elf.exports.filter((name) => name.startsWith("."))], [[], []]);
      assertEquals(text.includes("adb push"), target.endsWith("android"));
    }));
}

for (const target of ["x86_64-linux", "aarch64-linux", "aarch64-android"]) {
  Deno.test(`cli layer-library --gles writes a library for ${target} that linkers of glibc and Android accept`, () =>
    withFolderAsync(async (folder) => {
      const { code, text } = await commandLine("layer-library", folder, `--target=${target}`, "--gles");
      assertEquals(code, 0, text);
      const elf = assertLinkable(Deno.readFileSync(`${folder}/libGLES_pumice.so`), {
        machine: target.startsWith("x86_64") ? 62 : 183,
        soname: "libGLES_pumice.so",
      });
      const wanted = ["AndroidGLESLayer_Initialize", "AndroidGLESLayer_GetProcAddress"];
      assertEquals(elf.exports.filter((name) => name !== "pumice_data").sort(), wanted.sort());
      assertEquals([elf.needed, [...Deno.readDirSync(folder)].length], [[], 1]);
      assertEquals(text.includes("gpu_debug_layers_gles libGLES_pumice.so"), target.endsWith("android"));
    }));
}

Deno.test("cli layer-library refuses a target that it does not know, and a folder that cannot be", () =>
  withFolderAsync(async (folder) => {
    const unknown = await commandLine("layer-library", folder, "--target=pdp11-unix");
    assertEquals(unknown.code, 2);
    assertStringIncludes(unknown.text, '"pdp11-unix" is no target: give --target=x86_64-linux');
    Deno.writeTextFileSync(`${folder}/file`, "");
    const failed = await commandLine("layer-library", `${folder}/file/layers`, "--target=x86_64-linux");
    assertEquals(failed.code, 2);
    assertStringIncludes(failed.text, `layer-library: "${folder}/file/layers" is below a file, which is no folder`);
  }));
