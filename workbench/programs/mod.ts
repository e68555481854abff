/**
 * Random valid programs for Vulkan drivers: recordings that copy, clear, blit,
 * resolve, dispatch and draw, for property tests of drivers and layers. A
 * program uses only what {@linkcode fuzzFacts} says of the drivers.
 *
 * fast-check is handed over by the test, so that this entry does not bring it.
 * A program that breaks a property shrinks to fewer and simpler actions, and
 * fast-check prints them: `program(fill buffer, blit R8_UNORM)`. The seed and the
 * path beside them make the same program again; `writeRecording` of
 * `@pumice/gfx/layers` writes its `recording` to a file for `compare` and `reduce`.
 *
 * A program ends with lines that read its results. `results` says what each of
 * them has, and `onRead` of a replay gets the bytes.
 *
 * @example A property of every program
 * ```ts ignore
 * import { arbitraryProgram, fuzzFacts } from "@pumice/gfx/fuzz";
 * import { replayRecording } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 * import fc from "fast-check";
 *
 * Deno.test({
 *   name: "the driver carries out every program",
 *   sanitizeOps: false, // a driver may keep what it has loaded
 *   sanitizeResources: false,
 *   fn() {
 *     using vulkan = loadVulkan();
 *     const programs = arbitraryProgram(fc, fuzzFacts(vulkan), { actions: 4 });
 *     const isCarriedOut = fc.property(programs, ({ recording }) => replayRecording(vulkan, recording).calls > 0);
 *     fc.assert(isCarriedOut, { numRuns: 10 });
 *   },
 * });
 * ```
 *
 * @module
 */
export { arbitraryProgram } from "./arbitrary.ts";
export { commonFacts, type FuzzFacts, fuzzFacts } from "./facts.ts";
export {
  fuzzActions,
  type FuzzOptions,
  type FuzzProgram,
  type FuzzProgramOptions,
  generateProgram,
} from "./generate.ts";
export type { FuzzAction } from "./actions/action.ts";
export type { FuzzResult } from "./read_back.ts";
