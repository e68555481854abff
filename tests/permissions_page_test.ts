import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { apiRecording } from "../workbench/layers.ts";
import { loadVulkan } from "../loader/mod.ts";
import { lavapipePath, swiftshaderPath } from "../tools/setup/parts.ts";
import { onPath } from "../tools/setup/files.ts";
import { manifestIn } from "./support/pasted.ts";
import { needs } from "./support/require.ts";
import { run } from "./support/subprocess.ts";
import { withFolder } from "./support/temporary.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const PAGE = Deno.readTextFileSync(`${ROOT}docs/permissions.md`);
const driver = lavapipePath() ?? swiftshaderPath();

const SEARCH = `
  import { loadVulkan, requireDriver } from "@pumice/gfx/loader";
  using vulkan = loadVulkan();
  requireDriver(vulkan);
  const reads = vulkan.explain().some(({ path }) => path === Deno.args[1] + "/driver.json");
  console.log(reads ? "reads VK_DRIVER_FILES" : "reads the system's folders");`;
const NAMED = `
  import { loadVulkan } from "@pumice/gfx/loader";
  using vulkan = loadVulkan({ driver: Deno.args[0] });
  using instance = vulkan.vkCreateInstance({});
  console.log("devices:", instance.vkEnumeratePhysicalDevices().length);`;
const frames = (consumer: string) => `
  import * as wsi from "@pumice/gfx/wsi";
  using window = new wsi.NativeWindow({ width: 16, height: 16, consumer: wsi.${consumer} });
  window.apiConnect(wsi.WINDOW_API.CPU);
  const { buffer, fence } = window.dequeueBuffer() as wsi.DequeuedBuffer;
  window.queueBuffer(buffer, fence);
  console.log("queued");`;
const TRACE = `
  import { apiTrace } from "@pumice/gfx/layers";
  using trace = apiTrace({ path: Deno.args[1] + "/trace.jsonl" });
  console.log("open");`;
const PAGE_OF_FRAMES = `
  import { webViewer } from "@pumice/gfx/wsi";
  webViewer();
  console.log("served");
  Deno.exit(0);`;
const PNG = frames(`pngConsumer(Deno.args[1] + "/%d.png")`);
const VIDEO = frames(`videoConsumer({ path: Deno.args[1] + "/film.mp4" })`);

/** A row of the page, a program, and what is printed without and with the permission. Other permissions are granted both times. */
interface Row {
  readonly row: string;
  readonly program: string;
  readonly others?: readonly string[];
  readonly without: string;
  readonly granted: string;
}

const FFI = ["--allow-ffi"], READ = [...FFI, "--allow-read"];
const ROWS: readonly Row[] = [
  { row: "--allow-ffi", program: NAMED, without: "Requires ffi access", granted: "devices: 1" },
  { row: "--allow-ffi=PATH", program: NAMED, without: "Requires ffi access", granted: "Requires ffi access" },
  { row: "--allow-read", program: NAMED, others: FFI, without: "devices: 1", granted: "devices: 1" },
  {
    row: "--allow-read",
    program: SEARCH,
    others: [...FFI, "--allow-env"],
    without: "allow reading it (--allow-read)",
    granted: "reads VK_DRIVER_FILES",
  },
  {
    row: "--allow-env=HOME,XDG_*,VK_*",
    program: SEARCH.replace("requireDriver(vulkan);", ""),
    others: READ,
    without: "reads the system's folders",
    granted: "reads VK_DRIVER_FILES",
  },
  { row: "--allow-write=FOLDER", program: PNG, others: READ, without: "Requires write access", granted: "queued" },
  { row: "--allow-write=FOLDER", program: TRACE, others: READ, without: "Requires write access", granted: "open" },
  {
    row: "--allow-net=127.0.0.1",
    program: PAGE_OF_FRAMES,
    others: READ,
    without: "give --allow-net=127.0.0.1",
    granted: "served",
  },
];

/** The output of a program with permissions. */
function printed({ program }: Row, permissions: readonly string[], folder: string): string {
  const path = `${folder}/program.ts`, words = permissions.map((each) => each.replace("FOLDER", folder));
  Deno.writeTextFileSync(path, program);
  const args = ["run", "--no-prompt", "--no-check", "--quiet", "--config", `${ROOT}deno.json`];
  const map = `--import-map=${ROOT}tools/offline_import_map.json`;
  const env = { NO_COLOR: "1", VK_DRIVER_FILES: manifestIn(folder, driver!) };
  return run(Deno.execPath(), [...args, map, ...words, path, driver!, folder], { env, seconds: 60 }).output;
}

