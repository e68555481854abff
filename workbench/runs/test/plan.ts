import { relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { isFile } from "../../../ffi/library/library.ts";
import { twinParts, twinText } from "../../process/twin_words.ts";
import { outputFolder, slug } from "../testing/places.ts";
import { toFileUrl } from "./files.ts";
import { NO_DEVICE, unmetByDriver } from "../../../wsi/gpu/choice.ts";
import { asTwins, findDrivers } from "../testing/find_drivers.ts";
import { type ListedTest, listTests } from "../testing/list_tests.ts";
import type { GpuTestOutline, NamedDriver } from "../testing/options.ts";
import { factsOf } from "../testing/probe.ts";
import { type GpuTestPlace, type GpuTestTask, keyOf } from "./work.ts";

/** The tests that are to be planned. */
export interface Plan {
  /** The paths of the files. */
  readonly files: readonly string[];
  /** The drivers of tests that name none; absent for those of this machine. */
  readonly drivers?: readonly NamedDriver[];
  /** Milliseconds for a test without a timeout of its own. */
  readonly timeout?: number;
  /** Whether the drivers are on other machines, so that their names alone are known. */
  readonly isElsewhere?: boolean;
  /** Ends the planning. */
  readonly signal: AbortSignal;
}

/** The tasks of a run, and what people should know about the plan. */
export interface Planned {
  /** The tasks, by file, test and driver. */
  readonly tasks: readonly GpuTestTask[];
  /** Sentences about drivers and files without tests. */
  readonly notes: readonly string[];
}

/** Lists the tests of all files and crosses them with their drivers. A file that cannot be loaded is a task that fails. */
export async function plan(wanted: Plan): Promise<Planned> {
  const tasks: GpuTestTask[] = [], notes = new Set<string>();
  for (const path of wanted.files) {
    if (wanted.signal.aborted) break;
    const file = relative(Deno.cwd(), path) || path,
      { tests, problem } = await listTests(toFileUrl(path), wanted.signal);
    if (wanted.signal.aborted) break;
    if (problem !== undefined) tasks.push(failing(file, problem));
    else tasks.push(...tests.flatMap((test) => tasksOf(test, file, wanted, (note) => notes.add(note))));
    if (problem === undefined && tests.length === 0) notes.add(`${file} has no gpuTest`);
  }
  return { tasks, notes: [...notes] };
}

function tasksOf(
  test: ListedTest,
  file: string,
  { drivers, timeout, isElsewhere = false }: Plan,
  tell: (note: string) => void,
): GpuTestTask[] {
  const { line, ...outline } = test,
    all = outline.options.drivers || !drivers ? findDrivers(outline.options) : asTwins(drivers, outline.options.twins);
  const output = outputOf(outline, file, isElsewhere);
  const placed = all.map((driver) => driver.twin === undefined ? driver : { ...driver, twin: whole(driver.twin) });
  const found = placed.map((driver) => ({ driver, reason: isElsewhere ? undefined : unmet(outline, driver, all) }));
  for (const { driver, reason } of found) {
    if (reason === NO_DEVICE) tell(`${driver.name} ${NO_DEVICE}: no test runs on it`);
  }
  return found.filter(({ reason }) => reason !== NO_DEVICE).map(({ driver, reason }, index) => {
    const place: GpuTestPlace = { file, line, test: outline.name, driver: driver.name };
    const known = reason === undefined ? {} : { known: { status: "Skip" as const, message: reason } };
    return {
      key: keyOf(place),
      details: { place },
      work: { place, test: outline, driver, leads: index === 0, timeout, output, ...known },
    };
  });
}

/** A twin by the whole path of its file, so that processes in other folders find the file. */
function whole(twin: string): string {
  const { strictness, source } = twinParts(twin);
  return isFile(source) ? twinText({ strictness, source: resolve(source) }) : twin;
}

/** The folder for pictures and scripts. Another machine does not know the folder that the test names. */
function outputOf({ options }: GpuTestOutline, file: string, isElsewhere: boolean): string {
  if (isElsewhere && options.output !== undefined) return outputFolder({ options });
  return `${outputFolder({ options: {} })}/${slug(file)}`;
}

/**
 * The reason to skip a driver, asked on the machine that has the driver. A test with layers asks the device
 * itself, because layers add what drivers lack.
 */
export function unmet(test: GpuTestOutline, driver: NamedDriver, all: readonly NamedDriver[]): string | undefined {
  const { file, options } = test, facts = factsOf(file, driver, all);
  if (facts?.devices.length === 0) return NO_DEVICE;
  if (options.ignore) return "ignored";
  return !facts || options.layers?.length ? undefined : unmetByDriver(facts, options);
}

function failing(file: string, problem: string): GpuTestTask {
  const place: GpuTestPlace = { file, test: "", driver: "" };
  const known = {
    status: "InternalError" as const,
    message: `the file cannot be loaded: ${stripVTControlCharacters(problem)}`,
  };
  return { key: keyOf(place), details: { place }, work: { place, known } };
}
