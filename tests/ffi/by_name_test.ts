import "../support/warm.ts";
import { assertEquals } from "@std/assert";
import { NativeBlock } from "../../ffi/block.ts";
import { createByName } from "../../ffi/by_name.ts";
import { invoke } from "../../ffi/machine.ts";
import { createThunk } from "../../ffi/thunk.ts";
import { lasting } from "./fixture.ts";

Deno.test("createByName() makes functions that go by whether a name is given, and pass on all arguments", () => {
  const NAMED = 24, UNNAMED = 40, calls: unknown[] = [];
  const noted = (what: string, result: number) => (...args: unknown[]) => {
    calls.push(what, ...args);
    return result;
  };
  using named = createThunk("s:qqqq", noted("named", -6)), unnamed = createThunk("s:qqqq", noted("unnamed", 5));
  using shortNamed = createThunk("s:qqq", noted("named", -7)), shortUnnamed = createThunk("s:qqq", noted("unnamed", 3));
  using block = new NativeBlock(128);
  const object = block.address, lists = createByName({ named: NAMED, unnamed: UNNAMED })!;
  block.view.setBigUint64(0, object + 64n, true);
  block.view.setBigUint64(64 + NAMED, named.address, true);
  block.view.setBigUint64(64 + UNNAMED, unnamed.address, true);
  lists.set({ named: shortNamed.address, unnamed: shortUnnamed.address });
  const name = lasting("name"), empty = lasting("");
  const results = [name, empty, 0n].flatMap((each) => [
    invoke(lists.ofObject, "s:qqqq", [object, each, 8n, 9n]),
    invoke(lists.ofName, "s:qqq", [each, 8n, 9n]),
  ]);
  assertEquals(results, [-6, -7, 5, 3, 5, 3]);
  const without = ["unnamed", object, 0n, 8n, 9n, "unnamed", 0n, 8n, 9n];
  assertEquals(calls, ["named", object, name, 8n, 9n, "named", name, 8n, 9n, ...without, ...without]);
});
