import { WrongUse } from "../../workbench/process/exit_code.ts";
import type { Queue } from "../../workbench/runs/queue/connect.ts";
import { VERSION } from "../../workbench/runs/queue/card.ts";
import type { Requirements } from "../../workbench/runs/queue/messages.ts";
import { BESIDE, driverFor, isOf, nobody, workersThere } from "../../workbench/runs/queue/workers.ts";
import type { Request } from "../command.ts";
import { requirementsOf } from "./command.ts";

/** The drivers that a run asks of workers. */
export interface WantedDrivers {
  /** The names; the paths are known to the workers alone. */
  readonly names: readonly string[];
  /** The requirements on a worker besides the driver. */
  readonly others: Requirements;
}

/** The drivers that `--for` names, each once, and its other facts. */
function givenDrivers(request: Request): WantedDrivers {
  const words = ((request.values.for ?? []) as string[]).flatMap((each) => each.split(",")).map((each) => each.trim());
  const isDriver = (word: string) => word.startsWith("driver=");
  const others = requirementsOf({ ...request, values: { for: words.filter((word) => !isDriver(word)) } });
  const names = [...new Set(words.filter(isDriver).map((word) => word.slice("driver=".length)))];
  if (names.includes("")) throw new WrongUse('--for: "driver=" names no driver; give such as driver=lvp');
  return { names, others };
}

/** The drivers of `--for`, otherwise all drivers of the workers with the other facts of `--for`, by name. */
export async function wantedDrivers(queue: Queue, request: Request): Promise<WantedDrivers> {
  const { names, others } = givenDrivers(request);
  return { names: names.length > 0 ? names : await driversThere(queue, others), others };
}

async function driversThere(queue: Queue, others: Requirements): Promise<string[]> {
  const cards = await workersThere(queue);
  const found = cards.filter((card) => isOf(card, VERSION)).flatMap((card) =>
    card.drivers.filter((driver) => driverFor(others, card, [driver])).map(({ name }) => name)
  );
  if (found.length === 0) throw nobody(others, cards, VERSION);
  return [...new Set(found)].sort();
}

/** Two drivers of one worker. */
export interface DriverPair {
  /** The names. */
  readonly drivers: readonly [string, string];
  /** The requirements on a worker that has both. */
  readonly group: Requirements;
}

/**
 * The pairs of the drivers that `--for` names: the first beside each of the others. Throws {@linkcode WrongUse} for
 * fewer than two.
 */
export function wantedPairs(command: string, request: Request): DriverPair[] {
  refuseDrivers(command, request);
  const { names: [first, ...rest], others } = givenDrivers(request);
  if (rest.length > 0) return rest.map((other) => pairOf([first, other], others));
  throw new WrongUse(`${command}: name two drivers of the workers, --for=driver=A,driver=B; one worker must have both`);
}

/** One driver that `--for` names stands for both; otherwise there must be two. */
export function wantedPair(command: string, request: Request): DriverPair {
  refuseDrivers(command, request);
  const { names: [first, other = first, ...rest], others } = givenDrivers(request);
  if (first !== undefined && rest.length === 0) return pairOf([first, other], others);
  throw new WrongUse(`${command}: name one or two drivers of the workers, such as --for=driver=A,driver=B`);
}

function pairOf(drivers: readonly [string, string], others: Requirements): DriverPair {
  return { drivers, group: { ...others, driver: drivers[0], [BESIDE]: drivers[1] } };
}

function refuseDrivers(command: string, { drivers, options: { layers = [] } }: Request): void {
  if (drivers.length > 0) {
    throw new WrongUse(`${command}: --driver: the workers of a queue have the drivers; give --for=driver=NAME`);
  }
  if (layers.length > 0) throw new WrongUse(`${command}: --layer: layers of this machine are not on the workers`);
}
