import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compilerPath, lavapipePath, vulkanHeaders } from "../../../tools/setup/parts.ts";
import { commandLine as cli } from "../../support/command_line.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { runCounted } from "./run_counted.ts";

const APP = new URL("../../fixtures/native_app.c", import.meta.url).pathname;

Deno.test("a program linked with what cli stub writes runs on this loader", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("C compiler", compilerPath()).ignore ||
    needs("Vulkan headers and registry", vulkanHeaders()).ignore,
}, async () => {
  await withFolderAsync(async (folder) => {
    const { code, text } = await cli("stub", `${folder}/new`);
    assertEquals([code, text], [0, `${folder}/new/libvulkan.so: 269 functions`]);
    const program = `${folder}/program.so`, headers = ["-idirafter", vulkanHeaders()!];
    const args = ["-shared", "-fPIC", "-DLINKED", ...headers, "-o", program, APP, `-L${folder}/new`, "-lvulkan"];
    assert(new Deno.Command("cc", { args: [...args, "-pthread"] }).outputSync().success);
    const { result, right, mapped, counts } = runCounted("native_app", [lavapipePath()!, program, "", "here", "0"]);
    assertEquals([result, right, mapped, counts.vkCmdFillBuffer], [0, true, 0, 1]);
  });
});

Deno.test("VK6: cli stub --platform=android writes Android's names", async () => {
  await withFolderAsync(async (folder) => {
    const { code, text } = await cli("stub", folder, "--platform=android");
    assertEquals([code, text], [0, `${folder}/libvulkan.so: 252 functions`]);
    const bytes = Deno.readTextFileSync(`${folder}/libvulkan.so`);
    assertEquals(["vkCreateAndroidSurfaceKHR", "vkCreateXcbSurfaceKHR"].map((name) => bytes.includes(name)), [
      true,
      false,
    ]);
  });
});

Deno.test("cli stub says what it cannot write, and how it is used", async () => {
  const { code, text } = await cli("stub", "/proc/nowhere");
  assertEquals(code, 2);
  assertStringIncludes(text, 'stub: "/proc/nowhere" cannot be ');
  assertEquals([(await cli("stub")).code, (await cli("stub", "a", "b")).code], [2, 2]);
  assertStringIncludes((await cli("stub")).text, "stub: DIR is missing\nTry: pumice stub --help");
});
