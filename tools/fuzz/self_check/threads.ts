import { seededChoices } from "../../../workbench/programs/choices.ts";
import { apiRecording, serveLayers } from "../../../workbench/layers.ts";
import { compileProgram } from "../../../tests/support/compile.ts";
import { systemLoaderPath } from "../../setup/parts.ts";
import { judged, type Outcome, type Plant } from "./check.ts";
import { shuffled } from "./machine.ts";
import type { Context, Seen } from "./program.ts";
import { type Foretold, planThreads } from "./steps.ts";

/** The program that carries out plans; `undefined` without a C compiler, the system's Vulkan loader or this processor. */
export function stepsProgram(): string | undefined {
  return Deno.build.arch === "x86_64" && systemLoaderPath() ? compileProgram("steps_app") : undefined;
}

/**
 * Runs the program of a seed that has several threads, in a process of its own, on one of the drivers, and records it as
 * `exec --record` does. Then the recording is replayed on that driver, and every byte compared that a thread read.
 */
export async function threadsCheck(
  seed: number,
  libraries: readonly string[],
  folder: string,
  program: string,
  plant: Plant = (lines) => lines,
): Promise<Outcome> {
  const choices = seededChoices(seed, 2), context: Context = { choices, seen: [], features: new Map(), buffers: 0 };
  const [driver] = shuffled(seededChoices(seed, 1), libraries),
    path = `${folder}/${seed}.jsonl`,
    plan = planThreads(context);
  const files = { plan: `${folder}/${seed}.plan`, reads: `${folder}/${seed}.reads` };
  Deno.writeTextFileSync(files.plan, plan.text);
  using recording = apiRecording({ path });
  const ending = await ranUnder(recording.layer, [program, files.plan, files.reads], driverVariables(driver, folder));
  recording.close();
  const about = { seed, drivers: [driver.split("/").at(-1)!], features: Object.fromEntries(context.features) };
  if (ending !== undefined) return { ...about, reads: 0, gaps: [], findings: [`the program ended with ${ending}`] };
  const seen = readsOf(Deno.readFileSync(files.reads), plan.reads);
  return { ...about, ...judged({ recording, path, target: { driver }, seen, plant }) };
}

/** Variables with which native programs find this driver alone, by a manifest in the folder. */
export function driverVariables(driver: string, folder: string): Record<string, string> {
  const manifest = `${folder}/driver.json`, ICD = { library_path: driver, api_version: "1.3.0" };
  Deno.writeTextFileSync(manifest, JSON.stringify({ file_format_version: "1.0.0", ICD }));
  return { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
}

/** Runs a program under a layer. Returns how it ended if it did not end well. */
async function ranUnder(
  layer: Parameters<typeof serveLayers>[0]["layers"][0],
  [program, ...args]: readonly string[],
  env: Record<string, string>,
): Promise<string | undefined> {
  const troubles: string[] = [];
  await using server = await serveLayers({ layers: [layer], onError: (error) => troubles.push(`${error}`) });
  const command = new Deno.Command(program, { args, env: { ...env, ...server.environment({}) }, stderr: "piped" });
  const { success, code, signal, stderr } = await command.output();
  if (!success) troubles.unshift(`${signal ?? code}: ${new TextDecoder().decode(stderr).trim()}`);
  if (server.lostCalls > 0) troubles.push(`${server.lostCalls} calls that no layer saw`);
  return troubles.length > 0 ? troubles.join("; ") : undefined;
}

/** Returns what threads read, in the order of the marks. */
function readsOf(file: Uint8Array<ArrayBuffer>, foretold: readonly Foretold[]): Seen[] {
  const seen: Seen[] = [], view = new DataView(file.buffer);
  for (let at = 0; at < file.length;) {
    const mark = view.getUint32(at, true), size = view.getUint32(at + 4, true), bytes = at + 8;
    at = bytes + size;
    seen[mark - 1] = { ...foretold[mark - 1], bytes: file.slice(bytes, at) };
  }
  return foretold.map((each, index) => seen[index] ?? { ...each, bytes: new Uint8Array() });
}
