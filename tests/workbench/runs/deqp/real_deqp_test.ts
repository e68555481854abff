/**
 * The runner against a real `deqp-vk`, where the environment variable
 * PUMICE_DEQP_VK names one: no package has it. What the program needs beside
 * it must lie in its folder.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";

const program = Deno.env.get("PUMICE_DEQP_VK");
/** Cases that every version has. */
const CASES = [
  "dEQP-VK.info.build",
  "dEQP-VK.info.device",
  "dEQP-VK.info.platform",
  "dEQP-VK.info.memory_limits",
  "dEQP-VK.api.smoke.create_sampler",
  "dEQP-VK.api.smoke.create_shader",
  "dEQP-VK.api.smoke.triangle",
  "dEQP-VK.api.smoke.asm_triangle",
  "dEQP-VK.api.device_init.create_instance_name_version.basic",
  "dEQP-VK.api.device_init.create_device.basic",
];

/** The program's own words about the end of a case. */
function verdictOf(name: string): string {
  const args = [`--deqp-case=${name}`, "--deqp-log-images=disable", "--deqp-log-filename=/dev/null"];
  const { stdout } = new Deno.Command(program!, { args, cwd: dirname(program!) }).outputSync();
  return new TextDecoder().decode(stdout).match(/^ {2}(\w+) \(/m)![1];
}

Deno.test("deqp runs a real deqp-vk in two shards, and its verdicts are the program's own", {
  ignore: program === undefined,
}, () => {
  withFolder((folder) => {
    const list = `${folder}/cases.txt`, junit = `${folder}/junit.xml`;
    Deno.writeTextFileSync(list, CASES.join("\n") + "\n");
    const command = `${program} --deqp-log-images=disable --deqp-log-shader-sources=disable`;
    const args = ["deqp", list, `--command=${command}`, "--shards=2", "--group-size=3", "--json", `--junit=${junit}`];
    const { stdout, output } = runProgram("cli.ts", args);
    const results = JSON.parse(stdout).results as { name: string; status: string }[];
    assertEquals(
      results.map(({ name, status }) => [name, status]),
      CASES.map((name) => [name, verdictOf(name)]),
      output,
    );
    for (const name of CASES) assertStringIncludes(Deno.readTextFileSync(junit), name.split(".").at(-1)!);
  });
});
