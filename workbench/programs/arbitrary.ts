import type { Arbitrary } from "fast-check";
import { checkOptions } from "../../ffi/check_options.ts";
import { tapeChoices } from "./choices.ts";
import { checkFacts, type FuzzFacts } from "./facts.ts";
import { type FuzzProgram, type FuzzProgramOptions, MOST_ACTIONS, PROGRAM_RULES, programOf } from "./generate.ts";

/** Numbers that one action reads at most; further choices are the smallest. */
const LONGEST = 40;

/**
 * Returns an arbitrary of fast-check, whose module is the first argument:
 * programs for property tests. A program shrinks to fewer and simpler actions,
 * and fast-check prints a counterexample by its actions.
 *
 * @throws {TypeError} if an argument or an option is wrong.
 *
 * @example
 * ```ts ignore
 * import { arbitraryProgram, fuzzFacts } from "@pumice/gfx/fuzz";
 * import { loadVulkan } from "@pumice/gfx/loader";
 * import fc from "fast-check";
 *
 * using vulkan = loadVulkan();
 * for (const { actions } of fc.sample(arbitraryProgram(fc, fuzzFacts(vulkan)), 3)) console.log(actions);
 * ```
 */
export function arbitraryProgram(
  fc: Pick<typeof import("fast-check"), "array" | "nat" | "toStringMethod">,
  facts: FuzzFacts,
  options: FuzzProgramOptions = {},
): Arbitrary<FuzzProgram> {
  checkOptions("arbitraryProgram()", options, PROGRAM_RULES);
  if (typeof fc?.array !== "function") {
    throw new TypeError(
      'arbitraryProgram() takes the module of fast-check first; give `fc` of `import fc from "fast-check"`',
    );
  }
  checkFacts("arbitraryProgram()", facts);
  const { actions = MOST_ACTIONS } = options;
  const tape = fc.array(fc.nat(), { maxLength: LONGEST, size: "max" });
  return fc.array(tape, { minLength: 1, maxLength: actions }).map((tapes) =>
    printedBy(fc.toStringMethod, programOf(facts, tapes.map((each) => tapeChoices(each)), options))
  );
}

/** The lines of a recording are too many to be read in a message. */
function printedBy(method: symbol, program: FuzzProgram): FuzzProgram {
  const actions = program.actions.map(({ kind, format }) => `${kind} ${format}`).join(", ");
  return Object.defineProperty(program, method, { value: () => `program(${actions})` });
}
