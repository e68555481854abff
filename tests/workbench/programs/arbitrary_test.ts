import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { arbitraryProgram } from "../../../workbench/programs/arbitrary.ts";
import { checkStream } from "../../../workbench/recordings/replay/check.ts";
import { everything } from "./everything.ts";

Deno.test("arbitraryProgram() makes programs whose every value fits", () => {
  fc.assert(
    fc.property(arbitraryProgram(fc, everything(), { actions: 6 }), ({ recording }) => void checkStream(recording)),
    { numRuns: 30, seed: 1 },
  );
});

Deno.test("arbitraryProgram() shrinks a program with a fault to few actions, all but the faulty one the simplest", () => {
  const isGood = ({ kind }: { kind: string }) => kind !== "drawIndexed";
  const found = fc.check(
    fc.property(arbitraryProgram(fc, everything(), { actions: 10 }), ({ actions }) => actions.every(isGood)),
    { numRuns: 100, seed: 1 },
  );
  assert(found.failed);
  const [{ actions, recording }] = found.counterexample!;
  const kinds = actions.map(({ kind }) => kind);
  assert(kinds.length <= 3, kinds.join(" "));
  assertEquals(kinds.filter((kind) => kind !== "fill"), ["drawIndexed"]);
  const images = recording.lines.filter((line) => "command" in line && line.command === "vkCreateImage");
  assert(images.length <= 2, `${images.length} images`);
});

Deno.test("arbitraryProgram() makes programs that fast-check prints by their actions, and makes again by seed and path", () => {
  const programs = arbitraryProgram(fc, everything(), { actions: 4 });
  const property = fc.property(programs, ({ actions }) => actions.every(({ kind }) => kind !== "blit"));
  const { message } = assertThrows(() => fc.assert(property, { numRuns: 100, seed: 3 }), Error);
  assertMatch(message, /Counterexample: \[program\((\w+ \w+, )*blit \w+\)\]/);
  assert(message.length < 1000, message);
  const path = /path: "([^"]*)"/.exec(message)![1], again = fc.check(property, { seed: 3, path });
  assertEquals(again.counterexample![0].actions.at(-1)!.kind, "blit");
});

Deno.test("arbitraryProgram() says which argument is missing or wrong", () => {
  const refusal = (...args: unknown[]) =>
    assertThrows(() => arbitraryProgram(...args as Parameters<typeof arbitraryProgram>), TypeError).message;
  const { buffers: _, ...older } = everything();
  assert(refusal(everything()).startsWith("arbitraryProgram() takes the module of fast-check first"));
  for (const facts of [undefined, {}, older]) assert(refusal(fc, facts).includes("no facts of a driver"));
  assert(refusal(fc, everything(), { action: 3 }).includes('"action"'));
});
