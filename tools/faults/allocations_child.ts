/**
 * Runs a program with each of its allocations failed in turn, from one on: `allocations_child.ts DRIVER NAME FIRST
 * FOLDER`. Prints a line before each run and one after. A process of its own, since drivers may crash.
 *
 * @module
 */
import { openBlocks } from "../../ffi/block.ts";
import { VulkanError } from "../../loader/error.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../loader/vk.ts";
import { objectLeaks } from "../../loader/layers/shipped/leaks/object_leaks.ts";
import { FailingAllocator, OURS } from "./allocations.ts";
import { allPrograms } from "./programs.ts";
import { type Program, saysSo, under } from "./run.ts";

/** The end of a program of which an allocation failed. */
export interface AllocationOutcome {
  readonly ending: "the right error" | "another result" | "went on" | "another error";
  /** The library that asked for the allocation; empty if the program asked for fewer this time. */
  readonly who: string;
  /** Allocations that nobody freed. */
  readonly live: number;
  /** The other library that freed addresses which were not given out; empty if none did. */
  readonly wrongBy: string;
  /** Sentences about what must not be. */
  readonly findings: readonly string[];
}

async function main([driver, name, first, folder]: readonly string[]): Promise<void> {
  const program = allPrograms(folder).find((each) => each.name === name)!;
  using allocator = FailingAllocator.open()!;
  allocator.begin(0);
  const thrown = await under([allocator.layer], driver, program), { calls, live, wrong } = allocator.counts;
  if (thrown !== undefined) throw thrown; // a program that fails by itself has nothing to be tried
  say({ calls, live, wrong });
  allocator.watch();
  for (let number = Number(first); number <= calls; number++) {
    say(number);
    say(await outcomeOf(program, number, driver, allocator));
  }
}

async function outcomeOf(
  program: Program,
  number: number,
  driver: string,
  allocator: FailingAllocator,
): Promise<AllocationOutcome> {
  const leaks = objectLeaks(), blocks = openBlocks(), findings: string[] = [];
  allocator.begin(number);
  const thrown = await under([leaks.layer, allocator.layer], driver, program);
  const { live, own, wrong, who, wrongBy } = allocator.counts;
  const { leaked, live: objects } = leaks.report(), left = [...leaked, ...objects];
  if (left.length > 0) findings.push(`objects are left: ${left.slice(0, 3).map(({ type }) => type).join(", ")}`);
  if (openBlocks() > blocks) findings.push(`${openBlocks() - blocks} blocks of memory are left`);
  if (own > 0) findings.push(`${own} allocations of the loader are left`);
  if (wrongBy === OURS) findings.push(`${wrong} addresses were freed that were not given out`);
  const ending = endingOf(thrown);
  if (ending === "another error") findings.push(`${thrown}`.split("\n")[0]);
  return { ending, who, live, wrongBy: wrongBy === OURS ? "" : wrongBy, findings };
}

function endingOf(thrown: unknown): AllocationOutcome["ending"] {
  if (thrown === undefined) return "went on";
  if (saysSo(thrown, VK_ERROR_OUT_OF_HOST_MEMORY)) return "the right error";
  return isResult(thrown) ? "another result" : "another error";
}

/** Whether an error is a driver's result, or has one as its cause. */
function isResult(error: unknown): boolean {
  return error instanceof VulkanError || error instanceof Error && error.cause !== undefined && isResult(error.cause);
}

function say(line: unknown): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
}

if (import.meta.main) await main(Deno.args);
