import { assertEquals, assertThrows } from "@std/assert";
import { outcomeOf, parseCondition, type ReplayOutcome } from "../../../../workbench/recordings/reduce/condition.ts";

const NOTHING = outcomeOf(undefined, []);
const CRASH: ReplayOutcome = { ...NOTHING, crashes: true, side: "B", reason: "signal SIGSEGV" };
const ERROR: ReplayOutcome = { ...NOTHING, differs: true, errors: ["VUID-vkCmdDraw-None-02697: no set"] };

Deno.test("parseCondition() understands words, texts and what combines them", () => {
  const rows: (readonly [condition: string, outcome: ReplayOutcome, expected: boolean])[] = [
    ["differs", ERROR, true],
    ["differs", CRASH, false],
    ["crashes", CRASH, true],
    ["hangs", { ...CRASH, crashes: false, hangs: true }, true],
    ["fails", { ...CRASH, crashes: false, fails: true }, true],
    ["lost", { ...CRASH, crashes: false, lost: true, fails: true }, true],
    ["lost", CRASH, false],
    ["validation", ERROR, true],
    ["message", ERROR, true],
    ["message", CRASH, false],
    ["validation", CRASH, false],
    ["crashes && B", CRASH, true],
    ["crashes && A", CRASH, false],
    ['crashes && "SIGSEGV"', CRASH, true],
    ['"VUID-vkCmdDraw"', ERROR, true],
    ['crashes && !"SIGKILL"', CRASH, true],
    ["hangs||crashes", CRASH, true],
    // && binds more than ||, and brackets more than both.
    ["crashes || differs && A", CRASH, true],
    ["(crashes || differs) && A", CRASH, false],
    ["!(differs || validation)", CRASH, true],
    ["!!crashes", CRASH, true],
    ['"(&&"', { ...CRASH, reason: "the (&& in a text" }, true],
  ];
  for (const [condition, outcome, expected] of rows) {
    assertEquals(parseCondition(condition).holds(outcome), expected, condition);
  }
});

Deno.test("parseCondition() knows whether drivers or the validation layer are asked", () => {
  const asks = (text: string) => {
    const { asksDrivers, asksErrors } = parseCondition(text);
    return [asksDrivers, asksErrors];
  };
  assertEquals(asks("crashes"), [true, false]);
  assertEquals(asks("message"), [false, true]);
  assertEquals(asks("validation"), [false, true]);
  assertEquals(asks("differs && !validation"), [true, true]);
  assertEquals(asks('validation && "VUID-vkCmdDraw"'), [false, true]);
  assertEquals(asks('"SIGSEGV"'), [true, false]);
});

Deno.test("parseCondition() says what it cannot read", () => {
  for (
    const [condition, found] of [
      ["odd", "odd"],
      ["", "the end"],
      ["differs &&", "the end"],
      ["differs hangs", "hangs"],
      ["differs & hangs", "& hangs"],
      ["(differs", "no closing bracket"],
      ["differs)", ")"],
      ['crashes && "SIG', '"SIG'],
      ["constructor", "constructor"],
      ["finding.kind", ".kind"],
    ]
  ) {
    const message =
      `Cannot read the condition ${condition}: found ${found}; give differs, crashes, hangs, lost, fails, `;
    assertThrows(() => parseCondition(condition), TypeError, message);
  }
  assertThrows(() => parseCondition("(".repeat(100_000)), TypeError, "found 100000 words");
});
