import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { readMessage } from "../../../wsi/web/protocol.ts";
import { isTrusted } from "../../../wsi/web/server.ts";
import { webViewer } from "../../../wsi/web/web_viewer.ts";
import { run } from "../../support/subprocess.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { PageClient } from "./page_client.ts";
import { until } from "../../support/until.ts";

/** The first line of the answer to a request whose headers are written by hand, as no browser would send them. */
async function answer(url: string, path: string, headers: Record<string, string>, method = "GET"): Promise<string> {
  using socket = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  const lines = Object.entries({ connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  await socket.write(new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  const bytes = new Uint8Array(4096), count = await socket.read(bytes);
  return new TextDecoder().decode(bytes.subarray(0, count ?? 0)).split("\r\n")[0];
}

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": btoa("0123456789abcdef"),
  "sec-websocket-version": "13",
};

Deno.test("the viewer's server answers its own page and programs only", async () => {
  await using viewer = webViewer();
  const { host, port, origin } = new URL(viewer.url);
  assertEquals(await answer(viewer.url, "/", { host }), "HTTP/1.1 200 OK");
  assertEquals(await answer(viewer.url, "/", { host: `localhost:${port}` }), "HTTP/1.1 200 OK");
  assertEquals(await answer(viewer.url, "/", { host: `evil.example:${port}` }), "HTTP/1.1 403 Forbidden");
  assertEquals(await answer(viewer.url, "/live", { host, ...UPGRADE, origin }), "HTTP/1.1 101 Switching Protocols");
  for (const origin of ["http://evil.example", "null", `https://${host}`, `http://127.0.0.1:${Number(port) + 1}`]) {
    assertEquals(await answer(viewer.url, "/live", { host, ...UPGRADE, origin }), "HTTP/1.1 403 Forbidden", origin);
  }
  const rebound = { host: `evil.example:${port}`, origin: `http://evil.example:${port}` };
  assertEquals(await answer(viewer.url, "/live", { ...UPGRADE, ...rebound }), "HTTP/1.1 403 Forbidden");
});

Deno.test("the viewer's server has three files and nothing else", async () => {
  await using viewer = webViewer();
  const get = async (path: string) => {
    const response = await fetch(new URL(path, viewer.url));
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
  assertStringIncludes(`${await get("/")}`, "200,text/html; charset=utf-8,<!doctype html>");
  assertStringIncludes(`${await get("/page.css")}`, "200,text/css");
  assertStringIncludes(`${await get("/page.js")}`, "200,text/javascript");
  const { host } = new URL(viewer.url);
  for (const path of ["/page", "/../deno.json", "/..%2fdeno.json", "/constructor", "/page/page.js", "//etc/passwd"]) {
    assertEquals(await answer(viewer.url, path, { host }), "HTTP/1.1 404 Not Found", path);
  }
  for (const host of ["127.0.0.1:99999", "127.0.0.1:x", "[::1", " ", "127.0.0.1@evil.example"]) {
    const line = await answer(viewer.url, "/", { host });
    assert(/^HTTP.1.1 (400|403|404)/.test(line), `${host}: ${line}`);
  }
  assertEquals((await get("/live"))[0], 426);
  assertEquals(
    await answer(viewer.url, "/", { host, "content-length": "0" }, "POST"),
    "HTTP/1.1 405 Method Not Allowed",
  );
});

Deno.test("the viewer's server ends a connection that talks nonsense", async () => {
  await using viewer = webViewer();
  for (const nonsense of ["", "{", "[]", "null", `{"type":"ack"}`, `{"type":"step","window":"1"}`, "x".repeat(2000)]) {
    const page = await PageClient.connect(viewer.url);
    page.tell(nonsense);
    assertEquals((await page.closed).code, 1008, nonsense.slice(0, 20));
  }
  await using page = await PageClient.connect(viewer.url);
  page.tell({ type: "step", window: 99 }); // a window that has gone since
  page.ack(); // nothing to acknowledge
  assertEquals((await page.next("hello")).windows, []);
});

Deno.test("isTrusted() knows a server that others may reach by its addresses and its name", () => {
  const asked = (host: string, origin?: string) =>
    isTrusted(new Headers({ host, ...(origin === undefined ? {} : { origin }) }), "box.local");
  assert(asked("box.local:8000", "http://box.local:8000"));
  assert(asked("192.168.1.5:8000"));
  assert(asked("[fd00::1]:8000"));
  assert(asked("127.0.0.1:8000"));
  assert(!asked("other.example:8000"));
  assert(!asked("192.168.1.5:8000", "http://192.168.1.6:8000"));
  assert(!isTrusted(new Headers({ host: "192.168.1.5" }), "127.0.0.1"));
  assert(!isTrusted(new Headers({ host: "127.0.0.1.evil.example" }), "127.0.0.1"));
});

Deno.test("readMessage() reads what the page says and never throws", () => {
  assertEquals(readMessage(`{"type":"pause","window":3,"more":1}`), { type: "pause", window: 3 });
  assertEquals(readMessage(`{"type":"ack","shown":1.5}`), { type: "ack", shown: 1.5 });
  assertEquals(readMessage(new ArrayBuffer(4)), undefined);
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
    const message = readMessage(text);
    assert(message === undefined || ["ack", "pause", "resume", "step"].includes(message.type));
  }));
});

Deno.test("webViewer() needs the network of this machine and nothing else", () => {
  const program = decodeURIComponent(new URL("programs/serve.ts", import.meta.url).pathname);
  const deno = (...flags: string[]) => run(Deno.execPath(), ["run", "--no-prompt", "--no-config", ...flags, program]);
  const { code, output } = deno("--allow-net=127.0.0.1");
  assertEquals([code, output.trim()], [0, "<!doctype html>"]);
  assertStringIncludes(deno().output, "Cannot serve the viewer at 127.0.0.1:0: give --allow-net=127.0.0.1");
});

Deno.test("webViewer() opens its page in the desktop's browser when asked to", () =>
  withFolderAsync(async (folder) => {
    const note = `${folder}/opened`, path = Deno.env.get("PATH");
    Deno.writeTextFileSync(`${folder}/xdg-open`, `#!/bin/sh\necho "$1" > ${note}.new; mv ${note}.new ${note}\n`, {
      mode: 0o755,
    });
    Deno.env.set("PATH", `${folder}:${path}`);
    try {
      await using viewer = webViewer({ open: true });
      const opened = () => Deno.readTextFileSync(note).trim();
      await until("the page is opened", () => [...Deno.readDirSync(folder)].some(({ name }) => name === "opened"));
      assertEquals(opened(), viewer.url);
      Deno.env.set("PATH", `${folder}/none`);
      const said: string[] = [];
      await using other = webViewer({ open: true, log: (message) => said.push(message) });
      assertEquals(said, [`Cannot open ${other.url} in a browser: there is no xdg-open, or open it yourself`]);
    } finally {
      Deno.env.set("PATH", path!);
    }
  }));
