import { assert } from "@std/assert";
import type { DoctorReport } from "../../../cli/doctor/command.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { lavapipePath, systemLoaderPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { type Outcome, runDeno } from "../../support/subprocess.ts";

/** Libraries of layers that break a program: it crashes, hangs, or is refused an instance; `undefined` without a compiler. */
export const CRASHING: string | undefined = compileFixture("broken"),
  HANGING: string | undefined = compileFixture("broken", ["-DHANG"], "hang"),
  REFUSING: string | undefined = compileFixture("broken", ["-DREFUSE"], "refuse");
const PROGRAMS = onPath("vulkaninfo") && onPath("vkcube") && systemLoaderPath();
/** The parts that doctor and the programs under test need. */
export const NEEDS = needs("vulkaninfo, vkcube, Mesa lavapipe, a C compiler", PROGRAMS && lavapipePath() && CRASHING);
const FLAGS = ["run", "-A", "--no-prompt", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts"];
/** The beginning of the names of the layers. */
export const NAME = "VK_LAYER_TEST_broken";

/** Writes manifests of implicit layers, by library, and of lavapipe and other drivers; returns the variables for a child. */
export function surroundings(
  folder: string,
  layers: readonly string[],
  drivers: readonly string[] = [],
): Record<string, string> {
  const place = `${folder}/share/vulkan/implicit_layer.d`;
  Deno.mkdirSync(place, { recursive: true });
  for (const [index, library_path] of layers.entries()) {
    const layer = {
      name: `${NAME}_${index}`,
      type: "GLOBAL",
      library_path,
      api_version: "1.3.0",
      implementation_version: "1",
      description: "breaks programs",
      disable_environment: { [`BROKEN_${index}_OFF`]: "1" },
    };
    Deno.writeTextFileSync(`${place}/${index}.json`, JSON.stringify({ file_format_version: "1.0.0", layer }));
  }
  const manifests = [lavapipePath()!, ...drivers].map((library_path, index) => {
    const path = `${folder}/driver_${index}.json`, ICD = { library_path, api_version: "1.1.0" };
    Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.0", ICD }));
    return path;
  });
  const files = manifests.join(":");
  return { XDG_DATA_HOME: `${folder}/share`, VK_DRIVER_FILES: files, VK_ICD_FILENAMES: files };
}

/** Runs the command in a child process. */
export function doctor(env: Record<string, string>, ...args: string[]): Outcome {
  // The variable with which tests keep their shaders apart, and those of a machine with CUDA, would be suspected, too.
  return runDeno([...FLAGS, "doctor", ...args], {
    env,
    without: /^(MESA_|__NV|__GL|NVIDIA|CUDA|LD_LIBRARY_PATH$)/,
    seconds: 120,
  });
}

/** Runs the command with `--json`; returns the report and the exit code. */
export function reportOf(env: Record<string, string>, ...args: string[]): DoctorReport & { readonly exit: number } {
  const { code, stdout, output } = doctor(env, "--json", ...args);
  assert(stdout.startsWith("{"), output);
  return { ...JSON.parse(stdout), exit: code };
}
