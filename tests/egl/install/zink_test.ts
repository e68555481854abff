import "../../support/warm.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readStream, replay } from "../../../loader/layers.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { mesa } from "../drivers.ts";

const driver = lavapipePath();
const NEEDS = { ignore: needs("Mesa lavapipe", driver).ignore || needs(mesa.part, mesa.found || undefined).ignore };
/** Mesa's OpenGL as a Vulkan program, without a screen. */
const ZINK = { GALLIUM_DRIVER: "zink", LIBGL_ALWAYS_SOFTWARE: "1", EGL_PLATFORM: "surfaceless" };

Deno.test("Mesa's OpenGL on Vulkan draws through a loader in a worker, and what it did is replayed", NEEDS, () => {
  withFolder((folder) => {
    const path = `${folder}/zink.jsonl`;
    const { code, stdout, output } = runProgram("tests/egl/install/programs/zink.ts", [driver!, path], { env: ZINK });
    assertEquals(code, 0, output);
    const { renderer, ...found } = JSON.parse(stdout.trim().split("\n").at(-1)!);
    assertStringIncludes(renderer, "zink");
    assertEquals(found, { green: true, gaps: [], unseen: 0 });
    const { lines } = readStream(path), submissions: number[] = [];
    assert(lines.some((line) => "command" in line && line.command.startsWith("vkQueueSubmit")));
    replay({ driver: driver! }, path, { onSubmit: ({ submission }) => submissions.push(submission) });
    assert(submissions.length > 0);
  });
});
