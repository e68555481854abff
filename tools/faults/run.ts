import { openBlocks } from "../../ffi/block.ts";
import { setProcessLayers } from "../../loader/api/options.ts";
import { resultCodes } from "../../loader/command/registry/table.ts";
import { resultName, VulkanError } from "../../loader/error.ts";
import type { AnyHook, Layer } from "../../loader/layer.ts";
import { defineLayer } from "../../loader/layers/define/define_layer.ts";
import { faultInjection } from "../../loader/layers/shipped/faults/fault_injection.ts";
import { objectLeaks } from "../../loader/layers/shipped/leaks/object_leaks.ts";

/** A call that is failed. */
export interface Place {
  /** The command. */
  readonly command: string;
  /** The number of the command's call, from 1. */
  readonly call: number;
}

/** The end of a program of which a call failed. */
export type Ending =
  /** The failure reached the program as an error with the result, or as another error whose cause has it. */
  | "the right error"
  /** The program ended well all the same: the library or the program went on without. */
  | "went on"
  /** The program threw something else. */
  | "another error";

/** The outcome of a failed call. */
export interface Outcome extends Place {
  readonly result: string;
  readonly ending: Ending;
  /** Sentences about what must not be: objects, files or memory that are left, and errors that say nothing. */
  readonly findings: readonly string[];
}

/** A program that runs in this process, many times. */
export interface Program {
  readonly name: string;
  run(): Promise<unknown>;
}

/** Returns the calls of a program that may fail, in their order. */
export async function callsOf(program: Program, driver: string): Promise<Place[]> {
  const places: Place[] = [], counts = new Map<string, number>();
  const counting = defineLayer({
    name: "VK_LAYER_PUMICE_counting",
    anyCommand(command) {
      if (errorsOf(command).length === 0) return undefined;
      const hook: AnyHook = (next, ...args) => {
        const call = (counts.get(command) ?? 0) + 1;
        counts.set(command, call);
        places.push({ command, call });
        return next(...args);
      };
      return hook;
    },
  });
  const thrown = await under([counting], driver, program);
  if (thrown !== undefined) throw thrown; // a program that fails by itself has nothing to be tried
  return places;
}

/** The errors that the registry allows for a command. */
export function errorsOf(command: string): number[] {
  return resultCodes(command).filter((code) => code < 0);
}

/** Runs a program once, with one call that fails by a result. */
export async function failed(
  program: Program,
  { command, call }: Place,
  result: number,
  driver: string,
): Promise<Outcome> {
  const faults = faultInjection({ rules: [{ command, result, after: call - 1, times: 1, sticky: false }] });
  const leaks = objectLeaks(), blocks = openBlocks(), name = resultName(result);
  const thrown = await under([faults.layer, leaks.layer], driver, program), findings: string[] = [];
  const { leaked, live } = leaks.report(),
    left = [...leaked, ...live].map(({ type, command }) => `${type} of ${command}`);
  if (left.length > 0) findings.push(`objects are left, ${left.length}: ${left.slice(0, 3).join("; ")}`);
  if (openBlocks() > blocks) findings.push(`${openBlocks() - blocks} blocks of memory are left`);
  if (faults.injected.length === 0) findings.push("the call was not made this time");
  const ending = thrown === undefined ? "went on" : saysSo(thrown, result) ? "the right error" : "another error";
  if (ending === "another error") findings.push(`${thrown}`.split("\n")[0]);
  return { command, call, result: name, ending, findings };
}

/** Whether an error, or one of its causes, has a result. */
export function saysSo(error: unknown, result: number): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof VulkanError && each.code === result) return true;
    if (each instanceof SuppressedError && (saysSo(each.error, result) || saysSo(each.suppressed, result))) return true;
    if (each.message.includes(resultName(result))) return true;
  }
  return false;
}

/** Runs a program under layers, on a driver; what it throws. Its output is dropped. */
export async function under(layers: Layer[], driver: string, program: Program): Promise<unknown> {
  const { log, error, warn } = console;
  console.log = console.error = console.warn = () => {};
  setProcessLayers({ layers: () => layers, options: { driver }, made: () => {} });
  try {
    await program.run();
  } catch (thrown) {
    return thrown;
  } finally {
    setProcessLayers(undefined);
    Object.assign(console, { log, error, warn });
  }
}
