import { type ComparedDriver, compareDrivers, comparisonText } from "../../compare/mod.ts";
import { RecordingError } from "../../loader/layers.ts";
import { type Process, type Request, WrongUse } from "../command.ts";
import { existing } from "../files.ts";

/** Compares two drivers on a recording. Returns 0 without a difference, 1 with one, 2 for wrong use. */
export async function compare(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const path = existing("compare", request.operand!), drivers = driversOf("compare", request), { values } = request;
  const isForPeople = Deno.stderr.isTerminal(), show = (text: string) => isForPeople && showProgress(text);
  try {
    const comparison = await compareDrivers(path, drivers, {
      bisect: values.submission !== true,
      unsealed: values.unsealed === true,
      steps: await stepsOf(values.steps as string[] | undefined),
      share: scaled(values, "share", 0.01),
      timeout: scaled(values, "timeout", 1000),
      onSubmission: (submission) => show(`submission ${submission}`),
      onCut: ({ actions, of }) => show(`after ${actions} of ${of} commands`),
    });
    show("");
    print(request.json ? JSON.stringify(comparison, withoutContents, 2) : comparisonText(comparison).join("\n"));
    return comparison.finding ? 1 : 0;
  } catch (error) {
    show("");
    if (!(error instanceof RecordingError || error instanceof TypeError)) throw error;
    process.warn(`compare: ${error.message}`);
    return 2;
  }
}

/** Returns the two drivers of a command line, each with its layers. */
export function driversOf(
  command: string,
  { options: { driver, layers = [], platform }, values }: Request,
): [ComparedDriver, ComparedDriver] {
  if (!Array.isArray(driver) || driver.length !== 2) {
    const found = Array.isArray(driver) ? driver.length : driver === "auto" ? 0 : 1;
    throw new WrongUse(`${command}: found ${found} drivers; give two, --driver=A --driver=B`);
  }
  const [one, other] = (["layer-a", "layer-b"] as const).map((name) => [...layers, ...values[name] as string[] ?? []]);
  return [
    { driver: driver[0], layers: one as string[], platform },
    { driver: driver[1], layers: other as string[], platform },
  ];
}

/**
 * Steps by VkFormat. The names are loaded here alone: a bundle with an object of
 * all constants makes every program that uses a few of them load all.
 */
async function stepsOf(given: readonly string[] = []): Promise<Record<number, number>> {
  if (given.length === 0) return {};
  const formats: Readonly<Record<string, unknown>> = await import("../../loader/vk.ts");
  return Object.fromEntries(given.map((each) => {
    const [name, steps] = each.split("="), format = formats[name];
    if (!name.startsWith("VK_FORMAT_") || typeof format !== "number" || !/^\d+$/.test(steps ?? "")) {
      throw new WrongUse(
        `compare: --steps=${each} is no format with a number; give VK_FORMAT_R8G8B8A8_UNORM=2 or the like`,
      );
    }
    return [format, Number(steps)];
  }));
}

/** A number of an option, in another unit. */
function scaled(values: Request["values"], name: string, unit: number): number | undefined {
  const given = values[name];
  if (given === undefined) return undefined;
  if (!(Number(given) > 0)) throw new WrongUse(`compare: --${name}=${given} is no number above 0`);
  return Number(given) * unit;
}

/** Bytes are for pictures. */
function withoutContents(name: string, value: unknown): unknown {
  return name === "contents" ? undefined : value;
}

/** Overwrites the last line of standard error. */
function showProgress(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text}`));
}
