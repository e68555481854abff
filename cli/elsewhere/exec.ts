import type { Layer } from "../../loader/layer.ts";
import { serveLayers } from "../../loader/elsewhere/serve_layers.ts";
import { type Process, type Request, WrongUse } from "../command.ts";
import { endLayers, openLayer, type ScriptLayer } from "../layers/script_layer.ts";

/** Starts a program under layers, and returns its exit code. */
export async function exec(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const [program, ...args] = request.scriptArguments, timeout = timeoutOf(request.values.timeout as string | undefined);
  if (program === undefined) throw new WrongUse('exec: PROGRAM is missing: write it after "--"');
  const opened: ScriptLayer[] = [];
  try {
    for (const name of request.options.layers as string[]) opened.push(await openLayer(name, print));
    const layers = opened.map(typescriptLayer);
    const onError = (error: unknown) => process.warn(Deno.inspect(error));
    await using server = await serveLayers({ layers, timeout, onError, log: process.warn });
    const { code, signal } = await runProgram(program, args, server.environment());
    if (server.connected === 0) process.warn(notLoaded(program));
    if (signal !== null) process.warn(`${program}: ended by ${signal}`);
    return code;
  } finally {
    endLayers(opened, print);
  }
}

function timeoutOf(seconds = "5"): number {
  const value = Number(seconds);
  if (seconds === "" || !(value >= 0)) throw new WrongUse(`exec: --timeout=${seconds} is no number of seconds`);
  return value === 0 ? Infinity : value * 1000;
}

function typescriptLayer(layer: ScriptLayer): Layer {
  const current = layer.current();
  if (typeof current !== "string") return current;
  throw new WrongUse(
    `exec: "${current}" is a native layer, which the program's own loader takes: put it into VK_INSTANCE_LAYERS`,
  );
}

async function runProgram(program: string, args: string[], env: Record<string, string>): Promise<Deno.CommandStatus> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, { args, env, stdin: "inherit", stdout: "inherit", stderr: "inherit" }).spawn();
  } catch (error) {
    throw new WrongUse(`exec: "${program}" cannot be started: ${(error as Error).message}`);
  }
  return await child.status;
}

function notLoaded(program: string): string {
  return `${program}: no process of it loaded the layers. Either it made no Vulkan instance, or its loader takes no layers ` +
    "from VK_INSTANCE_LAYERS and VK_ADD_LAYER_PATH: privileged programs and those with a loader of their own do not";
}