Deno.test("each row of the page about permissions is true, with and without", needs("a Vulkan driver", driver), () => {
  for (const each of ROWS) {
    const { row, others = [], without, granted } = each;
    assert(PAGE.includes(`\`${row}\``), row);
    const permission = row.replace("PATH", driver!);
    withFolder((folder) => {
      assertStringIncludes(printed(each, others, folder), without, `${row}, not granted`);
      assertStringIncludes(printed(each, [...others, permission], folder), granted, `${row}, granted`);
    });
  }
});

/** Deno then refuses to start a process by name, as the page says. */
const IS_REFUSED = Deno.env.has("LD_LIBRARY_PATH");

Deno.test(
  "videoConsumer() needs both permissions that the page names",
  { ignore: needs("ffmpeg", onPath("ffmpeg") && driver).ignore || IS_REFUSED },
  () => {
    const row = { row: "--allow-run=ffmpeg", program: VIDEO, without: "", granted: "" };
    withFolder((folder) => {
      assertStringIncludes(printed(row, [...READ, "--allow-write=FOLDER"], folder), `"ffmpeg" cannot be run`);
      assertStringIncludes(printed(row, [...READ, row.row], folder), "Requires write access");
      assertStringIncludes(printed(row, [...READ, row.row, "--allow-write=FOLDER"], folder), "queued");
    });
  },
);

Deno.test("gpuTest() needs the permissions that the page names", {
  ignore: needs("a Vulkan driver", driver).ignore || IS_REFUSED,
}, () => {
  const needed = ["--allow-run=deno", "--allow-read", "--allow-env", "--allow-write"];
  const folder = Deno.makeTempDirSync({ dir: ROOT, prefix: ".pasted-" });
  try {
    Deno.writeTextFileSync(
      `${folder}/gpu_test.ts`,
      `import { gpuTest } from "@pumice/gfx/testing"; gpuTest("a buffer", {}, (gpu) => void gpu.buffer(16));`,
    );
    const ends = (permissions: readonly string[]) => {
      const args = ["test", "--no-prompt", "--no-check", "--quiet", "--allow-ffi", ...permissions];
      const map = `--import-map=${ROOT}tools/offline_import_map.json`,
        env = { PUMICE_DRIVERS: driver!, PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}` };
      return run(Deno.execPath(), [...args, map, `${folder}/gpu_test.ts`], { env, seconds: 100 });
    };
    const all = ends(needed);
    assertEquals(all.code, 0, all.output);
    for (const missing of needed) {
      assertEquals(ends(needed.filter((each) => each !== missing)).code, 1, `without ${missing}`);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("compareDrivers() needs the permissions that the page names", {
  ignore: needs("a Vulkan driver", driver).ignore || IS_REFUSED,
}, () => {
  const needed = ["--allow-run=deno", "--allow-read", "--allow-write"];
  withFolder((folder) => {
    const recording = `${folder}/empty.jsonl`, temporary = `${folder}/temporary`;
    Deno.mkdirSync(temporary);
    using recorded = apiRecording({ path: recording });
    {
      using vulkan = loadVulkan({ driver: driver!, layers: [recorded.layer] });
      using _instance = vulkan.vkCreateInstance({});
    }
    recorded.close();
    Deno.writeTextFileSync(
      `${folder}/compare.ts`,
      `import { compareDrivers } from "@pumice/gfx/compare";
       const [recording, driver] = Deno.args;
       const { finding } = await compareDrivers(recording, [{ driver }, { driver }]);
       console.log(finding?.kind ?? "nothing differs");`,
    );
    const said = (permissions: readonly string[]) => {
      const args = [
        "run",
        "--no-prompt",
        "--no-check",
        "--quiet",
        "--config",
        `${ROOT}deno.json`,
        "--allow-ffi",
        ...permissions,
      ];
      const map = `--import-map=${ROOT}tools/offline_import_map.json`;
      const env = { NO_COLOR: "1", PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`, TMPDIR: temporary };
      return run(Deno.execPath(), [...args, map, `${folder}/compare.ts`, recording, driver!], { env, seconds: 100 });
    };
    const all = said(needed);
    assertEquals([all.code, all.stdout.trim()], [0, "nothing differs"], all.output);
    for (const missing of needed) {
      assertEquals(said(needed.filter((each) => each !== missing)).code, 1, `without ${missing}`);
    }
    assertEquals([...Deno.readDirSync(temporary)], [], "folders are removed when a permission is missing");
  });
});
