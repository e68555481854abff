import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { arena } from "../../../ffi/arena.ts";
import { generatedMethod, isSimple } from "../../../egl/command/generate.ts";
import { interpretedMethod, isGiven } from "../../../egl/command/method.ts";
import { planOf, type Step } from "../../../egl/command/plan.ts";
import { glCommands } from "../../../egl/dispatch/names.ts";

const commands = glCommands.names.map((name) => glCommands.find(name)!).filter((each) => isSimple(each, planOf(each)));

/** Something that a parameter takes. */
function argument(step: Step): fc.Arbitrary<unknown> {
  const { role, code, len, by } = step;
  if (role === "text") return fc.string({ maxLength: 9 });
  if (role === "data") return fc.oneof(fc.constant(null), fc.nat(), fc.bigInt(0n, 99n));
  if (role === "array") {
    const unit = by?.factor ?? (Number(len) || 4);
    return fc.nat(3).map((count) => new Float64Array(Math.max(by ? count * unit : unit, 0)).fill(2));
  }
  if (code === "b") return fc.boolean();
  if (code === "f" || code === "d") return fc.double({ noNaN: true });
  if (/^(count|num)/.test(step.name)) return fc.nat(2);
  return fc.oneof(fc.integer(), fc.nat(), fc.nat(100), fc.constantFrom<unknown>(2 ** 32, 0.5, 7n, -1n, "1"));
}

/** The arguments of a method's call; addresses in the arena are left out, for what lies there is tested elsewhere. */
function calledWith(
  make: (call: (...args: (number | bigint)[]) => number) => (...args: unknown[]) => unknown,
  args: unknown[],
) {
  const seen: unknown[] = [], { base, size } = arena();
  const isPlace = (value: unknown) => typeof value === "bigint" && value >= base && value < base + BigInt(size);
  const method = make((...values) => {
    seen.push(...values.map((each) => isPlace(each) ? "place" : each));
    return 257;
  });
  try {
    method(...args);
  } catch (error) {
    seen.push(String(error));
  }
  return seen;
}

Deno.test("generated methods make the same calls as interpreted ones", () => {
  assertEquals(commands.length > 600, true);
  const cases = fc.constantFrom(...commands).chain((command) => {
    const steps = planOf(command);
    return fc.tuple(fc.constant(command), fc.tuple(...steps.filter(isGiven).map(argument)));
  });
  fc.assert(
    fc.property(cases, ([command, args]) => {
      const steps = planOf(command);
      assertEquals(
        calledWith((call) => generatedMethod(command, steps, { call }), args),
        calledWith((call) => interpretedMethod(command, steps, { call }), args),
        command.name,
      );
    }),
    { numRuns: 400 },
  );
});

Deno.test("a method returns a GLboolean's byte as a boolean, generated or not", () => {
  const command = glCommands.find("glIsTexture")!, steps = planOf(command);
  for (const make of [generatedMethod, interpretedMethod]) {
    assertEquals([257, 256, 0].map((result) => make(command, steps, { call: () => result })(1)), [true, false, false]);
  }
});
