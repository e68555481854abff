import { temporaryFolder } from "../../../loader/temporary_folder.ts";

/** Returns the lines that `spirv-dis` writes about a shader; none where there is no such program, or where the program does not know the shader. */
export function assemblyOf(code: Uint8Array): string[] {
  using folder = temporaryFolder("assembly");
  const file = `${folder.path}/shader.spv`;
  try {
    Deno.writeFileSync(file, code);
    const args = ["--no-color", "--no-header", file];
    const { success, stdout } = new Deno.Command("spirv-dis", { args, stderr: "null" }).outputSync();
    return success ? new TextDecoder().decode(stdout).trimEnd().split("\n") : [];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
}
