import { assert, assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../loader/vkjson/json_value.ts";
import { nameOf } from "../../../loader/twin/model.ts";
import { readSource } from "../../../loader/twin/read_source.ts";
import { vkjson } from "../../../loader/vkjson/vkjson.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { count } from "../../support/counts.ts";
import { type Outcome, runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { exec } from "./exec.ts";

// deno-lint-ignore no-explicit-any -- a report is edited
type Json = any;

/** The report of lavapipe after a change. */
function edited(change: (device: Json) => void): JsonObject {
  const report = structuredClone(vkjson({ driver: lavapipePath()! })) as Json;
  change(report.devices[0]);
  return report;
}

/** The twins: the names of profiles, and made reports. Profiles demand more than lavapipe can do. */
const TWINS: readonly (readonly [name: string, report?: () => JsonObject])[] = [
  ["VP_ANDROID_baseline_2021"],
  ["VP_ANDROID_baseline_2022"],
  ["VP_ANDROID_vulkan_profile_2025"],
  ["VP_ANDROID_15_minimums"],
  ["VP_ANDROID_16_minimums"],
  ["VP_ANDROID_17_requirements"],
  ["odd", () =>
    edited((device) => {
      device.properties.deviceName = "Gerät ä 測";
      device.memory = {
        memoryTypeCount: 32,
        memoryTypes: Array.from({ length: 32 }, (_, index) => ({ propertyFlags: index % 16, heapIndex: 0 })),
        memoryHeapCount: 1,
        memoryHeaps: [{ size: "0x20000000", flags: 1 }],
      };
    })],
  [
    "small",
    () =>
      edited(({ properties: { limits } }) =>
        Object.assign(limits, { maxImageDimension2D: 128, maxPushConstantsSize: 16, maxMemoryAllocationCount: 6 })
      ),
  ],
  [
    "no_bgra",
    () =>
      edited((device) =>
        device.formats = device.formats.filter(([format]: [number]) => ![44, 50, 124, 126].includes(format))
      ),
  ],
  [
    "one_family",
    () => edited((device) => device.queues = [{ ...device.queues[0], queueCount: 1, timestampValidBits: 0 }]),
  ],
];

/** A program, and the proof that it has drawn. */
interface Program {
  readonly name: string;
  readonly isThere: unknown;
  readonly line: (device: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly drawn: RegExp;
  /** The exit code of the program after the proof. */
  readonly code?: number;
}

/** Ends glxgears, which has no end of its own and takes all processors, when it has told how many frames it drew. */
const UNTIL_COUNTED = `exec 3< <(exec glxgears); gears=$!
while read -r line <&3; do echo "$line"; case $line in *" frames in "*) kill $gears; break ;; esac; done; wait $gears`;
const ZINK = { MESA_LOADER_DRIVER_OVERRIDE: "zink", LIBGL_ALWAYS_SOFTWARE: "1", GALLIUM_DRIVER: "zink" };
const PROGRAMS: readonly Program[] = [
  { name: "vkcube", isThere: true, line: () => ["vkcube", "--c", "3"], drawn: /^vkQueuePresentKHR .* 3 × /m },
  {
    name: "mpv",
    isThere: onPath("mpv"),
    line: (device) => [
      ...["mpv", "--no-config", "--ao=null", "--vo=gpu-next", "--gpu-api=vulkan", "--gpu-context=x11vk"],
      ...[`--vulkan-device=${device}`, "--frames=4", "av://lavfi:testsrc=size=64x48:rate=25:duration=1"],
    ],
    drawn: /VO: \[gpu-next\] 64x48[^]*^vkQueuePresentKHR .* \d+ × /m,
  },
  {
    name: "glxinfo",
    isThere: onPath("glxinfo"),
    line: () => ["glxinfo", "-B"],
    env: ZINK,
    drawn: /renderer string: zink/,
  },
  {
    name: "glxgears",
    isThere: onPath("glxgears"),
    line: () => ["timeout", "30", "bash", "-c", UNTIL_COUNTED],
    env: ZINK,
    drawn: /\d+ frames in \d+\.\d seconds/,
    code: 143,
  },
];

/** The sentences that name a fact: the twin's, the native loader's, and the facts that the program was told. */
const SENTENCES = [
  /^vk\w+ returns VK_\w+: .*\b(VK_[A-Z]\w+|max\w+|memory\w*|queue\w*|[a-z]+[A-Z]\w+).* \(.+\)$/m,
  /Device extension VK_\w+ not supported by selected physical device or enabled layers/,
  /^the twin refused nothing; .*:\n(extensions|features and limits|formats) \(\d+\): \w.*/m,
];

/** Judges a run: drawn, or ended with a sentence. A crash or a hang is neither. */
function verdict({ code, output }: Outcome, { drawn, code: good = 0 }: Pick<Program, "drawn" | "code">): string {
  if (code === good && drawn.test(output)) return "starts";
  const said = SENTENCES.map((each) => each.exec(output)?.[0]).find((each) => each !== undefined);
  // vkcube aborts after a command that failed
  const isEnded = code !== 0 && (code < 124 || code === 134);
  return isEnded && said !== undefined ? said.split("\n").at(-1)!.slice(0, 120) : `ended with ${code}: ${output}`;
}

Deno.test("programs start under twins, or end with a sentence that names a fact", NEEDS_PROGRAMS, async () => {
  await using server = await startXServer();
  const rows: string[] = [];
  withFolder((folder) => {
    const pairs = TWINS.flatMap((twin, row) =>
      PROGRAMS.filter(({ isThere }) => isThere).map((program, column) => ({
        twin,
        program,
        isUsual: (row + column) % 4 === 0,
      }))
    );
    const usual = pairs.filter(({ isUsual }) => isUsual);
    // All pairs found that zink ended without a word, as the usual ones do, and limits of 0, which limits_in_use_test.ts
    // tries. Zink waits for ever on a twin that refuses pipelines: beside other work it draws nothing before it is ended.
    for (const { twin: [name, report], program } of count(0, 0, 1) === 1 ? pairs : usual) {
      const path = `${folder}/${name}.json`, source = report ? path : name;
      if (report) Deno.writeTextFileSync(path, JSON.stringify(report()));
      const device = nameOf(readSource(source));
      const line = ["--layer=profile", "--frames", `--twin=used:${source}`, "--", ...program.line(device)];
      const found = verdict(
        exec(folder, line, { DISPLAY: server.display, XDG_RUNTIME_DIR: folder, ...program.env }),
        program,
      );
      rows.push(`${program.name} as ${name}: ${found}`);
      assert(!found.startsWith("ended with"), rows.at(-1));
    }
  });
  console.log(rows.join("\n"));
  assert(rows.some((row) => row.endsWith(": starts")) && rows.some((row) => !row.endsWith(": starts")));
});

Deno.test(
  "the demo starts under twins, or ends with a sentence that names a fact",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const verdicts = TWINS.map(([name, report]) => {
        const path = `${folder}/${name}.json`, picture = `${folder}/${name}.png`;
        if (report) Deno.writeTextFileSync(path, JSON.stringify(report()));
        const options = ["--driver", lavapipePath()!, "--size", "64x36", "--out", picture];
        const line = ["run", `--layer=twin:used:${report ? path : name}`, "examples/demo.ts", "--", ...options];
        const found = verdict(runProgram("cli.ts", line, { flags: ["--allow-sys"], seconds: 120 }), {
          drawn: /^picture /m,
        });
        assert(!found.startsWith("ended with"), `${name}: ${found}`);
        if (found === "starts") assert(Deno.statSync(picture).size > 1000);
        return [name, found];
      });
      console.log(verdicts.map(([name, found]) => `demo as ${name}: ${found}`).join("\n"));
      const started = verdicts.filter(([, found]) => found === "starts").map(([name]) => name);
      assertEquals(started, ["VP_ANDROID_vulkan_profile_2025", "VP_ANDROID_17_requirements", "odd", "one_family"]);
      assertMatch(new Map(verdicts as [string, string][]).get("small")!, /maxImageDimension2D is 128/);
    }),
);

Deno.test(
  "a settings file and variables reach the layers of a native program, and a variable counts more",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const write = (name: string, report: JsonObject) =>
        Deno.writeTextFileSync(`${folder}/${name}.json`, JSON.stringify(report));
      const sized = (size: number) => edited(({ properties }) => properties.limits.maxImageDimension2D = size);
      write("file", sized(1111));
      write("variable", sized(2222));
      const lines = [
        "# as vkconfig writes",
        `pumice_device_twin.source = ${folder}/file.json`,
        "pumice_device_twin.strictness = common",
        "pumice_device_limits.hide_extensions = VK_KHR_maintenance1,VK_KHR_swapchain",
      ];
      Deno.writeTextFileSync(`${folder}/vk_layer_settings.txt`, lines.join("\n"));
      const seen = (env: Record<string, string>, cwd?: string) => {
        const { code, stdout, stderr } = exec(folder, ["--layer=limits", "--layer=twin", "--", "vulkaninfo"], env, cwd);
        assertEquals(code, 0, stderr);
        return [/maxImageDimension2D += (\d+)/.exec(stdout)?.[1], /VK_KHR_maintenance1 /.test(stdout)];
      };
      assertEquals(seen({}, folder), ["1111", false]);
      assertEquals(seen({ VK_LAYER_SETTINGS_PATH: folder }), ["1111", false]);
      const source = `${folder}/variable.json`, extensions = "VK_KHR_maintenance2";
      const variables = { VK_PUMICE_DEVICE_TWIN_SOURCE: source, VK_PUMICE_DEVICE_LIMITS_HIDE_EXTENSIONS: extensions };
      assertEquals(seen({ VK_LAYER_SETTINGS_PATH: folder, ...variables }), ["2222", true]);
      const wrong = exec(folder, ["--layer=twin", "--", "vulkaninfo"], {
        VK_LAYER_SETTINGS_PATH: folder,
        VK_PUMICE_DEVICE_TWIN_STRICTNESS: "mild",
      });
      assertEquals(wrong.code, 2);
      assertMatch(wrong.stderr, /"mild" as option "strictness"/);
    }),
);
