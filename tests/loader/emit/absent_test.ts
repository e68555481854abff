import { assert, assertEquals } from "@std/assert";
import { createAbsent } from "../../../loader/emit/absent.ts";
import { readCString, textAddresses } from "../../../ffi/cstring.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { Library } from "../../../ffi/library/library.ts";

const death = compileFixture("death");

Deno.test("createAbsent() makes functions that say who lacks them, and return what is given", {
  ignore: needs("C compiler (cc)", death).ignore,
}, () => {
  using block = new NativeBlock(4096);
  const TEXT = 512, RESULT = 1024, SIZE = 400, tableOffset = 72, heardOffset = 80, object = block.address;
  const commands = [
    { name: "one", result: -7, tableOffset, heardOffset },
    { name: "two", result: 5, heardOffset },
    { name: "", result: 0 },
  ];
  const heard: string[] = [];
  using hear = createThunk("v:qqqq", (table, ...texts) => {
    assertEquals(table, object + 8n);
    heard.push(texts.map((text) => readCString(text as bigint)).join("|"));
  });
  block.view.setBigUint64(8 + heardOffset, hear.address, true);
  const absent = createAbsent(commands, { format: "%s of %s\n", driver: "everybody" })!;
  const [driver] = textAddresses(["somebody"]), deathOf = Library.open(death!).require("death_of");
  block.view.setBigUint64(0, object + 8n, true);
  block.view.setBigUint64(8 + tableOffset, driver, true);
  absent.name(2, "three, named later");
  const told = commands.map((_, index) => {
    const result = object + BigInt(RESULT), text = object + BigInt(TEXT);
    const signal = invokeAddress(deathOf, "s:qqqqwq", [absent.at(index), object, 7n, text, SIZE, result]);
    return [signal, block.view.getInt32(RESULT, true), readCString(text)];
  });
  assertEquals(told, [
    [0, -7, "one of somebody\n"],
    [0, 5, "two of everybody\n"],
    [0, 0, "three, named later of everybody\n"],
  ]);
  assertEquals(heard, ["%s of %s\n|one|somebody", "%s of %s\n|two|everybody"]);
  assert(absent.has(absent.at(0)) && absent.has(absent.at(2)));
  assert(!absent.has(absent.at(3)) && !absent.has(absent.at(0) - 1n));
});
