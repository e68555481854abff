import type { Process, Request } from "../command.ts";
import { Unusable, WrongUse } from "../../workbench/process/exit_code.ts";
import { endLayers, glesHookOf, openLayer, type ScriptLayer } from "../layers/script_layer.ts";
import { runScript } from "./run_script.ts";

/** How a command runs a script. */
export interface LayeredRun {
  /** The parsed command line: the script, and the options for the script's loaders. */
  readonly request: Request;
  /** The command's own layers, above those of `--layer`. */
  readonly own?: readonly ScriptLayer[];
  /** Whether modules are loaded again when they are saved. */
  readonly watch?: boolean;
  readonly print: (text: string) => void;
  readonly process: Process;
}

/** Runs a script with layers above all its loaders, prints the layers' reports and returns the exit code. */
export async function runLayered({ request, own = [], watch = false, print, process }: LayeredRun): Promise<number> {
  const { operand, options, scriptArguments: args } = request, layers = [...own], script = operand!;
  const end = once(() => endLayers(layers, print, process.warn, request.values));
  const ending = () => {
    if (!end() && Deno.exitCode === 0) Deno.exitCode = 1;
  };
  addEventListener("unload", ending); // a script may end the process itself
  try {
    for (const name of options.layers as string[]) layers.push(await openLayer(name, print));
    if (watch) layers.forEach(refuseWatched);
    tellMain(script, process);
    await runScript(script, { args, layers, options, watch, idle: process.idle });
    return end() ? 0 : 1;
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Unusable) throw error;
    process.warn(`${script}: ${Deno.inspect(error)}`);
    return 1;
  } finally {
    removeEventListener("unload", ending);
    end();
  }
}

/** Refuses to watch a layer of OpenGL ES: a script's loader of EGL keeps the layer that it got. */
function refuseWatched({ current, file }: ScriptLayer): void {
  const layer = current(), hook = file && glesHookOf(layer);
  if (hook === undefined) return;
  const name = typeof layer === "string" ? layer : layer.name;
  throw new WrongUse(`run: ${name} hooks ${hook}, which is of OpenGL ES: leave "--watch" out, or use exec --gles`);
}

function once<T>(call: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => (done ??= { result: call() }).result;
}

/** The main module is the command line: what a script does for itself alone it would leave out without a word. */
function tellMain(script: string, { warn }: Process): void {
  if (!/\bimport\.meta\.main\b/.test(Deno.readTextFileSync(script))) return;
  warn(`${script}: import.meta.main is false here; what depends on import.meta.main is not run`);
}
