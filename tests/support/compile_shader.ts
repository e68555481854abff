import { shaderTools } from "../../tools/setup/parts.ts";

/** SPIR-V of a shader, by the system's compiler. `stage` is the end of a name that the compiler knows. */
export function compileShader(glsl: string, target = "vulkan1.0", stage = "comp"): Uint32Array<ArrayBuffer> {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${folder}/shader.${stage}`, glsl);
    const args = ["-V", "--target-env", target, `shader.${stage}`, "-o", "shader.spv"];
    const { success, stdout } = new Deno.Command(shaderTools()!.compiler, { args, cwd: folder }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stdout));
    return new Uint32Array(Deno.readFileSync(`${folder}/shader.spv`).buffer);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
