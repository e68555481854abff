import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { chromiumPath, lavapipePath, xvfbPath } from "../../tools/setup/parts.ts";
import { XClient } from "../wsi/consumer/x11/x_client.ts";
import { Browser } from "../support/browser.ts";
import { difference, readPng } from "../support/image.ts";
import { needs } from "../support/require.ts";
import { type Outcome, runProgram } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";
import { foreignHal } from "../wsi/foreign_hal.ts";
import { startXServer } from "../support/x_server.ts";
import { until } from "../support/until.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const XVFB = { ignore: LAVAPIPE.ignore || needs("Xvfb", xvfbPath()).ignore };

function windowed(args: readonly string[], env: Record<string, string> = {}): Outcome {
  return runProgram("examples/window.ts", [`--driver=${lavapipePath()}`, ...args], { env });
}

for (const mode of ["fifo", "mailbox", "fifo-latest-ready", "shared-demand"]) {
  Deno.test(`the window's frames are written as pictures: ${mode}`, LAVAPIPE, () => {
    withFolder((folder) => {
      const args = [`--mode=${mode}`, "--size=96x54", "--frames=3", `--png=${folder}/f-%02d.png`];
      const { code, stdout, output } = windowed(args);
      assertEquals(code, 0, output);
      assertMatch(stdout, /^Drawing with llvmpipe.*, mode /m);
      assertMatch(stdout, /^3 queued, 0 dropped, 0 copied on the way to the window; 3 pictures written/m);
      const [first, last] = ["01", "03"].map((number) => readPng(`${folder}/f-${number}.png`));
      assertEquals([first.width, first.height], [96, 54]);
      assert(difference(first, last).mean > 0.01, "the frames are the same");
    });
  });
}

Deno.test("the window draws in another size when it is resized, and ends when it is closed", XVFB, async () => {
  await using server = await startXServer();
  using client = new XClient(server.display);
  const child = start(["--x11", "--size=96x54", "--frames=100000"], { DISPLAY: server.display });
  const output = new Response(child.stdout).text();
  await until("a window is shown", () => client.shownIds().length > 0);
  const [window] = client.shownIds();
  await drawn(client, window, 96, 54);
  client.place(window, 0, 0, 128, 72);
  await drawn(client, window, 128, 72);
  client.askToClose(window);
  assertEquals((await child.status).code, 0);
  assertMatch(await output, /^\d+ frames in .* a second$/m);
});

/** Waits until the last pixel of a window is drawn. */
async function drawn(client: XClient, window: number, width: number, height: number): Promise<void> {
  await until(`all of ${width} × ${height} pixels are drawn`, () => {
    const pixels = client.pixels(window, 0, 0, width, height);
    return new Set(pixels).size > 100 && pixels[pixels.length - 1] !== 0;
  });
}

Deno.test("the window says what is wrong with its options", () => {
  const cases: [string[], string][] = [
    [["--mode=immediate"], '--mode is "immediate"; write one of fifo, mailbox'],
    [["--size=big"], '--size is "big"; write WIDTHxHEIGHT'],
    [["--frames=-1"], '--frames is "-1"; write a whole number from 1 up'],
    [["--web", "--x11"], "give one of --x11, --web, --video, --png"],
    [["--nope"], "options: --driver, --size, --frames"],
  ];
  for (const [args, said] of cases) {
    const { code, stderr } = windowed(args);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, said);
  }
});

Deno.test("the window says what could not be used", LAVAPIPE, () => {
  const none = windowed(["--x11"], { DISPLAY: ":4999" });
  assertEquals(none.code, 1, none.output);
  assertStringIncludes(none.stderr, "no server answers there");
  const bad = windowed(["--driver=/nonexistent.so", "--png=/tmp/never.png"]);
  assertEquals(bad.code, 1, bad.output);
  assertStringIncludes(bad.stderr, "/nonexistent.so");
});

Deno.test(
  "the window says in a sentence that a driver has not got a mode",
  needs("Mesa lavapipe", foreignHal()),
  () => {
    const args = [`--driver=${foreignHal()}`, "--mode=shared-demand", "--png=/tmp/never.png"];
    const { code, stderr, output } = runProgram("examples/window.ts", args);
    assertEquals(code, 1, output);
    assertMatch(stderr, /^Cannot present in mode shared-demand: on this driver the window has fifo, mailbox, /m);
    assert(!stderr.includes("    at "), stderr);
  },
);

Deno.test("the window waits for a browser, shows it all frames and ends", {
  ignore: LAVAPIPE.ignore || needs("Chromium", chromiumPath()).ignore,
}, async () => {
  const child = start(["--web", "--size=96x54", "--frames=30"]);
  const lines = child.stdout.pipeThrough(new TextDecoderStream());
  let text = "";
  await using browser = await Browser.start();
  for await (const part of lines) {
    const known = text.includes("http");
    text += part;
    const url = /^Open (http\S+)\n/m.exec(text)?.[1];
    if (url && !known) await browser.open(url);
  }
  assertEquals((await child.status).code, 0, text);
  assertMatch(text, /^30 queued, 0 dropped, 0 copied on the way to the window; [1-9]\d* sent to 1 pages$/m);
});

/** Starts the program, to talk to it while it runs. */
function start(args: readonly string[], env: Record<string, string> = {}): Deno.ChildProcess {
  const program = new URL("../../examples/window.ts", import.meta.url).pathname;
  const flags = ["--no-check", "--no-prompt", "--allow-ffi", "--allow-read", "--allow-env", "--allow-net=127.0.0.1"];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, program, `--driver=${lavapipePath()}`, ...args],
    env,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}
