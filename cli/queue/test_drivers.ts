import type { NamedDriver } from "../../workbench/runs/testing/options.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { VERSION } from "../../workbench/runs/queue/card.ts";
import type { Queue } from "../../workbench/runs/queue/connect.ts";
import type { Requirements } from "../../workbench/runs/queue/messages.ts";
import { requirementsOf } from "./request.ts";
import { driverFor } from "../../workbench/runs/queue/units.ts";
import { isOf, nobody, workersThere } from "../../workbench/runs/queue/stored_workers.ts";

/** The drivers that the tests of a run ask of workers. */
export interface WantedDrivers {
  /** The drivers' names; their paths are known to the workers alone. */
  readonly drivers: readonly NamedDriver[];
  /** The requirements on a worker besides the driver. */
  readonly others: Requirements;
}

/** The drivers of `--for`, otherwise all drivers of the workers with the other facts of `--for`, by name. */
export async function wantedDrivers(queue: Queue, request: Request): Promise<WantedDrivers> {
  const words = ((request.values.for ?? []) as string[]).flatMap((each) => each.split(",")).map((each) => each.trim());
  const isDriver = (word: string) => word.startsWith("driver=");
  const others = requirementsOf({ ...request, values: { for: words.filter((word) => !isDriver(word)) } });
  const given = [...new Set(words.filter(isDriver).map((word) => word.slice("driver=".length)))];
  if (given.includes("")) throw new WrongUse('--for: "driver=" names no driver; give such as driver=lvp');
  const names = given.length > 0 ? given : await driversThere(queue, others);
  return { drivers: names.map((name) => ({ name, path: "" })), others };
}

async function driversThere(queue: Queue, others: Requirements): Promise<string[]> {
  const cards = await workersThere(queue);
  const found = cards.filter((card) => isOf(card, VERSION)).flatMap((card) =>
    card.drivers.filter((driver) => driverFor(others, card, [driver])).map(({ name }) => name)
  );
  if (found.length === 0) throw nobody(others, cards, VERSION);
  return [...new Set(found)].sort();
}
