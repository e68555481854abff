import { wholeNumber } from "../test/known.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { Progress } from "../../workbench/process/progress.ts";
import { styleHere } from "../../workbench/process/style.ts";
import { lookAround, type Machine } from "./machine.ts";
import { refuseNone, type Run, tryProgram, type Verdict, verdictOf } from "./program.ts";
import { machineText, programText } from "./text.ts";

/** The output of `doctor --json`. Members are only ever added. */
export interface DoctorReport extends Machine {
  /** The runs of the program, and what they say; absent without a program. */
  readonly program?: { readonly line: readonly string[]; readonly runs: readonly Run[] } & Verdict;
}

const DEFAULT_TIMEOUT = 20;

/**
 * Tells what decides how Vulkan programs run here, and tries a program. Returns 1 if no driver can be used, if a driver
 * does not open or an active layer is broken, or if the program does not work.
 */
export async function doctor(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const { options, scriptArguments: line, values, json } = request, isForPeople = !json;
  if ((options.layers as string[]).length > 0) throw new WrongUse("doctor: --layer is not used; leave it out");
  if (Deno.build.os !== "linux") throw new WrongUse("doctor: this looks at Linux alone; use explain");
  const seconds = wholeNumber("--timeout", values.timeout as string | undefined, 1) ?? DEFAULT_TIMEOUT;
  if (line.length > 0) refuseNone(line[0]);
  using progress = new Progress("doctor");
  progress.show("opening the drivers");
  const machine = await lookAround([options.driver].flat().filter((each) => each !== "auto") as string[]);
  progress.show("");
  if (isForPeople) print(machineText(machine, styleHere()));
  if (line.length === 0) {
    if (json) print(JSON.stringify(machine satisfies DoctorReport, null, 2));
    return isSound(machine) ? 0 : 1;
  }
  const runs = await tryProgram(line, machine, seconds, ({ what, outcome }) => progress.show(`${what}: ${outcome}`));
  progress.show("");
  const verdict = verdictOf(runs, machine), report: DoctorReport = { ...machine, program: { line, runs, ...verdict } };
  print(json ? JSON.stringify(report, null, 2) : `\n${programText(line, runs, verdict, styleHere())}`);
  if (verdict.isGood && !isSound(machine)) process.warn("doctor: the program works, but not all of this machine does");
  return verdict.isGood ? 0 : 1;
}

/** Whether a driver can be used and nothing that would be is broken. */
function isSound({ drivers, layers }: Machine): boolean {
  const isBroken = drivers.some(({ trouble, isIdle }) => trouble !== undefined && !isIdle);
  const isLost = layers.some(({ isActive, reason }) => isActive && reason.endsWith("is not there"));
  return drivers.some(({ trouble }) => trouble === undefined) && !isBroken && !isLost;
}
