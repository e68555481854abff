import { assert, assertEquals } from "@std/assert";
import { runProgram } from "../../support/subprocess.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";

/** Beyond so many bytes in one buffer, V8 collects garbage at once. */
const NOTICED = 2 ** 30;
/** The most bindings of functions of machine code: one for all helpers, then one for each signature. */
const FEW = 4;

interface Seen {
  readonly first: Readonly<Record<string, number>>;
  readonly withRaw: Readonly<Record<string, number>>;
  readonly mostBytes: number;
}

Deno.test(
  "the first buffer needs no callback, no signal and one C library: they come with the first use that needs them",
  NEEDS_TINY,
  () => {
    const { stdout, output } = runProgram("tests/loader/api/first_buffer_program.ts", [TINY!]);
    assert(stdout.startsWith("{"), output);
    const { first, withRaw, mostBytes }: Seen = JSON.parse(stdout);
    assertEquals([first.callbacks ?? 0, first["signal listeners"] ?? 0], [0, 0]);
    assertEquals(first.libraries, 1, "the driver is opened by the C library");
    assert(first["functions of images"] <= FEW, `${first["functions of images"]} times functions of images were bound`);
    assert(mostBytes < NOTICED, `${mostBytes} bytes in one buffer make V8 collect garbage`);
    assertEquals([withRaw.callbacks, withRaw["signal listeners"]], [1, 1], "raw commands refuse what is no handle");
  },
);
