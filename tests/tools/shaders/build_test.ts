import { assertEquals } from "@std/assert";
import { shaderTools } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";

Deno.test("the committed SPIR-V is what the GLSL compiles to", needs("shader tools", shaderTools()), async () => {
  const program = new URL("../../../tools/shaders/build.ts", import.meta.url).pathname;
  const command = new Deno.Command(Deno.execPath(), { args: ["run", "--no-config", "-A", program, "--check"] });
  const { code, stdout } = await command.output();
  assertEquals(code, 0, new TextDecoder().decode(stdout));
});
