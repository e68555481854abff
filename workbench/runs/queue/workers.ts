import type { Queue } from "./connect.ts";
import { type CardDriver, PROTOCOL, readCard, type Requirements, type WorkerCard } from "./messages.ts";
import { WORKERS } from "./names.ts";
import { persist } from "./patience.ts";
import { QueueTrouble } from "./trouble.ts";

/** The requirement that a worker has a driver of this name besides the one that the task is for. */
export const BESIDE = "beside";

/** Drivers that must not work at the same time, because they share a device. */
export interface Unit {
  readonly drivers: readonly CardDriver[];
}

/** Groups drivers by the devices that they share. */
export function unitsOf(drivers: readonly CardDriver[]): Unit[] {
  const units: CardDriver[][] = [];
  for (const driver of drivers) {
    const sharing = units.filter((unit) => unit.some((other) => shareDevice(driver, other)));
    for (const unit of sharing) units.splice(units.indexOf(unit), 1);
    units.push([...sharing.flat(), driver]);
  }
  return units.map((each) => ({ drivers: each }));
}

function shareDevice(one: CardDriver, other: CardDriver): boolean {
  return one.devices.some(({ uuid }) => other.devices.some((each) => each.uuid === uuid));
}

/** The first of a worker's drivers that meets requirements; `undefined` if none does. */
export function driverFor(
  requirements: Requirements,
  card: WorkerCard,
  drivers: readonly CardDriver[] = card.drivers,
): CardDriver | undefined {
  const entries = Object.entries(requirements);
  if (!entries.every(([name, value]) => isOfDriver(name) || isOfWorker(name, value, card))) return undefined;
  return drivers.find((driver) => entries.every(([name, value]) => !isOfDriver(name) || hasFact(driver, name, value)));
}

/** Requirements as a text, such as `driver=lvp soc=x`. */
export function requirementsText(requirements: Requirements): string {
  const entries = Object.entries(requirements);
  return entries.length === 0 ? "any driver" : entries.map(([name, value]) => `${name}=${value}`).join(" ");
}

/** Whether a worker has a fact, or a second driver that is asked for by `beside`. */
function isOfWorker(name: string, value: string, card: WorkerCard): boolean {
  return name === BESIDE ? card.drivers.some((each) => each.name === value) : factOf(name, card) === value;
}

function isOfDriver(name: string): boolean {
  return ["driver", "device", "uuid"].includes(name);
}

function hasFact({ name: driver, devices }: CardDriver, name: string, value: string): boolean {
  if (name === "driver") return driver === value;
  return devices.some((each) => name === "uuid" ? each.uuid === value.replaceAll("-", "") : each.name.includes(value));
}

function factOf(name: string, { os, arch, host, tags }: WorkerCard): string | undefined {
  return Object.hasOwn(tags, name) ? tags[name] : { os, arch, host }[name];
}

/** The workers that gave a sign of life lately. */
export async function workersThere(queue: Queue): Promise<WorkerCard[]> {
  const what = "listing the workers", cards: WorkerCard[] = [];
  const keys = await persist(() => queue.keysOf(WORKERS), { what });
  for (const key of keys) {
    const entry = await persist(() => queue.workers.get(key), { what });
    const card = entry?.operation === "PUT" ? readCard(entry.value) : undefined;
    if (card) cards.push(card);
  }
  return cards;
}

/** Returns the number of tasks with requirements that these workers can run at a time. */
export function slotsFor(requirements: Requirements, cards: readonly WorkerCard[], version: string): number {
  return cards.filter((card) => isOf(card, version)).reduce((sum, card) => {
    return sum +
      card.slots * unitsOf(card.drivers).filter(({ drivers }) => driverFor(requirements, card, drivers)).length;
  }, 0);
}

/** The sentence for requirements that no worker meets, with what to do. */
export function nobody(requirements: Requirements, cards: readonly WorkerCard[], version: string): QueueTrouble {
  const wanted = requirementsText(requirements), others = cards.filter((card) => driverFor(requirements, card));
  if (others.length > 0) {
    const found = [...new Set(others.map((each) => each.version))].join(", ");
    return new QueueTrouble(
      1,
      `The only workers with ${wanted} are of Pumice ${found}, and this is ${version}: use the same version on both sides`,
    );
  }
  const start = "start one with `pumice worker --queue=…` on a machine that has it";
  if (cards.length === 0) return new QueueTrouble(2, `No worker is there for ${wanted}: ${start}`);
  const have = [...new Set(cards.flatMap(({ drivers }) => drivers.map(({ name }) => name)))].sort().join(", ");
  const tags = [...new Set(cards.flatMap((each) => Object.entries(each.tags).map((pair) => pair.join("="))))].sort();
  const tagged = tags.length === 0 ? "" : `, with the tags ${tags.join(", ")}`;
  return new QueueTrouble(
    2,
    `No worker has ${wanted}: there are workers with ${have || "no driver"}${tagged}; ${start}`,
  );
}

/** The sentence for requirements that only workers with another key meet. */
export function distrusted(requirements: Requirements, hasKey: boolean): QueueTrouble {
  const who = `The workers with ${requirementsText(requirements)} take only tasks that are signed by their key`;
  return new QueueTrouble(
    2,
    hasKey ? `${who}, and --key is another one` : `${who}: give the private one with --key=FILE`,
  );
}

/** Whether a worker takes runs of a version of the library. */
export function isOf(card: WorkerCard, version: string): boolean {
  return card.protocol === PROTOCOL && card.version === version;
}
