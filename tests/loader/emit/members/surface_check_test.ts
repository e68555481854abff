import { assertEquals } from "@std/assert";
import { NativeBlock } from "../../../../ffi/block.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { createSurfaceCheck } from "../../../../loader/emit/members/surface_check.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { createThunk } from "../../../../ffi/thunk/thunk.ts";
import { compileFixture } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";

const death = compileFixture("death");

Deno.test("createSurfaceCheck() makes functions that refuse NULL surfaces, and pass on all others", {
  ignore: needs("C compiler (cc)", death).ignore,
}, () => {
  const deathOf = Library.open(death!).require("death_of"), INFO = 104, SURFACE = 24, TABLE = 32, calls: unknown[] = [];
  const spec = (name: string, target: number) => ({ name, target, result: -7, said: `${name} of nothing\n` });
  const checks = createSurfaceCheck(spec("one", 40), spec("many", 48))!;
  using block = new NativeBlock(4096);
  const { view, address } = block, INFOS = 512, TEXT = 1024, RESULT = 2048;
  using one = createThunk("s:qqqq", (...args) => calls.push(["one", ...args]) && 5);
  using many = createThunk("s:qwqqq", (...args) => calls.push(["many", ...args]) && 6);
  view.setBigUint64(0, address + BigInt(TABLE), true);
  view.setBigUint64(TABLE + 40, one.address, true);
  view.setBigUint64(TABLE + 48, many.address, true);
  const infos = address + BigInt(INFOS), HIGH = 0xabc_0000_0000n;
  const set = (...surfaces: bigint[]) =>
    surfaces.forEach((surface, index) => view.setBigUint64(INFOS + INFO * index + SURFACE, surface, true));
  const told = (name: string, second: bigint) => {
    const args = [checks.get(name)!, address, second, address + BigInt(TEXT), 200, address + BigInt(RESULT)];
    return [invokeAddress(deathOf, "s:qqqqwq", args), view.getInt32(RESULT, true), readCString(address + BigInt(TEXT))];
  };
  set(7n, 8n, 0n);
  assertEquals(invokeAddress(checks.get("one")!, "s:qqqq", [address, infos, 8n, 9n]), 5);
  assertEquals(invokeAddress(checks.get("many")!, "s:qqqqq", [address, HIGH + 2n, infos, 8n, 9n]), 6);
  assertEquals(calls.splice(0), [["one", address, infos, 8n, 9n], ["many", address, 2, infos, 8n, 9n]]);
  assertEquals(invokeAddress(checks.get("many")!, "s:qqqqq", [address, HIGH + 3n, infos, 8n, 9n]), -7);
  set(0n);
  assertEquals(told("one", infos), [0, -7, "one of nothing\n"]);
  assertEquals(calls, []);
});
