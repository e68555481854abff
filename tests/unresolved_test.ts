import { assertEquals } from "@std/assert";
import { compileFixture } from "./support/compile.ts";
import { needs } from "./support/require.ts";
import { runProgram } from "./support/subprocess.ts";

const library = compileFixture("unresolved", ["-Wl,-z,lazy"]);

Deno.test(
  "whatever library is opened by its path, a symbol that it lacks is told",
  needs("C compiler (cc)", library),
  () => {
    const { code, stdout, output } = runProgram("tests/programs/open_unresolved.ts", [library!]);
    assertEquals(code, 0, output);
    const said = JSON.parse(stdout.trim().split("\n").at(-1)!) as Record<string, string>;
    const told = Object.entries(said).map(([what, message]) => [what, message.includes("function_that_is_nowhere")]);
    assertEquals(told, [
      ["driver", true],
      ["manifest", true],
      ["layer", true],
      ["EGL driver", true],
      ["EGL vendor", true],
      ["composer", true],
    ], output);
  },
);
