import { wholeNumber } from "../test/known.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { Progress } from "../../workbench/process/progress.ts";
import { type Style, styleHere } from "../../workbench/process/terminal.ts";
import { lookAround, type Machine } from "./machine.ts";
import { type Ending, refuseNone, type Run, tryProgram, type Verdict, verdictOf } from "./program.ts";

/** The text about a machine, section by section. */
function machineText({ drivers, layers, settings, rights }: Machine, style: Style): string {
  const mark = (isGood: boolean, isIdle = false) =>
    isGood ? style.green("works  ") : isIdle ? style.dim("idle   ") : style.red("broken ");
  return [
    style.bold("Drivers"),
    ...drivers.map(({ name, path, owner, devices, trouble, isIdle }) =>
      [
        `  ${mark(trouble === undefined, isIdle)}${name}: ${trouble ?? devices.join(", ")}`,
        `         ${path}, ${owner}`,
      ]
        .join("\n")
    ),
    ...drivers.length === 0
      ? ["  none is installed: install your card's driver, or a package such as mesa-vulkan-drivers"]
      : [],
    style.bold("Implicit layers"),
    ...layers.map(({ name, manifest, owner, isActive, reason, off: [variable, value] }) => {
      const how = isActive ? `; off with ${variable}=${value}` : "";
      return `  ${
        isActive ? style.yellow("active ") : style.dim("off    ")
      }${name}: ${reason}${how}\n         ${manifest}, ${owner}`;
    }),
    ...layers.length === 0 ? ["  none is installed"] : [],
    style.bold("Variables and settings"),
    ...settings.map(({ name, value, effect }) => `  ${name}=${value}: ${effect}`),
    ...settings.length === 0 ? ["  none that changes how Vulkan programs run"] : [],
    style.bold("Permissions"),
    ...rights.map(({ path, isUsable, advice }) =>
      `  ${isUsable ? mark(true) : style.red("refused")} ${path}${advice && `: ${advice}`}`
    ),
  ].map(noCard).join("\n");
}

/** A machine without a card has nothing that could be refused. */
function noCard(line: string): string {
  return /\/dev\/dri$/.test(line)
    ? "  no card: neither /dev/dri nor /dev/nvidia0 is there, so that only drivers on the CPU can work"
    : line;
}

const HEAD = ["run", "outcome", "exit", "seconds", "last line"];
/** The most characters of a line of the program that are shown. */
const LONGEST = 60;

/** The runs of a program as a table, and the verdict. */
function programText(line: readonly string[], runs: readonly Run[], verdict: Verdict, style: Style): string {
  const rows = runs.map((
    { what, outcome, code, signal, seconds, lastLine },
  ) => [what, outcome, `${code ?? signal ?? "-"}`, seconds.toFixed(1), lastLine.slice(0, LONGEST)]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column].length)));
  const set = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column]));
  const lines = rows.map((row) => {
    const [what, outcome, ...rest] = set(row);
    return ["", what, colored(row[1] as Ending, outcome, style), ...rest].join("  ").trimEnd();
  });
  const end = verdict.isGood ? style.green(verdict.sentence) : style.red(verdict.sentence);
  return [style.bold(line.join(" ")), ["", ...set(HEAD)].join("  ").trimEnd(), ...lines, end].join("\n");
}

function colored(outcome: Ending, text: string, style: Style): string {
  if (outcome === "passed") return style.green(text);
  return outcome === "timed out" ? style.yellow(text) : style.red(text);
}

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
  const { options, drivers, scriptArguments: line, values, json } = request, isForPeople = !json;
  if ((options.layers as string[]).length > 0) throw new WrongUse("doctor: --layer is not used; leave it out");
  if (Deno.build.os !== "linux") throw new WrongUse("doctor: this looks at Linux alone; use explain");
  const seconds = wholeNumber("--timeout", values.timeout as string | undefined, 1) ?? DEFAULT_TIMEOUT;
  if (line.length > 0) refuseNone(line[0]);
  using progress = new Progress("doctor");
  progress.show("opening the drivers");
  const machine = await lookAround(drivers);
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
