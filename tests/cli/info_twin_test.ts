import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseRequest } from "../../cli/arguments/parse.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { lavapipePath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";

const DRIVERS = needs("Mesa lavapipe, SwiftShader and ANGLE", lavapipePath() && swiftshaderPath());

/** The output, the warnings and the exit code of `info`. */
async function info(...args: string[]): Promise<{ code: number; out: string; warned: string[] }> {
  const command = COMMANDS.get("info")!,
    request = parseRequest("info", command, args),
    out: string[] = [],
    warned: string[] = [];
  if (request === "help") throw new Error("asked for help");
  const code = await command.run(request, (text) => out.push(text), { warn: (text) => warned.push(text) });
  return { code, out: out.join("\n"), warned };
}

async function refusal(...args: string[]): Promise<string> {
  try {
    await info(...args);
    return "";
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    return error.message;
  }
}

Deno.test(
  "info --twin --diff=twin is empty for another driver's report and for profiles, and exits with 1 where the twin gives way",
  DRIVERS,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/other.json`, driver = `--driver=${lavapipePath()}`;
      Deno.writeTextFileSync(path, (await info(`--driver=${swiftshaderPath()}`, "--json")).out);
      for (const twin of [path, `used:${path}`, "VP_ANDROID_baseline_2022", "used:VP_ANDROID_vulkan_profile_2025"]) {
        const { code, out } = await info(driver, `--twin=${twin}`, "--diff=twin");
        assertEquals([code, out.split(" and ").at(-1)], [0, "the twin say the same."], out);
      }
      const { code, out } = await info(driver, `--twin=common:${path}`, "--diff=twin");
      assertEquals(code, 1);
      assertMatch(out, /maxStorageBufferRange/);
      assertMatch(await refusal(driver, `--twin=${folder}/none.json`), /^--twin: Cannot read the device in /);
    });
  },
);

Deno.test("info lists a folder of reports, and says which files are none", DRIVERS, async () => {
  await withFolderAsync(async (folder) => {
    for (const [name, driver] of [["a", lavapipePath()], ["b", swiftshaderPath()]]) {
      Deno.writeTextFileSync(`${folder}/${name}.json`, (await info(`--driver=${driver}`, "--json")).out);
    }
    const whole = await info(folder);
    assertEquals([whole.code, whole.warned, whole.out.split("\n").length], [0, [], 3]);
    Deno.writeTextFileSync(`${folder}/c.json`, "{}");
    const { code, out, warned } = await info(folder, "--json");
    assertEquals([code, JSON.parse(out).length], [1, 2]);
    assertMatch(warned[0], /c\.json": it has no devices/);
  });
});

Deno.test("info --merge, --intersect and --convert write devices that info reads again", DRIVERS, async () => {
  await withFolderAsync(async (folder) => {
    const [one, two, made] = ["a", "b", "made"].map((name) => `${folder}/${name}.json`);
    Deno.writeTextFileSync(one, (await info(`--driver=${lavapipePath()}`, "--json")).out);
    Deno.writeTextFileSync(two, (await info(`--driver=${swiftshaderPath()}`, "--json")).out);
    const count = async (...args: string[]) => {
      Deno.writeTextFileSync(made, (await info(one, two, ...args)).out);
      const [row, ...others] = JSON.parse((await info(made, made, "--json")).out);
      assertEquals(others, [row]);
      return row.extensions as number;
    };
    const [common, either] = [await count("--intersect"), await count("--merge")];
    assert(common > 50 && either > common, `${common} ${either}`);
    assertEquals(await count("--intersect", "--convert=profile") <= common, true);
    const { out } = await info(one, two, "--convert=profile");
    assertEquals(Object.keys(JSON.parse(out).profiles).length, 2);
  });
});

Deno.test(
  "info --merge and --intersect count and name what they leave out, with --json also in the report",
  DRIVERS,
  async () => {
    await withFolderAsync(async (folder) => {
      const paths = ["a", "b"].map((name) => `${folder}/${name}.json`);
      const reports = await Promise.all(
        [lavapipePath(), swiftshaderPath()].map(async (driver) =>
          JSON.parse((await info(`--driver=${driver}`, "--json")).out)
        ),
      );
      paths.forEach((path, index) => Deno.writeTextFileSync(path, JSON.stringify(reports[index])));
      const names = reports.map(({ devices: [{ extensions }] }) =>
        new Set<string>(extensions.map((each: { extensionName: string }) => each.extensionName))
      );
      const notOfBoth = names[0].symmetricDifference(names[1]);
      for (const [option, lost] of [["--intersect", notOfBoth], ["--merge", new Set()]] as const) {
        const { warned, out, code } = await info(...paths, option, "--json"), { _leftOut: left } = JSON.parse(out);
        assertEquals([code, left.parts], [0, ["memory", "handle types of fences", "of semaphores"]]);
        const own = left.extensions.filter((name: string) => names.some((all) => all.has(name)));
        assertEquals(new Set(own), lost);
        assert(left.differing.includes("VkPhysicalDeviceProperties.driverVersion"));
        const told = warned.join("\n");
        assertMatch(told, /^info: left out: 3 parts that have no common measure: memory, /);
        assertEquals(new RegExp(`${left.extensions.length} extensions that are not of all`).test(told), lost.size > 0);
        assertEquals(JSON.parse((await info(...paths, option)).out)._leftOut, undefined);
      }
      assertEquals((await info(paths[0], paths[0], "--intersect")).warned.length, 1); // parts alone
    });
  },
);

Deno.test("info refuses what makes no sense of several devices", async () => {
  assertMatch(await refusal("a.json", "b.json", "--diff=c.json"), /are about one report/);
  assertMatch(await refusal("a.json", "--merge", "--intersect"), /exclude each other/);
  assertMatch(await refusal("a.json", "--convert=xml"), /no form of a device/);
  assertMatch(await refusal("--merge"), /there is no description of a device/);
});
