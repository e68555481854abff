import { assertEquals, assertMatch } from "@std/assert";
import { lavapipePath, swiftshaderPath, xvfbPath } from "../../tools/setup/parts.ts";
import { XClient } from "../wsi/consumer/x11/x_client.ts";
import { manifestIn } from "../support/pasted.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { startXServer } from "../support/x_server.ts";
import { commandOf } from "./example.ts";

const DRIVERS = { "Mesa lavapipe": lavapipePath(), "SwiftShader": swiftshaderPath() };
const SIZE = { width: 480, height: 360 };

for (const [name, driver] of Object.entries(DRIVERS)) {
  Deno.test(`examples/first_window.ts draws until the window is closed: ${name}`, {
    ignore: needs(name, driver).ignore || needs("Xvfb", xvfbPath()).ignore,
  }, () =>
    withFolderAsync(async (folder) => {
      await using server = await startXServer();
      using client = new XClient(server.display);
      const env = { DISPLAY: server.display, VK_DRIVER_FILES: manifestIn(folder, driver!) };
      const child = new Deno.Command("sh", {
        args: ["-c", `exec ${commandOf("first_window.ts")}`],
        env,
        stdout: "piped",
      })
        .spawn();
      const output = new Response(child.stdout).text();
      const pictures = new Set<string>();
      await until("three pictures were seen", () => {
        const [window] = client.shownIds();
        const pixels = window === undefined ? [] : client.pixels(window, 0, 0, SIZE.width, SIZE.height);
        if (new Set(pixels).size > 100) pictures.add(pixels.join());
        return pictures.size === 3;
      });
      client.askToClose(client.shownIds()[0]);
      assertEquals((await child.status).code, 0);
      assertMatch(await output, /^[1-9]\d* frames were drawn by .+$/m);
    }));
}

Deno.test(
  "examples/first_window.ts serves a page",
  needs("Mesa lavapipe", lavapipePath()),
  () =>
    withFolderAsync(async (folder) => {
      const env = { VK_DRIVER_FILES: manifestIn(folder, lavapipePath()!) };
      const child = new Deno.Command("sh", {
        args: ["-c", `exec ${commandOf("first_window.ts", 1)}`],
        env,
        stdout: "piped",
      })
        .spawn();
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader(), { value } = await reader.read();
      const [, url] = /^Open (http:\/\/127\.0\.0\.1:\d+\S*)\n/.exec(value!)!;
      const page = await fetch(url);
      assertEquals(page.status, 200);
      assertMatch(await page.text(), /<canvas|<script/);
      child.kill("SIGTERM");
      await reader.cancel();
      await child.status;
    }),
);
