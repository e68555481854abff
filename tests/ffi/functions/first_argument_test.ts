import { assertEquals } from "@std/assert";
import { Choices } from "../../../ffi/functions/first_argument.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";

Deno.test("a choice goes by the 32 bits of the first argument, and hands on both and the result", () => {
  const calls: unknown[][] = [], result = { own: 1n << 40n, other: 2n };
  using own = createThunk("q:wq", (...args) => (calls.push(["own", ...args]), result.own));
  using other = createThunk("q:wq", (...args) => (calls.push(["other", ...args]), result.other));
  const functions = { own: own.address, other: other.address };
  using choices = Choices.make([{ name: "one", value: 0x1F03, ...functions }, {
    name: "two",
    value: 0x8000_0001,
    ...functions,
  }])!;
  const call = (name: string, first: bigint) => bindByAddress("q:qq")(first, 5n << 33n, choices.address(name));
  const garbage = 0xffff_ffffn << 32n; // callers leave anything in the upper half
  assertEquals([call("one", 0x1F03n), call("one", garbage | 0x1F03n), call("one", 0x1F02n)], [
    1n << 40n,
    1n << 40n,
    2n,
  ]);
  assertEquals([call("two", 0x8000_0001n), call("two", 1n)], [1n << 40n, 2n]);
  assertEquals(calls.map(([name]) => name), ["own", "own", "other", "own", "other"]);
  assertEquals(calls[1].slice(1), [0x1F03, 5n << 33n]);
});
