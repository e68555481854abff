import { type Process, type Request, WrongUse } from "../command.ts";
import { notStarted } from "../files.ts";
import { type PassingChild, spawnPassing } from "../pass_signals.ts";
import { wantedFrames } from "../recording/wanted_frames.ts";
import { isKept, openRecording } from "../script/record.ts";
import { serveNamed, type Serving } from "./served_layers.ts";

/** How a program ended. */
interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  /** How many processes of the program loaded the layers. */
  readonly connected: number;
}

/** Starts a program under layers, and returns its exit code. */
export async function exec(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const [program, ...args] = request.scriptArguments, { values: { record }, json } = request;
  if (program === undefined) throw new WrongUse('exec: PROGRAM is missing: write it after "--"');
  if (record !== undefined && request.values.gles === true) {
    throw new WrongUse("exec: --record records calls of Vulkan: leave --gles or --record out");
  }
  if (isAlone(request) && !json) process.warn(noLayer(program));
  using wanted = typeof record === "string" ? wantedFrames("exec", record, request, process) : undefined;
  const recording = typeof record === "string" ? openRecording(wanted?.whole ?? record, "program", process) : undefined;
  const serving = await serveNamed({ command: "exec", request, process, more: recording ? [recording.layer] : [] });
  let ended: Ended;
  try {
    ended = await runUnder(serving, [program, ...args], { request, process });
  } finally {
    await serving[Symbol.asyncDispose]();
  }
  const reports = serving.reports(), { lostCalls } = serving.server;
  if (lostCalls > 0) {
    process.warn(
      `${program}: ${lostCalls} calls were seen by no layer and are in no report: they came too fast, or too many waited at a time`,
    );
  }
  if (json) print(JSON.stringify({ program, ...ended, reports }, null, 2));
  else reports.forEach((text) => print(text));
  const isGood = serving.isWhole() && isKept(wanted, json ? process.warn : print);
  return ended.code === 0 && !isGood ? 1 : ended.code;
}

/** Whether nothing stands above the program. */
function isAlone({ options, values: { record } }: Request): boolean {
  return record === undefined && (options.layers as string[]).length === 0;
}

async function runUnder(
  { server, environment }: Serving,
  [program, ...args]: string[],
  { request, process }: { request: Request; process: Process },
): Promise<Ended> {
  const { json, values } = request;
  const { code, signal } = await runProgram(program, args, { env: environment(), apart: json });
  if (server.connected === 0 && !isAlone(request)) {
    process.warn(values.gles === true ? notInPlace(program) : notLoaded(program));
  }
  if (signal !== null) process.warn(`${program}: ended by ${signal}`);
  return { code, signal, connected: server.connected };
}

/** How a program is started. */
interface Start {
  readonly env: Record<string, string>;
  /** Whether what the program prints goes to standard error, since standard output is for data. */
  readonly apart: boolean;
}

async function runProgram(program: string, args: string[], { env, apart }: Start): Promise<Deno.CommandStatus> {
  const stdout = apart ? "piped" : "inherit";
  using passing = started(program, { args, env, stdin: "inherit", stdout, stderr: "inherit" });
  const { child } = passing;
  if (apart) await child.stdout.pipeTo(Deno.stderr.writable, { preventClose: true });
  return await child.status;
}

function started(program: string, options: Deno.CommandOptions): PassingChild {
  try {
    return spawnPassing(new Deno.Command(program, options));
  } catch (error) {
    throw notStarted("exec", program, error);
  }
}

function noLayer(program: string): string {
  return `${program} runs without a layer, since none was given: give --layer=NAME, such as --layer=profile, or a module`;
}

function notInPlace(program: string): string {
  return `${program}: no process of it loaded the layers. Either it called nothing of EGL, or it takes libEGL.so.1 from ` +
    "elsewhere than LD_LIBRARY_PATH: programs with a copy of their own do, and those that are privileged";
}

function notLoaded(program: string): string {
  return `${program}: no process of it loaded the layers. Either it made no Vulkan instance, or its loader takes no layers ` +
    "from VK_INSTANCE_LAYERS and VK_ADD_LAYER_PATH: privileged programs and those with a loader of their own do not";
}
