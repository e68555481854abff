import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { run } from "../../../cli.ts";
import { compilerPath, lavapipePath, vulkanHeaders } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { runCounted } from "./run_counted.ts";

const APP = new URL("../../fixtures/native_app.c", import.meta.url).pathname;

/** Runs a command line; the exit code and what it printed. */
function cli(...args: string[]): { code: number; text: string } {
  let text = "";
  const code = run(args, (line) => text += line);
  return { code, text };
}

Deno.test("a program linked with what cli stub writes runs on this loader", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("C compiler", compilerPath()).ignore ||
    needs("Vulkan headers and registry", vulkanHeaders()).ignore,
}, () => {
  withFolder((folder) => {
    const { code, text } = cli("stub", `${folder}/new`);
    assertEquals([code, text], [0, `${folder}/new/libvulkan.so: 269 functions`]);
    const program = `${folder}/program.so`, headers = ["-idirafter", vulkanHeaders()!];
    const args = ["-shared", "-fPIC", "-DLINKED", ...headers, "-o", program, APP, `-L${folder}/new`, "-lvulkan"];
    assert(new Deno.Command("cc", { args: [...args, "-pthread"] }).outputSync().success);
    const { result, right, mapped, counts } = runCounted("native_app", [lavapipePath()!, program, "", "here", "0"]);
    assertEquals([result, right, mapped, counts.vkCmdFillBuffer], [0, true, 0, 1]);
  });
});

Deno.test("VK6: cli stub --platform=android writes Android's names", () => {
  withFolder((folder) => {
    const { code, text } = cli("stub", folder, "--platform=android");
    assertEquals([code, text], [0, `${folder}/libvulkan.so: 252 functions`]);
    const bytes = Deno.readTextFileSync(`${folder}/libvulkan.so`);
    assertEquals(["vkCreateAndroidSurfaceKHR", "vkCreateXcbSurfaceKHR"].map((name) => bytes.includes(name)), [
      true,
      false,
    ]);
  });
});

Deno.test("cli stub says what it cannot write, and how it is used", () => {
  const { code, text } = cli("stub", "/proc/nowhere");
  assertEquals(code, 1);
  assertStringIncludes(text, 'Cannot write "/proc/nowhere/libvulkan.so"');
  assertEquals([cli("stub").code, cli("stub", "a", "b").code], [2, 2]);
  assertStringIncludes(cli("stub").text, "stub DIR");
});
