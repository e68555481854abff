import { assertRows, rowsOf } from "../../support/rows.ts";

Deno.test("calls may bring much along, also through layers that read and write it", () => {
  assertRows(rowsOf("tests/loader/command/programs/large_calls.ts"), {
    "a shader that a layer writes above others": "4194304 bytes, the last are 0x7230203",
    "300,000 barriers": "300000 barriers, of image 77",
    "a million copies": "1000000 copies, of 4 bytes",
    "a pipeline cache of 20 MiB": "20971520 bytes",
    "more than there is room for": "RangeError: Arena is full",
    "a call after that": "1 copies, of 8 bytes",
  });
});
