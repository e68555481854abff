import type { ComparedDriver } from "../../workbench/recordings/mod.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";

/** The most events that one option names. */
const MOST = 10_000;

/** The port of the page; `undefined` for any. Throws {@linkcode WrongUse} for what is none. */
export function portOf({ port }: Request["values"]): number | undefined {
  if (port === undefined) return undefined;
  if (/^\d+$/.test(`${port}`) && Number(port) <= 65535) return Number(port);
  throw new WrongUse(`view: --port=${port} is no port; give a number from 0 to 65535`);
}

/** The numbers of events, such as `3,10..12`. Throws {@linkcode WrongUse} for anything else. */
export function eventsOf({ events }: Request["values"]): number[] {
  if (events === undefined) return [];
  const numbers = `${events}`.split(",").flatMap((part) => {
    const [, first, last = first] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(part) ?? [],
      length = Number(last) - Number(first) + 1;
    if (!(length >= 1 && length <= MOST)) {
      throw new WrongUse(`view: --events=${events} names no events; give numbers such as 3,10..12`);
    }
    return Array.from({ length }, (_, index) => Number(first) + index);
  });
  return [...new Set(numbers)];
}

/** The drivers that replay: those of the command line, otherwise the one that the loader finds. Throws {@linkcode WrongUse} for more than two. */
export function viewDrivers({ drivers, options: { layers = [], platform } }: Request): ComparedDriver[] {
  if (drivers.length > 2) throw new WrongUse(`view: ${drivers.length} drivers are given; give two at most`);
  const given = drivers.length === 0 ? ["auto"] : drivers;
  return given.map((driver) => ({ driver, layers: layers as string[], platform }));
}
