import { existsSync } from "node:fs";
import type { VulkanOptions } from "../../loader/mod.ts";
import { RELEASES } from "../../loader/requirements/conditions.ts";
import { encodeDeqpLevel } from "../../loader/requirements/deqp_level.ts";
import { kmsCard } from "../card.ts";
import { type Request, WrongUse } from "../command.ts";
import type { PartName } from "./report.ts";

/** The request of a `check` command line. */
export interface CheckRequest {
  /** How the Vulkan loader is opened. */
  readonly options: VulkanOptions;
  /** The Android release that the device runs, 7 to 17. */
  readonly release: number;
  /** The Android release that the device launched with, if another. */
  readonly launch?: number;
  /** Whether the device is low on memory. */
  readonly lowMemory: boolean;
  /** The parts to check. */
  readonly only: ReadonlySet<PartName>;
  /** Whether `--only` chose them. */
  readonly isChosen: boolean;
  /** The EGL driver, if one is named. */
  readonly eglDriver?: string;
  /** How many contexts are tried. */
  readonly contexts?: number;
  /** Milliseconds that a Vulkan driver may take for a wait. */
  readonly timeout?: number;
  /** The composer: a library, a module's name or a model of planes. */
  readonly composer?: string;
  /** Profiles besides Android's: paths. */
  readonly profiles: readonly string[];
  /** The claimed level of dEQP's Vulkan tests, and of those of OpenGL ES. */
  readonly deqpLevel?: string;
  /** The same for OpenGL ES. */
  readonly glesDeqpLevel?: string;
  /** Where a device tree's files are written. */
  readonly emit?: string;
  /** The device tree that is compared. */
  readonly verify?: string;
}

/** The values of `--only`. */
const CHOICES: readonly PartName[] = ["vulkan", "egl", "composer"];
const [OLDEST, NEWEST] = RELEASES;

/** Reads the options of `check`. Throws {@linkcode WrongUse} for values that make no sense. */
export function checkRequest({ values, options }: Request): CheckRequest {
  const text = (name: string) => values[name] as string | undefined, only = text("only")?.split(",");
  for (const driver of [options.driver].flat()) checkThere("--driver", driver as string);
  for (const name of ["egl-driver", "verify"]) checkThere(`--${name}`, text(name));
  const composer = text("composer");
  if (composer === undefined || !kmsCard("--composer", composer)) checkThere("--composer", composer);
  for (const profile of (values.profile ?? []) as string[]) checkThere("--profile", profile);
  return {
    options,
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
  if (path?.includes("/") && !existsSync(path)) throw new WrongUse(`${option}: "${path}" is not there`);
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
