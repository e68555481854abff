import { shaderTools } from "../../tools/setup/parts.ts";

/** SPIR-V of a compute shader, by the system's compiler. */
export function compileShader(glsl: string, target = "vulkan1.0"): Uint32Array<ArrayBuffer> {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${folder}/shader.comp`, glsl);
    const args = ["-V", "--target-env", target, "shader.comp", "-o", "shader.spv"];
    const { success, stdout } = new Deno.Command(shaderTools()!.compiler, { args, cwd: folder }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stdout));
    return new Uint32Array(Deno.readFileSync(`${folder}/shader.spv`).buffer);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
