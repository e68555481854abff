import type { ComparedDriver } from "../../workbench/recordings/mod.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type VkModule = typeof import("../../loader/vk.ts");

/**
 * The drivers of a command that needs no second one for some conditions: one driver stands for both then. Throws
 * {@linkcode WrongUse} for no driver and for more than two.
 */
export function driversFor(command: string, condition: string, request: Request): [ComparedDriver, ComparedDriver] {
  const { drivers } = request, needsTwo = condition === "" || /\b(differs|fails|B)\b/.test(condition);
  if (drivers.length !== 1 || needsTwo) return driversOf(command, request);
  const [one] = driversOf(command, { ...request, drivers: [...drivers, ...drivers] });
  return [one, one];
}

/** The two drivers of a command line, with their layers. Throws {@linkcode WrongUse} for other numbers of drivers. */
export function driversOf(
  command: string,
  { drivers, options: { layers = [], platform }, values }: Request,
): [ComparedDriver, ComparedDriver] {
  if (drivers.length !== 2) {
    const given = ["no driver is given", "1 driver is given"][drivers.length] ?? `${drivers.length} drivers are given`;
    throw new WrongUse(`${command}: ${given}; give two, --driver=A --driver=B`);
  }
  const [one, other] = (["layer-a", "layer-b"] as const).map((name) => [...layers, ...values[name] as string[] ?? []]);
  return [
    { driver: drivers[0], layers: one as string[], platform },
    { driver: drivers[1], layers: other as string[], platform },
  ];
}

/**
 * Steps by VkFormat. The names are loaded here alone: a bundle with an object of
 * all constants makes every program that uses a few of them load all. Throws
 * {@linkcode WrongUse} for an unknown format.
 */
export async function stepsOf(command: string, given: readonly string[] = []): Promise<Record<number, number>> {
  if (given.length === 0) return {};
  const formats: Readonly<Record<string, unknown>> = await import("../../loader/vk.ts" as string) as VkModule;
  return Object.fromEntries(given.map((each) => {
    const [name, steps] = each.split("="), format = formats[name];
    if (!name.startsWith("VK_FORMAT_") || typeof format !== "number" || !/^\d+$/.test(steps ?? "")) {
      throw new WrongUse(
        `${command}: --steps=${each} is no format with a number; give VK_FORMAT_R8G8B8A8_UNORM=2 or the like`,
      );
    }
    return [format, Number(steps)];
  }));
}

/** A number of an option, in another unit. Throws {@linkcode WrongUse} for anything else. */
export function scaled(command: string, values: Request["values"], name: string, unit: number): number | undefined {
  const given = values[name];
  if (given === undefined) return undefined;
  if (!(Number(given) > 0)) throw new WrongUse(`${command}: --${name}=${given} is no number above 0`);
  return Number(given) * unit;
}

/** The validation layer of an option; no layer for `none`. */
export function validationOf({ validation }: Request["values"]): string | false | undefined {
  return validation === "none" ? false : validation as string | undefined;
}

/** Leaves bytes out of JSON: they are for pictures. */
export function withoutContents(name: string, value: unknown): unknown {
  return name === "contents" ? undefined : value;
}
