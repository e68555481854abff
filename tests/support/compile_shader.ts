import { createHash } from "node:crypto";
import { isFile } from "../../tools/setup/files.ts";
import { CACHE, shaderTools } from "../../tools/setup/parts.ts";
import { identityOf } from "./compile.ts";

const FOLDER = `${CACHE}/fixtures/shaders`;

/**
 * SPIR-V of a shader, by the system's compiler, unless the cache holds what this compiler made of the same text. `stage`
 * is the end of a name that the compiler knows.
 */
export function compileShader(glsl: string, target = "vulkan1.0", stage = "comp"): Uint32Array<ArrayBuffer> {
  const { compiler } = shaderTools()!, key = [identityOf(compiler), target, stage, glsl].join("\0");
  const path = `${FOLDER}/${createHash("sha256").update(key).digest("hex")}.spv`;
  if (!isFile(path)) {
    Deno.mkdirSync(FOLDER, { recursive: true });
    compile(compiler, ["-V", "--target-env", target, `shader.${stage}`, "-o", "shader.spv"], glsl, path);
  }
  return new Uint32Array(Deno.readFileSync(path).buffer);
}

/** Compiles beside `path` and renames the result, so that no other process reads half of a shader. */
function compile(compiler: string, args: string[], glsl: string, path: string): void {
  const folder = Deno.makeTempDirSync({ dir: FOLDER });
  try {
    Deno.writeTextFileSync(`${folder}/${args[3]}`, glsl);
    const { success, stdout } = new Deno.Command(compiler, { args, cwd: folder }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stdout));
    Deno.renameSync(`${folder}/shader.spv`, path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
