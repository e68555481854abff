import { assertEquals, assertThrows } from "@std/assert";
import { NativeBlock } from "../../../ffi/block.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { OwnedFunctions } from "../../../ffi/functions/owned_functions.ts";
import { returning } from "../../../ffi/thunk/thunk.ts";
import { fixture, NEEDS_FIXTURE } from "../fixture.ts";

const CLEAR = 0x3000, BAD = 0x3008;

/** Functions that go on to such as return their own number; `error` is what the driver says at each call. */
function make(errors: { address: bigint }) {
  const functions = OwnedFunctions.make({
    noError: CLEAR,
    tabled: ["first", "second"],
    routes: [["plain", false], ["routed", true]],
    ...{ takeError: "error", lookup: "lookup", defaulted: [["default"], ["with 5", 5]] },
    ...{ plain: ["jump"], answers: [["any", [undefined]], ["some", [5, 6]]] },
    refusals: [["refuse", 0], ["refuse -1", -1]],
  })!;
  const number = (value: number) => returning("s:q", value);
  functions.aim({
    ...{ error: errors.address, refuse: fixture("one") },
    ...{ miss: number(7), missElsewhere: number(8) },
  });
  for (const name of ["default", "with 5"]) functions.answer(name, 77n, number(6));
  for (const name of ["plain", "routed"]) {
    functions.lead(name, { address: number(1), elsewhere: number(2), own: number(3) });
  }
  const here = (name: string, argument: bigint) => invokeAddress(functions.address(name), "s:q", [argument]);
  const elsewhere = (name: string, argument: bigint) =>
    invokeAddress(fixture("call_result_on_thread"), "s:qq", [functions.address(name), argument]);
  return { functions, number, here, elsewhere };
}

Deno.test("a route leads the owner, the owner's small arguments and all other threads apart", NEEDS_FIXTURE, () => {
  const { functions, here, elsewhere } = make({ address: returning("s:", CLEAR) });
  const large = 1n << 32n, error = functions.error;
  assertEquals([here("plain", 5n), here("plain", large), elsewhere("plain", 5n)], [1, 1, 2]);
  assertEquals([here("routed", 0n), here("routed", large - 1n), here("routed", large)], [3, 3, 1]);
  assertEquals([elsewhere("routed", 0n), elsewhere("routed", large)], [2, 2]);
  error.view.setUint32(error.at, BAD, true);
  here("routed", 5n); // what decides for itself keeps the error
  elsewhere("routed", large);
  assertEquals(error.view.getUint32(error.at, true), BAD);
  here("routed", large);
  assertEquals(error.view.getUint32(error.at, true), CLEAR);
  functions.close();
});

Deno.test("the owner's error is told when the driver has none, once, and to no other thread", NEEDS_FIXTURE, () => {
  const { functions, here, elsewhere } = make({ address: returning("s:", CLEAR) });
  const { view, at } = functions.error;
  assertEquals(here("error", 0n), CLEAR);
  view.setUint32(at, BAD, true);
  assertEquals([elsewhere("error", 0n), here("error", 0n), here("error", 0n)], [CLEAR, BAD, CLEAR]);
  functions.close();
  const other = make({ address: returning("s:", 0x3001) }), word = other.functions.error;
  word.view.setUint32(word.at, BAD, true);
  assertEquals([other.here("error", 0n), word.view.getUint32(word.at, true)], [0x3001, BAD]);
  other.functions.close();
});

Deno.test("tabled functions go by the owner's table or the others'", NEEDS_FIXTURE, () => {
  const { functions, number, here, elsewhere } = make({ address: returning("s:", CLEAR) });
  using own = new NativeBlock(16);
  using others = new NativeBlock(16);
  [own, others].forEach(({ view }, table) =>
    [0, 1].forEach((index) => view.setBigUint64(8 * index, number(10 * table + index), true))
  );
  functions.useTables(own.address, others.address);
  assertEquals(["first", "second"].map((name) => [here(name, 0n), elsewhere(name, 0n)]), [[0, 10], [1, 11]]);
  functions.useTables(others.address, own.address);
  assertEquals(["first", "second"].map((name) => [here(name, 0n), elsewhere(name, 0n)]), [[10, 0], [11, 1]]);
  functions.close();
});

Deno.test("the lookup answers names on any thread, grows, and clears the owner's error", NEEDS_FIXTURE, () => {
  const { functions, here, elsewhere } = make({ address: returning("s:", CLEAR) });
  using text = new NativeBlock(64);
  const place = (name: string) => (text.bytes.set(cstring(name)), text.address);
  const { view, at } = functions.error;
  assertEquals([here("lookup", place("one")), elsewhere("lookup", text.address), here("lookup", 0n)], [7, 8, 0]);
  for (let index = 0; index < 500; index++) functions.name(`name${index}`, BigInt(index));
  functions.name("name3", 0n);
  view.setUint32(at, BAD, true);
  assertEquals(elsewhere("lookup", place("name499")), 499);
  assertEquals(view.getUint32(at, true), BAD);
  assertEquals([here("lookup", place("name499")), here("lookup", place("name3"))], [499, 0]);
  assertEquals(view.getUint32(at, true), CLEAR);
  functions.close();
});

Deno.test("what is to be told is told, and all else goes on", NEEDS_FIXTURE, () => {
  const { functions, number, here } = make({ address: returning("s:", CLEAR) });
  functions.tell("any", [21n], number(4));
  functions.tell("some", [22n, 23n], number(4));
  functions.point("jump", functions.address("any"));
  assertEquals([here("any", 0n), here("any", 5n), here("jump", 0n)], [21, 21, 21]);
  assertEquals([5n, 6n, 7n].map((each) => here("some", each)), [22, 23, 4]);
  functions.close();
});

Deno.test("a default stands for NULL, and a refusal returns its failure", NEEDS_FIXTURE, () => {
  const { functions, here, elsewhere } = make({ address: returning("s:", CLEAR) });
  assertEquals([here("default", 0n), elsewhere("default", 0n), here("default", 4n)], [77, 77, 6]);
  const second = (...args: [bigint, number]) => invokeAddress(functions.address("with 5"), "s:qw", args);
  assertEquals([second(0n, 5), second(0n, 6), second(4n, 5)], [77, 6, 6]);
  assertEquals([here("refuse", 4n), elsewhere("refuse -1", 4n)], [0, -1]);
  assertThrows(() => functions.address("other"), RangeError);
  functions.close();
});
