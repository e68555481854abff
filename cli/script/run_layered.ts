import { type Process, type Request, Unusable, WrongUse } from "../command.ts";
import { endLayers, openLayer, type ScriptLayer } from "../layers/script_layer.ts";
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
  const end = once(() => endLayers(layers, print, process.warn));
  addEventListener("unload", end); // a script may end the process itself
  try {
    for (const name of options.layers as string[]) layers.push(await openLayer(name, print));
    tellMain(script, process);
    await runScript(script, { args, layers, options, watch, idle: process.idle });
    return 0;
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Unusable) throw error;
    process.warn(`${script}: ${Deno.inspect(error)}`);
    return 1;
  } finally {
    removeEventListener("unload", end);
    end();
  }
}

function once(call: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) call();
    isDone = true;
  };
}

/** The main module is the command line: what a script does for itself alone it would leave out without a word. */
function tellMain(script: string, { warn }: Process): void {
  if (!/\bimport\.meta\.main\b/.test(Deno.readTextFileSync(script))) return;
  warn(`${script}: import.meta.main is false here; what depends on import.meta.main is not run`);
}
