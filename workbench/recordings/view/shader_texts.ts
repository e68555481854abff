import {
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_GEOMETRY_BIT,
  VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { nagaInput } from "./naga_input.ts";
import type { ShaderLanguage } from "./types.ts";

/** Milliseconds that a program may take for a shader, and bytes of the largest one that is translated. */
const PATIENCE = 10_000, MOST_BYTES = 2 ** 22;
/** The stages by the names of `spirv-cross`, with those of naga for the ones that it knows. */
const STAGES: Readonly<Record<number, readonly [cross: string, naga?: "vertex" | "fragment" | "compute"]>> = {
  [VK_SHADER_STAGE_VERTEX_BIT]: ["vert", "vertex"],
  [VK_SHADER_STAGE_FRAGMENT_BIT]: ["frag", "fragment"],
  [VK_SHADER_STAGE_COMPUTE_BIT]: ["comp", "compute"],
  [VK_SHADER_STAGE_GEOMETRY_BIT]: ["geom"],
  [VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT]: ["tesc"],
  [VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT]: ["tese"],
};

/** A shader in hand: its SPIR-V, its VkShaderStageFlagBits and its entry point. */
export interface ShaderCode {
  readonly words: Uint8Array<ArrayBuffer>;
  readonly stage: number;
  readonly entry: string;
}

/**
 * Returns a shader as GLSL or WGSL: GLSL by the program `spirv-cross` if that is installed, everything else by naga.
 *
 * @throws {TypeError} with the reasons if the shader cannot be translated.
 */
export async function shaderText(code: ShaderCode, language: ShaderLanguage): Promise<string> {
  if (code.words.length > MOST_BYTES) {
    throw new TypeError(`The shader has ${code.words.length} bytes: too many to translate`);
  }
  const reasons: string[] = [], ways = language === "glsl" ? [byCross, byNaga] : [byNaga];
  for (const way of ways) {
    try {
      const text = await way(code, language);
      if (text.trim() !== "") return text;
      reasons.push("the shader is empty");
    } catch (error) {
      reasons.push((error as Error).message.trim().split("\n")[0]);
    }
  }
  throw new TypeError(`The shader cannot be told as ${language.toUpperCase()}: ${reasons.join("; ")}`);
}

async function byCross({ words, stage, entry }: ShaderCode): Promise<string> {
  const [name] = STAGES[stage] ?? [];
  const args = ["--vulkan-semantics", ...name ? ["--entry", entry, "--stage", name] : [], "-"];
  const command = new Deno.Command("spirv-cross", {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(PATIENCE),
  });
  let child: Deno.ChildProcess;
  try {
    child = command.spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new TypeError("spirv-cross is not installed");
    throw error;
  }
  const [{ success, signal, stdout, stderr }] = await Promise.all([child.output(), give(child.stdin, words)]);
  if (success) return new TextDecoder().decode(stdout);
  if (signal === "SIGTERM") throw new TypeError(`spirv-cross took more than ${PATIENCE / 1000} s`);
  throw new TypeError(`spirv-cross says: ${new TextDecoder().decode(stderr).trim().split("\n")[0] || signal}`);
}

/** Writes to a program, which may have ended before it has read all. */
async function give(stream: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = stream.getWriter();
  await writer.write(bytes).then(() => writer.close()).catch(() => {});
}

async function byNaga({ words, stage, entry: entryPoint }: ShaderCode, language: ShaderLanguage): Promise<string> {
  const { translate } = await loadNaga(), { bytes, remarks } = nagaInput(words);
  const source = new Uint32Array(bytes.buffer), note = remarks.map((each) => `// ${each}\n`).join("");
  const [, name] = STAGES[stage] ?? [];
  if (language === "glsl" && !name) throw new TypeError("naga does not know this stage");
  try {
    return language === "wgsl"
      ? note + translate({ from: "spirv", to: "wgsl", source })
      : translate({ from: "spirv", to: "glsl", source, options: { version: "450", stage: name!, entryPoint } });
  } catch (error) {
    throw new TypeError(`naga says: ${(error as Error).message}`, { cause: error });
  }
}

/** The package is fetched with the first shader. */
async function loadNaga() {
  try {
    return await import("naga-wasm");
  } catch (error) {
    throw new TypeError(`the package naga-wasm cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
}
