import { assertEquals, assertMatch } from "@std/assert";
import { namesIn } from "../../../ffi/file/file_descriptor.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, runClient } from "./client.ts";

const app = compileClient("joining_app"), driver = compileFixture("careful_driver");
const COMPILED = needs("Vulkan headers and a C compiler", app);
const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);

/** Starts the program on the loader's own thread, which waits for so many threads that make instances. */
function start(count: number): Deno.ChildProcess {
  const args = ["run", "-A", "--no-prompt", `--import-map=${ROOT}tools/offline_import_map.json`];
  const line = [`${ROOT}tests/loader/install/programs/client.ts`, `pumice:${driver}`, "here", app!, `${count}`];
  const Program = Deno.env.get("PUMICE_DENO") ?? Deno.execPath();
  return new Deno.Command(Program, { args: [...args, ...line], stdout: "null", stderr: "piped" }).spawn();
}

for (const count of [1, 5]) {
  Deno.test(
    `a program that waits for ${count} threads that wait for it is told so once, by command and thread, and SIGTERM ends the program`,
    COMPILED,
    async () => {
      const child = start(count), { pid } = child;
      const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!text.includes("\n")) text += (await reader.read()).value ?? "\n(the end)";
      assertMatch(
        text,
        /^pumice: vkCreateInstance on thread (\d+) has waited two seconds for the loader's thread; .*: see docs\/linux-differences\.md\n$/,
      );
      const thread = Number(/thread (\d+)/.exec(text)![1]);
      assertEquals([thread > 0, thread === pid], [true, false]);
      assertEquals(namesIn(`/proc/${pid}/task`).includes(`${thread}`), true);
      Deno.kill(pid, "SIGTERM");
      const { signal } = await child.status;
      const rest = await reader.read();
      assertEquals([signal, rest.value ?? ""], ["SIGTERM", ""]);
    },
  );
}

Deno.test("a program whose threads are answered in time is told nothing", COMPILED, () => {
  assertEquals(runClient(app!, { loader: `pumice:${driver}`, what: 3 }).said, ["made: 0", "made: 0", "made: 0"]);
});
