import { assert, assertEquals } from "@std/assert";
import { lavapipePath } from "../tools/setup/parts.ts";
import { commandLine } from "./support/command_line.ts";
import { needs } from "./support/require.ts";
import { run, runProgram } from "./support/subprocess.ts";
import { foreignHal } from "./wsi/foreign_hal.ts";

const ROOT = new URL("../", import.meta.url).pathname, PAGE = Deno.readTextFileSync(`${ROOT}docs/hal.md`);
const HAL = foreignHal("lavapipe", 8), NEEDS = needs("Mesa lavapipe, C compiler and Vulkan headers", HAL);

Deno.test("the program of the page about HALs prints what the page says", NEEDS, () => {
  const [, program] = /^```ts ignore\n(.*?)^```$/ms.exec(PAGE)!;
  const [, own, reason, provided] = /prints `(.*?)`\sand\s`(.*?)`;.*?prints\s`(.*?)`\./s.exec(PAGE)!;
  const folder = Deno.makeTempDirSync({ dir: `${ROOT}.cache`, prefix: ".pasted-" });
  try {
    Deno.writeTextFileSync(`${folder}/program.ts`, program);
    const printed = (driver: string) => runProgram(`${folder}/program.ts`.slice(ROOT.length), [driver]).stdout.trim();
    assertEquals(printed(HAL!).split("\n"), [own, reason]);
    assertEquals(printed(lavapipePath()!).split("\n")[0], provided);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("the commands of the page about HALs say whose native buffers are used", NEEDS, () => {
  const commands = /^```sh\n(.*?)^```$/ms.exec(PAGE)![1].trim().split("\n");
  const [info, check, explain] = commands.map((line) => {
    const [program, ...words] = line.replace("vulkan.soc.so", HAL!).split(" ");
    assertEquals(program, "pumice");
    const { code, stdout, output } = run(Deno.execPath(), ["run", "-A", "cli.ts", ...words], {
      env: { NO_COLOR: "1" },
      seconds: 100,
    });
    assert(code <= 1, output); // a software driver lacks some of what check asks for
    return stdout;
  });
  assert(info.includes("native buffers: the driver's own, revision 8"), info);
  assert(check.includes("rule    vulkan.native-buffer") || check.includes("VK_ANDROID_native_buffer"), check);
  assert(explain.includes(HAL!), explain);
});

Deno.test(
  "cli info tells native buffers that are provided from a driver's own, on either platform",
  NEEDS,
  async () => {
    for (const platform of ["linux", "android"]) {
      for (const [driver, said] of [[HAL!, "the driver's own, revision 8"], [lavapipePath()!, "provided here"]]) {
        const { stdout } = await commandLine("info", `--driver=${driver}`, `--platform=${platform}`);
        assertEquals(/native buffers: (.*)/.exec(stdout)?.[1], said, platform);
      }
    }
  },
);
