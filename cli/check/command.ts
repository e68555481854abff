import { RELEASES } from "../../loader/requirements/conditions.ts";
import { encodeDeqpLevel } from "../../loader/requirements/deqp_level.ts";
import { type CheckReport, type CheckRequest, type PartName, VERDICT_WORDS } from "../../workbench/check/report.ts";
import { checkJunit } from "../../workbench/check/output/junit.ts";
import { checkMarkdown } from "../../workbench/check/output/markdown.ts";
import { checkText } from "../../workbench/check/output/text.ts";
import { runCheck } from "../../workbench/check/run_check.ts";
import { binderPlace } from "../../workbench/process/binder.ts";
import { kmsCard } from "../../workbench/process/card.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { isThere, writeReport } from "../../workbench/process/files.ts";
import { twinName } from "../../workbench/process/twin_words.ts";
import { Progress } from "../../workbench/process/progress.ts";
import { columnsHere, styleHere } from "../../workbench/process/terminal.ts";
import { ReportFolder } from "../../workbench/runs/report/folder.ts";
import type { Process, Request } from "../command.ts";
import { refuseQueued } from "../test/known.ts";

// Loaded when they are needed: cli/commands.ts says why "as string".
type CheckOverQueueModule = typeof import("../queue/check_over_queue.ts");
type CheckPageModule = typeof import("../../workbench/check/output/check_page.ts");

const FALLBACK_COLUMNS = 100;

/** Checks the rules, prints the report and returns the exit code. */
export async function check(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  if (request.values.queue !== undefined) {
    const { checkOverQueue } = await import("../queue/check_over_queue.ts" as string) as CheckOverQueueModule; // the queue's modules are loaded for this alone
    return await checkOverQueue(request, print, process);
  }
  refuseQueued(request);
  const format = formatOf(request), { junit, html } = request.values;
  const folder = html === undefined ? undefined : new ReportFolder(html as string);
  const wanted = checkRequest(request);
  using progress = new Progress("check");
  const report = await runCheck(wanted, ({ status, rule }) => progress.show(`${rule}: ${VERDICT_WORDS[status]}`));
  progress.show("");
  if (junit !== undefined) writeReport("--junit", junit as string, checkJunit(report));
  print(format(report));
  folder?.write(
    (await import("../../workbench/check/output/check_page.ts" as string) as CheckPageModule).checkPage(report),
  );
  return report.good ? 0 : 1;
}

/** Returns the printer of the report. `--failures` leaves rules out of what people read; data have them all. */
function formatOf({ json, values: { markdown, failures } }: Request): (report: CheckReport) => string {
  if (json && markdown) throw new WrongUse("check: --json and --markdown exclude each other");
  if (failures && (json || markdown)) {
    throw new WrongUse("check: --failures is for text: leave it or --json and --markdown out");
  }
  if (json) return (report) => JSON.stringify(report, null, 2);
  return markdown ? checkMarkdown : (report) => checkText(report, { ...terminal(), failures: failures === true });
}

function terminal() {
  return { style: styleHere(), width: columnsHere() ?? FALLBACK_COLUMNS };
}

/** The values of `--only`. */
const CHOICES: readonly PartName[] = ["vulkan", "egl", "composer"];
const [OLDEST, NEWEST] = RELEASES;

/** Reads the options of `check`. Throws {@linkcode WrongUse} for values that make no sense. */
export function checkRequest({ values, options, drivers }: Request): CheckRequest {
  const text = (name: string) => values[name] as string | undefined,
    only = text("only")?.split(","),
    twin = text("twin");
  for (const driver of drivers) checkThere("--driver", driver);
  for (const name of ["egl-driver", "verify"]) checkThere(`--${name}`, text(name));
  const composer = text("composer");
  const isElsewhere = composer !== undefined &&
    (kmsCard("--composer", composer) ?? binderPlace("--composer", composer)) !== undefined;
  if (!isElsewhere) checkThere("--composer", composer);
  for (const profile of (values.profile ?? []) as string[]) checkThere("--profile", profile);
  return {
    options: { ...options, layers: [...options.layers ?? [], ...twin === undefined ? [] : [twinName(twin)]] },
    release: release("--release", text("release")) ?? NEWEST,
    launch: release("--launch", text("launch")),
    lowMemory: values["low-memory"] === true,
    only: new Set(partsOf(only)),
    isChosen: only !== undefined,
    eglDriver: text("egl-driver"),
    contexts: positive("--contexts", text("contexts")),
    timeout: milliseconds("--timeout", text("timeout")),
    composer,
    profiles: (values.profile ?? []) as string[],
    deqpLevel: level("--deqp-level", text("deqp-level")),
    glesDeqpLevel: level("--gles-deqp-level", text("gles-deqp-level")),
    emit: text("emit"),
    verify: text("verify"),
  };
}

/** A name without a folder is searched for by the opener. */
function checkThere(option: string, path: string | undefined): void {
  if (path?.includes("/") && !isThere(path)) throw new WrongUse(`${option}: "${path}" is not there`);
}

function partsOf(names: readonly string[] | undefined): PartName[] {
  const unknown = names?.find((name) => !CHOICES.some((part) => part === name));
  if (unknown !== undefined) throw new WrongUse(`--only: "${unknown}" is not one of ${CHOICES.join(", ")}`);
  return CHOICES.filter((part) => names === undefined || names.includes(part));
}

function release(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= OLDEST && number <= NEWEST) return number;
  throw new WrongUse(`${option}: "${text}" is not an Android release from ${OLDEST} to ${NEWEST}`);
}

function positive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new WrongUse(`${option}: "${text}" is not a whole number above 0`);
}

/** Seconds, perhaps with a fraction, as milliseconds. */
function milliseconds(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d/.test(text) && seconds > 0 && Number.isFinite(seconds)) return 1000 * seconds;
  throw new WrongUse(`${option}: "${text}" is not a number of seconds above 0`);
}

function level(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    encodeDeqpLevel(text);
    return text;
  } catch (error) {
    throw new WrongUse(`${option}: ${(error as Error).message}`);
  }
}
