import type { Layer } from "../../loader/layer.ts";
import { serveLayers } from "../../loader/elsewhere/serve_layers.ts";
import { type Process, type Request, WrongUse } from "../command.ts";
import { openRecording } from "../script/record.ts";
import { endLayers, openLayer, type ScriptLayer } from "../layers/script_layer.ts";

/** How a program ended. */
interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  /** How many processes of the program loaded the layers. */
  readonly connected: number;
}

/** Starts a program under layers, and returns its exit code. */
export async function exec(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const [program] = request.scriptArguments, { values, json } = request;
  if (program === undefined) throw new WrongUse('exec: PROGRAM is missing: write it after "--"');
  const timeout = timeoutOf(values.timeout as string | undefined), { record } = values;
  const recording = typeof record === "string" ? openRecording(record, "program", process) : undefined;
  const layers: ScriptLayer[] = recording ? [recording.layer] : [];
  let ended: Ended;
  try {
    for (const name of request.options.layers as string[]) layers.push(await openLayer(name, process.warn));
    ended = await runUnder(layers, { request, timeout, process });
  } catch (error) {
    layers.forEach((layer) => layer.close?.());
    throw error;
  }
  if (json) print(JSON.stringify({ program, ...ended, reports: reportsOf(layers) }, null, 2));
  else endLayers(layers, print);
  return ended.code === 0 && recording?.isWhole() === false ? 1 : ended.code;
}

function reportsOf(layers: readonly ScriptLayer[]): string[] {
  const reports: string[] = [];
  endLayers(layers, (text) => reports.push(text));
  return reports;
}

/** What the run of a program takes, besides layers. */
interface Run {
  readonly request: Request;
  readonly timeout: number;
  readonly process: Process;
}

async function runUnder(opened: readonly ScriptLayer[], { request, timeout, process }: Run): Promise<Ended> {
  const { values, json, scriptArguments: [program, ...args] } = request, live = values.watch === true;
  const onError = (error: unknown) => process.warn(Deno.inspect(error));
  const layers = opened.map(typescriptLayer);
  await using server = await serveLayers({ layers, live, timeout, onError, log: process.warn });
  for (const { file } of opened) {
    if (live) file?.follow(server);
    else file?.close();
  }
  const { code, signal } = await runProgram(program, args, { env: server.environment(), apart: json });
  if (server.connected === 0) process.warn(notLoaded(program));
  if (signal !== null) process.warn(`${program}: ended by ${signal}`);
  return { code, signal, connected: server.connected };
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

/** How a program is started. */
interface Start {
  readonly env: Record<string, string>;
  /** Whether what the program prints goes to standard error, since standard output is for data. */
  readonly apart: boolean;
}

async function runProgram(program: string, args: string[], { env, apart }: Start): Promise<Deno.CommandStatus> {
  let child: Deno.ChildProcess;
  try {
    const stdout = apart ? "piped" : "inherit";
    child = new Deno.Command(program, { args, env, stdin: "inherit", stdout, stderr: "inherit" }).spawn();
  } catch (error) {
    throw new WrongUse(`exec: "${program}" cannot be started: ${(error as Error).message}`);
  }
  using _ = passingSignals(child);
  if (apart) await child.stdout.pipeTo(Deno.stderr.writable, { preventClose: true });
  return await child.status;
}

/**
 * Leaves the end to the program, so that its layers can report: hands on the
 * signals that ask this process to end. A terminal sends SIGINT to both.
 */
function passingSignals(child: Deno.ChildProcess): Disposable {
  let isOver = false;
  child.status.then(() => isOver = true);
  const handlers = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const handler = () => {
      if (signal !== "SIGINT" && !isOver) child.kill(signal);
    };
    Deno.addSignalListener(signal, handler);
    return [signal, handler] as const;
  });
  return {
    [Symbol.dispose]: () => handlers.forEach(([signal, handler]) => Deno.removeSignalListener(signal, handler)),
  };
}

function notLoaded(program: string): string {
  return `${program}: no process of it loaded the layers. Either it made no Vulkan instance, or its loader takes no layers ` +
    "from VK_INSTANCE_LAYERS and VK_ADD_LAYER_PATH: privileged programs and those with a loader of their own do not";
}
