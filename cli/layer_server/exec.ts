import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { twinName } from "../../workbench/process/twin_words.ts";
import { notStarted } from "../../workbench/process/files.ts";
import { type PassingChild, spawnPassing } from "../../workbench/process/stop.ts";
import type { OpenBox } from "../recording/black_box.ts";
import type { Recording } from "../recording/recording_layer.ts";
import { serveNamed, type Serving } from "./served_layers.ts";
import { OpenedFiles, ProcessLooks } from "./unloaded/processes.ts";
import { reasonOf, soughtIn } from "./unloaded/reason.ts";

// Loaded when they are needed: cli/commands.ts says why "as string".
type BlackBoxModule = typeof import("../recording/black_box.ts");
type RecordModule = typeof import("../script/record.ts");
type RecordingLayerModule = typeof import("../recording/recording_layer.ts");

/** The end of a program. */
interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  /** The number of the program's processes that loaded the layers. */
  readonly connected: number;
}

/** Starts a program under layers, and returns its exit code. */
export async function exec(asked: Request, print: (text: string) => void, process: Process): Promise<number> {
  const request = withTwin(asked),
    [program] = request.scriptArguments,
    { values } = request,
    kept = ["record", "black-box"] as const;
  if (program === undefined) throw new WrongUse('exec: PROGRAM is missing: write it after "--"');
  const given = kept.filter((name) => values[name] !== undefined).map((name) => `--${name}`);
  if (given.length === 2) throw new WrongUse("exec: --black-box or --record: the one has what the other has");
  if (given.length === 1 && values.gles === true) {
    throw new WrongUse(`exec: ${given[0]} records calls of Vulkan: leave --gles or ${given[0]} out`);
  }
  const run = (box?: OpenBox) => execHere(request, print, process, box);
  if (values["black-box"] === undefined && values.bound === undefined) return await run();
  const { withBlackBox } = await import("../recording/black_box.ts" as string) as BlackBoxModule;
  return await withBlackBox("exec", request, process, run);
}

/** The twin of `--twin` stands below all layers. */
function withTwin(request: Request): Request {
  const { options, values: { twin } } = request;
  if (typeof twin !== "string") return request;
  return { ...request, options: { ...options, layers: [...options.layers ?? [], twinName(twin)] } };
}

async function execHere(
  request: Request,
  print: (text: string) => void,
  process: Process,
  box: OpenBox | undefined,
): Promise<number> {
  const [program, ...args] = request.scriptArguments, { json } = request;
  if (isAlone(request) && !json) process.warn(noLayer(program));
  using record = await recordOf(request, process);
  const serving = await serveNamed({
    command: "exec",
    request,
    process,
    more: [...record ? [record.recording.layer] : [], ...box?.layers ?? []],
  });
  let ended: Ended;
  try {
    ended = await runUnder(serving, [program, ...args], { request, process, box });
    serving.server.drain(); // of what the program did at last
    box?.ended(program, ended.signal);
  } finally {
    await serving[Symbol.asyncDispose]();
  }
  if (ended.code !== 0) serving.tellFailures();
  const reports = serving.reports(), { lostCalls } = serving.server;
  if (lostCalls > 0) {
    process.warn(
      `${program}: ${lostCalls} calls were seen by no layer and are in no report: they came too fast, or too many waited at a time`,
    );
  }
  if (json) print(JSON.stringify({ program, ...ended, reports }, null, 2));
  else reports.forEach((text) => print(text));
  const isGood = serving.isWhole() && (record?.isKept(json ? process.warn : print) ?? true);
  return ended.code === 0 && !isGood ? 1 : ended.code;
}

/** The recording of `--record`, and the part of it that is wanted. */
interface Recorded extends Disposable {
  readonly recording: Recording;
  /** Writes the part, and says so. Returns whether the part is whole. */
  isKept(say: (text: string) => void): boolean;
}

/** Begins the recording of `--record`; `undefined` without the option. */
async function recordOf(request: Request, process: Process): Promise<Recorded | undefined> {
  const { record } = request.values;
  if (typeof record !== "string") return undefined;
  const { isKept, wantedFrames } = await import("../script/record.ts" as string) as RecordModule;
  const { openRecording } = await import("../recording/recording_layer.ts" as string) as RecordingLayerModule;
  const wanted = wantedFrames("exec", record, request, process);
  return {
    recording: openRecording(wanted?.whole ?? record, "program", process),
    isKept: (say) => isKept(wanted, say),
    [Symbol.dispose]: () => wanted?.[Symbol.dispose](),
  };
}

/** Whether nothing stands above the program. */
function isAlone({ options, values }: Request): boolean {
  return values.record === undefined && values["black-box"] === undefined && (options.layers as string[]).length === 0;
}

async function runUnder(
  { server, environment, watch }: Serving,
  [program, ...args]: string[],
  { request, process, box }: { request: Request; process: Process; box: OpenBox | undefined },
): Promise<Ended> {
  const { json, values } = request, { folder } = server, isGles = values.gles === true;
  using opened = new OpenedFiles(folder);
  const env = { ...environment(), ...loaderWords(request) };
  using passing = started(program, { args, env, stdin: "inherit", stdout: json ? "piped" : "inherit" });
  watch.follow(passing.child.pid, program);
  box?.runsIn(passing.child.pid);
  using looks = new ProcessLooks(passing.child.pid, soughtIn(folder, isGles), () => server.connected > 0);
  // what the program prints goes to standard error, if standard output is for data
  if (json) await passing.child.stdout.pipeTo(Deno.stderr.writable, { preventClose: true });
  const { code, signal } = await passing.child.status;
  if (server.connected === 0 && !isAlone(request)) {
    const reason = reasonOf({ isGles, folder, opened, seen: looks.seen, user: Deno.uid() });
    process.warn(`${program}: no process of it loaded the layers. ${reason}`);
  }
  if (server.programs > 0) {
    process.warn(`${program}: ${server.programs} of its processes still run, and go on without the layers`);
  }
  if (signal !== null) process.warn(`${program}: ended by ${signal}`);
  return { code, signal, connected: server.connected };
}

/**
 * A native loader refuses by itself a device with an extension that a layer hides, and names the extension only where
 * this variable says so.
 */
function loaderWords({ options: { layers = [] } }: Request): Record<string, string> {
  const hides = layers.some((layer) => /^(twin|limits|deviceTwin|deviceLimits)\b/.test(`${layer}`));
  return hides && !Deno.env.get("VK_LOADER_DEBUG") ? { VK_LOADER_DEBUG: "error" } : {};
}

function started(program: string, options: Deno.CommandOptions): PassingChild {
  try {
    return spawnPassing(new Deno.Command(program, { ...options, stderr: "inherit" }));
  } catch (error) {
    throw notStarted("exec", program, error);
  }
}

function noLayer(program: string): string {
  return `${program} runs without a layer, since none was given: give --layer=NAME, such as --layer=profile, or a module`;
}
