import { type Choices, pick, seededChoices } from "../../../../../workbench/programs/choices.ts";
import type { Fault, Kind } from "./fault.ts";
import { KINDS } from "./kinds.ts";
import { faultsOf } from "./places.ts";
import type { Program } from "./programs.ts";

/** Faults that are planted in a program, one after the other. */
export interface Case {
  readonly program: Program;
  readonly faults: readonly Fault[];
}

/** Returns so many random places of each kind in each program. */
export function matrix(programs: readonly Program[], seed: number, places: number): Case[] {
  const choices = seededChoices(seed);
  return programs.map((program) => ({
    program,
    faults: KINDS.flatMap((kind) => some(choices, faultsOf(kind, program.stream), places)),
  }));
}

/** Returns so many random kinds, each once, at a random place of a random program. */
export function sample(programs: readonly Program[], seed: number, kinds: number): Case[] {
  const choices = seededChoices(seed),
    chosen = some(choices, KINDS, kinds).map((kind) => oneOf(choices, kind, programs));
  return programs.map((program) => ({
    program,
    faults: chosen.flatMap((each) => each?.program === program ? [each.fault] : []),
  }));
}

/** The names of kinds that no program can have. */
export function withoutPlaces(programs: readonly Program[]): string[] {
  return KINDS.filter((kind) => programs.every(({ stream }) => faultsOf(kind, stream).length === 0))
    .map(({ name }) => name);
}

function some<Value>(choices: Choices, from: readonly Value[], count: number): Value[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [chosen] = left.splice(choices.integer(0, left.length - 1), 1);
    return chosen;
  });
}

function oneOf(choices: Choices, kind: Kind, programs: readonly Program[]) {
  const found = programs.map((program) => ({ program, faults: faultsOf(kind, program.stream) }))
    .filter(({ faults }) => faults.length > 0);
  if (found.length === 0) return undefined;
  const { program, faults } = pick(choices, found);
  return { program, fault: pick(choices, faults) };
}
