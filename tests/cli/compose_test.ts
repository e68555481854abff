import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { decode } from "fast-png";
import type { ComposedFrame } from "../../cli/compose/reporter.ts";
import { pathOf } from "../../cli/compose/scenes/scenes.ts";
import { openBlocks } from "../../ffi/block.ts";
import { lavapipePath, xvfbPath } from "../../tools/setup/parts.ts";
import { openBuffers } from "../../wsi/buffer/gralloc.ts";
import { commandLine } from "../support/command_line.ts";
import { mappings, openFiles } from "../support/open_files.ts";
import { needs } from "../support/require.ts";
import { type Outcome, runProgram } from "../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../support/temporary.ts";
import { startXServer } from "../support/x_server.ts";
import { PageClient } from "../wsi/web/page_client.ts";
import { XClient } from "../wsi/consumer/x11/x_client.ts";
import { COMPOSE_OPTIONS } from "../../cli/commands/compose.ts";
import { PLANE_MODELS } from "../../hwc/planes/models.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const SMALL = ["--width=180", "--height=320"], NO_DRIVER = { VK_DRIVER_FILES: "/nowhere/driver.json" };
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());

function composed(args: readonly string[], env: Record<string, string> = {}): Outcome {
  return runProgram("cli.ts", ["compose", ...SMALL, ...args], { env });
}

Deno.test("compose --help names every plane model", () => {
  assertStringIncludes(COMPOSE_OPTIONS.model.help, `: ${Object.keys(PLANE_MODELS).join(", ")};`);
});

type Line = ComposedFrame | { type: "note" | "warning"; text: string } | { type: "end"; frames: number };

function linesOf(text: string): Line[] {
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

function framesOf(lines: readonly Line[]): ComposedFrame[] {
  return lines.filter((line) => line.type === "frame");
}

/** The files of a folder, by name. */
function filesOf(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test(
  "cli compose writes each frame as a picture and a line of JSON, with the island that Vulkan drew",
  LAVAPIPE,
  () => {
    withFolder((folder) => {
      const args = [`--driver=${lavapipePath()}`, `--png=${folder}/out`, "--frames=5", "--json", "--model=eight-plane"];
      const { code, stdout, stderr } = composed(args);
      assertEquals([code, stderr], [0, ""]);
      const lines = linesOf(stdout), frames = framesOf(lines), [note] = lines as { text: string }[];
      assertMatch(note.text, /^The application is drawn by Vulkan on llvmpipe/);
      assertEquals(lines.at(-1), { type: "end", frames: 5 });
      assertEquals(frames.map(({ display, frame }) => [display, frame]), [1, 2, 3, 4, 5].map((frame) => [0, frame]));
      const { layers, target, gpuWork, model, strategy } = frames.at(-1)!;
      assertEquals([model, strategy, target, gpuWork], ["eight-plane", "least-gpu-work", null, 0]);
      const names = ["cursor", "navigation bar", "status bar", "video", "app", "wallpaper"];
      assertEquals(layers.map(({ name }) => name), names);
      assertEquals(new Set(layers.map(({ plane }) => plane)).size, 6);
      assertEquals(filesOf(`${folder}/out`), [1, 2, 3, 4, 5].map((number) => `frame-000${number}.png`));
      const { data, width, height, channels } = decode(Deno.readFileSync(`${folder}/out/frame-0005.png`));
      assertEquals([width, height], [180, 320]);
      const [left, top, right, bottom] = layers.find(({ name }) => name === "app")!.frame, colors = new Set<number>();
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) colors.add(data[channels * (y * width + x)]);
      }
      assert(colors.size > 60, `the island has ${colors.size} kinds of red`);
    });
  },
);

Deno.test("cli compose paints the application itself where there is no driver, the same pictures each time", () => {
  withFolder((folder) => {
    const pictures = [1, 2].map((run) => {
      const args = [`--png=${folder}/${run}-%d.png`, "--frames=4", "--external=128x72", "--strategy=first-2"];
      const { code, stdout } = composed(args, NO_DRIVER);
      assertEquals(code, 0, stdout);
      assertMatch(stdout, /^The application is painted by the processor\. Cannot find a Vulkan driver/);
      assertMatch(stdout, /\n4 frames in \d+\.\d s\.\n$/);
      return [1, 2, 3, 4].map((frame) => Deno.readFileSync(`${folder}/${run}-${frame}.png`));
    });
    assertEquals(pictures[0], pictures[1]);
    assert(pictures[0][0].join() !== pictures[0][3].join(), "nothing moves");
    const { width, height } = decode(Deno.readFileSync(`${folder}/1-display-1-2.png`));
    assertEquals([width, height], [128, 72]);
  });
});

Deno.test("cli compose gives each display its own pictures", () => {
  const external = { display: 2, isPrimary: false }, internal = { display: 0, isPrimary: true };
  for (
    const [path, expected] of [
      ["out", "out/display-2"],
      ["out/", "out/display-2"],
      ["out/%04d.png", "out/display-2-%04d.png"],
      ["last.png", "last-display-2.png"],
    ]
  ) {
    assertEquals([pathOf(path, external), pathOf(path, internal)], [expected, path]);
  }
});

