import { placeServed } from "../../workbench/layer_server/serve.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { type Stop, untilStopped } from "../../workbench/process/stop.ts";
import { serveNamed, type Serving } from "./served_layers.ts";
import { Adb } from "../../workbench/layer_server/phone/adb.ts";
import { NoAdb, StepFailed } from "../../workbench/layer_server/phone/failures.ts";
import { ASK, changes, fileOf, type Wanted, type Way } from "../../workbench/layer_server/phone/steps.ts";
import { Visit } from "../../workbench/layer_server/phone/visit.ts";

/** Milliseconds between looks whether the phone is still there. */
const LOOK = 2000;

/** The parts that the command runs with. */
interface Run {
  readonly wanted: Wanted;
  readonly request: Request;
  readonly print: (text: string) => void;
  readonly process: Process;
}

/** Puts layers on an application of a phone until Ctrl-C, and tidies up: the exit code. */
export async function phone(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const wanted = wantedOf(request), { adb: program = "adb", serial = "", "dry-run": isDry } = request.values;
  if ((request.options.layers as string[]).length === 0) throw new WrongUse("phone: --layer=LAYER is missing");
  const port = portOf(request),
    adb = new Adb(program as string, serial as string),
    run = { wanted, request, print, process };
  if (isDry) {
    printSteps(adb, run);
    return 0;
  }
  using end = untilStopped({ hangup: true, second: "nothing" }); // nothing interrupts the tidying
  const visit = new Visit(adb, print, () => end.signal.aborted);
  let code = 0, isTidy = 0;
  try {
    const way = await visit.look(wanted);
    await serveOn(visit, { ...way, port }, { ...run, end });
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    if (!end.signal.aborted) process.warn(`phone: ${error.message}`);
    code = end.signal.aborted ? 0 : error.code;
    if (error instanceof NoAdb) printSteps(adb, run);
  } finally {
    isTidy = await tidyUp(visit, process);
  }
  return Math.max(code, isTidy);
}

/** Puts memory where programs on phones have room. */
export function place(): void {
  placeServed({ listen: "tcp:127.0.0.1:0", runsOn: "aarch64-android" });
}

/** Serves the layers, does what the phone takes, and waits for the end. Leaves the phone as it is then. */
async function serveOn(
  visit: Visit,
  { port, isOwnFolder }: { port: number; isOwnFolder: boolean },
  { wanted, request, print, process, end }: Run & { end: Stop },
): Promise<void> {
  const watching = { ...request, values: { ...request.values, watch: true } };
  const options = { listen: `tcp:127.0.0.1:${port}`, runsOn: "aarch64-android" } as const;
  const serving = await serveNamed({ command: "phone", request: watching, process, options });
  try {
    const isStarted = await stepAndWait(visit, way(serving, wanted, isOwnFolder), { wanted, end, print });
    if (isStarted && serving.server.connected === 0) process.warn(notConnected(wanted));
  } finally {
    await serving[Symbol.asyncDispose]();
    serving.reports().forEach((text) => print(text));
  }
}

/** Returns whether the application was started. */
async function stepAndWait(
  visit: Visit,
  way: Way,
  { wanted, end, print }: { wanted: Wanted; end: Stop; print: (text: string) => void },
): Promise<boolean> {
  for (const step of changes(wanted, way)) {
    if (end.signal.aborted) return false;
    await visit.make(step);
  }
  print(`${wanted.application} was started under the layers, which are served until Ctrl-C`);
  while (!end.signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<void>(), timer = setTimeout(resolve, LOOK);
    await Promise.race([end.told, promise]);
    clearTimeout(timer);
    if (!end.signal.aborted && await visit.isGone() && !end.signal.aborted) {
      throw new StepFailed("the phone is gone", 1);
    }
  }
  return true;
}

function way({ server }: Serving, wanted: Wanted, isOwnFolder: boolean): Way {
  return {
    library: `${server.folder}/${fileOf(wanted)}`,
    port: Number(server.address!.split(":").at(-1)),
    isOwnFolder,
  };
}

async function tidyUp(visit: Visit, { warn }: Process): Promise<0 | 1> {
  const left = await visit.tidyUp();
  if (left.length === 0) return 0;
  warn(
    `phone: the phone could not be tidied up. These lines do what is left, once it is connected:\n${left.join("\n")}`,
  );
  return 1;
}

/** Prints the steps by hand, for an application that is debuggable. */
function printSteps(adb: Adb, { wanted, request, print }: Run): void {
  const port = portOf(request) || "PORT", { application } = wanted;
  const steps = changes(wanted, { library: fileOf(wanted), port, isOwnFolder: true });
  const lines = (all: readonly (readonly string[])[]) => all.forEach((words) => print(adb.line(words)));
  print("# Look whether the application can have layers:");
  lines([ASK.state, ASK.installed(application), ASK.processor, ASK.isDebuggable(application)]);
  print(`# pumice serve --listen=tcp:127.0.0.1:${port} --target=aarch64-android ... says where the library is. Then:`);
  lines(steps.map(({ does }) => does));
  print("# Tidy up afterwards:");
  lines(steps.flatMap(({ undo }) => undo ? [undo] : []).reverse());
}

function wantedOf({ operand, values: { activity, gles } }: Request): Wanted {
  if (!/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(operand!)) {
    throw new WrongUse(`phone: "${operand}" is no name of an application: give one such as com.example.game`);
  }
  if (activity !== undefined && !/^[\w.]+$/.test(activity as string)) {
    throw new WrongUse(`phone: --activity=${activity} is no name of an activity: give one such as .MainActivity`);
  }
  return { application: operand!, activity: activity as string | undefined, isGles: gles === true };
}

function portOf({ values: { port = "0" } }: Request): number {
  const number = Number(port);
  if (port !== "" && Number.isInteger(number) && number >= 0 && number < 65536) return number;
  throw new WrongUse(`phone: --port=${port} is no port: give a number up to 65535`);
}

function notConnected({ application }: Wanted): string {
  return `${application}: the layer library did not connect. Either the application did not load it (\`adb logcat\` tells), ` +
    "or it may not use the network (android.permission.INTERNET), or it draws with the other interface (--gles)";
}
