import { assert, assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { placeArenaFor39Bits } from "../../../ffi/arena_memory.ts";
import { NativeError } from "../../../ffi/error.ts";
import { runProgram } from "../../support/subprocess.ts";
import { APP, NEEDS_PROGRAMS } from "./programs.ts";

Deno.test(
  'serveLayers({ runsOn: "aarch64-android" }) shares memory below 512 GiB, from which programs are served as from any other',
  NEEDS_PROGRAMS,
  () => {
    const { code, output, stdout } = runProgram("tests/workbench/layer_server/narrow_addresses.ts", [APP!], {
      flags: ["--allow-net"],
      seconds: 120,
    });
    assertEquals(code, 0, output);
    const [place, served] = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert(place.end <= 2 ** 39, `the memory ends at ${place.end}`);
    assertEquals(place.isNamed, true, "the library for phones wants memory elsewhere");
    assertEquals(served, { code: 0, stdout: "2048 2048 2048 \n", stderr: "" });
  },
);

Deno.test("placeArenaFor39Bits() refuses memory that is in use elsewhere, and says what to do", () => {
  const { base } = arena();
  if (base < 1n << 39n) return placeArenaFor39Bits(); // a system without room where the memory is wanted
  const error = assertThrows(placeArenaFor39Bits, NativeError, "in a Worker");
  assertEquals(error.code, "unsupported");
});