Deno.test("cli compose serves a page until Ctrl-C, with few permissions, and leaves nothing", async () => {
  const permissions = ["--allow-ffi", "--allow-read", "--allow-env", "--allow-net=127.0.0.1"];
  const map = `--import-map=${ROOT}tools/offline_import_map.json`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", ...permissions, map, `${ROOT}cli.ts`, "compose", ...SMALL, "--json"],
    env: { ...NO_DRIVER, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text(),
    reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"frame":3,')) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`It ended: ${text} ${await errors}`);
    text += value;
  }
  const url = /"url":"([^"]+)"/.exec(text)![1];
  {
    await using page = await PageClient.connect(url);
    const { news } = await page.next("news"), { width, height } = await page.show();
    assertEquals([width, height, (news as { isPaused: boolean }).isPaused], [180, 320, false]);
    page.tell({ type: "ask", request: { do: "plug", panel: 0 } });
    page.tell({ type: "heard" });
    while (!text.includes('"display":1,')) text += (await reader.read()).value;
    child.kill("SIGINT");
    await page.closed;
  }
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  assertEquals([(await child.status).code, await errors], [0, ""]);
  assertEquals(linesOf(text).at(-1)!.type, "end");
});

Deno.test("cli compose shows each display in a window of the X server", needs("Xvfb", xvfbPath()), async () => {
  await using server = await startXServer("800x600x24");
  using client = new XClient(server.display);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-prompt", `--import-map=${ROOT}tools/offline_import_map.json`, `${ROOT}cli.ts`],
      ...["compose", ...SMALL, "--x11", "--external=128x72"],
    ],
    env: { ...NO_DRIVER, DISPLAY: server.display, NO_COLOR: "1" },
    stdout: "piped",
  }).spawn();
  const output = new Response(child.stdout).text();
  await until("two windows are shown", () => client.shownIds().length >= 2); // with their titles
  const ids = client.shownIds();
  assertEquals(ids.map((id) => client.title(id)).sort(), ["Panel 1 – Pumice", "Phone – Pumice"]);
  const phone = ids.find((id) => client.title(id).startsWith("Phone"))!;
  await until("the phone's window is drawn", () => new Set(client.pixels(phone, 0, 0, 180, 320)).size >= 50);
  client.askToClose(ids.find((id) => id !== phone)!); // unplugs that display
  await until("one window is left", () => client.windows() <= 1);
  client.askToClose(phone);
  assertEquals((await child.status).code, 0);
  assertMatch(await output, /\n\d+ frames? in /);
});

Deno.test("cli compose says what is wrong with its options, and exits with 2", async () => {
  for (
    const [option, words] of [
      ["--width=9", "--width"],
      ["--height=tall", "--height"],
      ["--hz=0", "--hz"],
      ["--frames=0", "--frames"],
      ["--frames=1.5", "--frames"],
      ["--port=70000", "--port"],
      ["--model=magic", "four-plane"],
      ["--strategy=best", "least-gpu-work"],
      ["--external=big", "WIDTHxHEIGHT"],
      ["--external=1x1", "--external"],
      ["--png=", "--png"],
      ["--nope", "--nope"],
    ]
  ) {
    const { code, text } = await commandLine("compose", option);
    assertEquals(code, 2, option);
    assertStringIncludes(text.split("\n")[0], words);
    assertEquals(text.split("\n").slice(1), ["Try: pumice compose --help"]);
  }
});

Deno.test("cli compose exits with 2 when a port, a folder or a driver cannot be used, and with 1 when no display is there", async () => {
  const last = async (...args: string[]) => {
    const { code, text } = await commandLine("compose", ...SMALL, "--frames=2", ...args);
    return [code, text.split("\n").at(-1)!] as const;
  };
  const [driver, why] = await last("--driver=/nowhere/libvulkan_x.so", "--png=/tmp/never");
  assertEquals([driver, why.includes("/nowhere/libvulkan_x.so")], [2, true], why);
  await using taken = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());
  const [port, taker] = await last(`--port=${taken.addr.port}`);
  assertEquals([port, taker.includes("something else listens there")], [2, true], taker);
  const [folder, writer] = await last("--png=/proc/nowhere");
  assertEquals([folder, writer.includes('Cannot write "/proc/nowhere/frame-0001.png"')], [2, true], writer);
  const none = composed(["--x11", "--frames=2"], { ...NO_DRIVER, DISPLAY: ":9977" });
  assertEquals([none.code, none.output.includes("X display")], [1, true], none.output);
});

Deno.test("cli compose leaves no file, buffer, mapping or block", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const open = () => [openFiles(), openBlocks(), openBuffers(), mappings("gralloc")], counts: unknown[] = [];
    for (let run = 0; run < 3; run++) {
      const { code } = await commandLine(
        ...["compose", ...SMALL, `--driver=${lavapipePath()}`, `--png=${folder}`, "--frames=3", "--external=64x64"],
      );
      assertEquals(code, 0);
      counts.push(open());
    }
    assertEquals(counts[2], counts[1]);
  });
});
