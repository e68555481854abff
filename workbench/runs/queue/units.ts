import type { CardDriver, Requirements, WorkerCard } from "./messages.ts";

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
  if (!entries.every(([name, value]) => isOfDriver(name) || factOf(name, card) === value)) return undefined;
  return drivers.find((driver) => entries.every(([name, value]) => !isOfDriver(name) || hasFact(driver, name, value)));
}

/** Requirements as a text, such as `driver=lvp soc=x`. */
export function requirementsText(requirements: Requirements): string {
  const entries = Object.entries(requirements);
  return entries.length === 0 ? "any driver" : entries.map(([name, value]) => `${name}=${value}`).join(" ");
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
