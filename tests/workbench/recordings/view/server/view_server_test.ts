import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import { serveRecording } from "../../../../../workbench/recordings/view/server/view_server.ts";
import { lavapipePath } from "../../../../../tools/setup/parts.ts";
import { recordDemo } from "../../replay/recorded.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { MARKUP, writeHostile } from "./hostile.ts";

/** Serves a recording that needs no driver. */
async function withHostile(use: (url: string, path: string) => Promise<void>): Promise<void> {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/hostile.jsonl`;
    writeHostile(path, 25, [MARKUP]);
    await using recording = openRecording(path);
    const server = serveRecording(recording, { recording: path, drivers: [] });
    await use(server.url, path).finally(() => server.close());
  });
}

/** The first line of the answer to a request whose headers are written by hand, as no browser would send them. */
async function answer(url: string, path: string, headers: Record<string, string>, method = "GET"): Promise<string> {
  using socket = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  const lines = Object.entries({ connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  await socket.write(new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  const bytes = new Uint8Array(4096), count = await socket.read(bytes);
  return new TextDecoder().decode(bytes.subarray(0, count ?? 0)).split("\r\n")[0];
}

Deno.test("the page of a recording is for who knows the key, on this machine, by its own address", async () => {
  await withHostile(async (url) => {
    const { host, pathname: key, port } = new URL(url);
    assert(/^\/[0-9a-f]{32}\/$/.test(key), key);
    assertEquals(await answer(url, key, { host }), "HTTP/1.1 200 OK");
    const wrong = key.replace(/[0-9a-f]/, (digit) => digit === "0" ? "1" : "0");
    for (
      const path of [
        "/",
        "/ask/about",
        wrong,
        `${wrong}ask/about`,
        key.slice(0, -1),
        `/x${key}`,
      ]
    ) {
      assertEquals(await answer(url, path, { host }), "HTTP/1.1 403 Forbidden", path);
    }
    for (const name of [`evil.example:${port}`, "evil.example"]) {
      assertEquals(await answer(url, `${key}ask/about`, { host: name }), "HTTP/1.1 403 Forbidden", name);
    }
    const foreign = { host, origin: "http://evil.example" };
    assertEquals(await answer(url, `${key}ask/about`, foreign), "HTTP/1.1 403 Forbidden");
    assertEquals(
      await answer(url, `${key}ask/about`, { host, "content-length": "0" }, "POST"),
      "HTTP/1.1 405 Method Not Allowed",
    );
  });
  await withHostile((url) =>
    withHostile((other) => {
      assertNotEquals(new URL(url).pathname, new URL(other).pathname);
      return Promise.resolve();
    })
  );
});

Deno.test("the answers about a recording are data, which no browser takes for a page", async () => {
  await withHostile(async (url, path) => {
    const about = await fetch(`${url}ask/about`), { headers } = about;
    assertEquals(headers.get("content-type"), "application/json");
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("cache-control"), "no-store");
    assertStringIncludes(headers.get("content-security-policy")!, "default-src 'none'");
    const { recording, drivers, devices, gaps, state } = await about.json();
    assertEquals([recording, drivers, devices[0].deviceName, state], [path, [], MARKUP, "whole"]);
    assertEquals(gaps.map((each: { sentence: string }) => each.sentence), [MARKUP]);
    const table = await (await fetch(`${url}ask/events`)).json();
    const rows = table.name.map((
      name: number,
      id: number,
    ) => [table.texts[table.kind[id]], table.texts[name], table.depth[id], table.line[id]]);
    const labels = rows.filter(([kind]: [string]) => kind === "label");
    assertEquals(labels.map(([, name]: [string, string]) => name), [0, 1, 2].map((group) => `${MARKUP} ${group}`));
    assertEquals(rows.filter(([kind]: [string]) => kind === "draw").length, 25);
    const draw = table.kind.findIndex((kind: number) => table.texts[kind] === "draw");
    assertEquals(table.texts[table.brief[draw]], "vertexCount 0, instanceCount 1, firstVertex 0, firstInstance 0");
    const facts = await (await fetch(`${url}ask/event?event=${draw}`)).json();
    assertEquals(facts.parameters.slice(0, 2), [
      { name: "commandBuffer", type: "VkCommandBuffer", text: "VkCommandBuffer#1" },
      { name: "vertexCount", type: "u32", text: "0" },
    ]);
    const label = labels.length > 0 ? table.kind.findIndex((kind: number) => table.texts[kind] === "label") : 0;
    const { parameters } = await (await fetch(`${url}ask/event?event=${label}`)).json();
    assertStringIncludes(JSON.stringify(parameters), JSON.stringify(MARKUP).slice(1, -1));
  });
});

Deno.test("requests about a recording that make no sense are refused in words", async () => {
  await withHostile(async (url) => {
    const refused: [status: number, path: string, words: string][] = [
      [404, "ask/nothing", ""],
      [404, "ask/constructor", ""],
      [404, "ask/", ""],
      [404, "ask/about/more", ""],
      [404, "../deno.json", ""],
      [400, "ask/event", `"event" must be a whole number`],
      [400, "ask/event?event=-1", `"event" must be a whole number`],
      [400, "ask/event?event=1e3", `"event" must be a whole number`],
      [400, "ask/event?event=99999", `"event" must be a whole number from 0 to`],
      [400, "ask/event?event=0x1", `"event" must be a whole number`],
      [400, "ask/shader?event=1&stage=1&language=msl", `"language" must be glsl or wgsl`],
      [400, "ask/shader?event=1&language=glsl", `"stage" must be a whole number`],
      [400, "ask/shader?event=1&stage=1&language=glsl", "event 1 has no shader of stage 1"],
      [400, "ask/times", "no driver replays this recording"],
      [400, "ask/times?side=2", `"side" must be a whole number from 0 to 1`],
      [400, "ask/picture?event=1", `"piece" must be a name`],
      [400, `ask/picture?event=1&piece=${"x".repeat(300)}`, `"piece" must be a name`],
      [400, "ask/picture?event=1&piece=VkImage%231", "no driver replays this recording"],
      [400, "ask/picture?event=1&piece=VkImage%231&most=99999", `"most" must be a whole number from 0 to 4096`],
      [400, "ask/picture?event=1&piece=VkImage%231&layer=-1", `"layer" must be a whole number`],
      [400, "ask/bytes?event=1&piece=VkBuffer%231", `"size" must be a whole number`],
      [400, "ask/bytes?event=1&piece=VkBuffer%231&size=1&before=2", `"before" must be a whole number from 0 to 1`],
      [400, "ask/history?x=1&y=1", "no driver replays this recording"],
      [400, "ask/draws?event=1", "no driver replays this recording"],
      [400, "ask/outputs?event=1&draw=-1", "no driver replays this recording"],
      [400, "ask/overdraw?event=1", "no driver replays this recording"],
    ];
    for (const [status, path, words] of refused) {
      const response = await fetch(`${url}${path}`), text = await response.text();
      assertEquals([response.status, text.includes(JSON.stringify(words).slice(1, -1))], [
        status === 404 && path.startsWith("..") ? 403 : status,
        true,
      ], `${path}: ${text}`);
    }
  });
});

Deno.test(
  "pictures and bytes are those of the recording's contents",
  needs("Mesa lavapipe", lavapipePath()),
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/demo.jsonl`, driver = lavapipePath()!;
      recordDemo(path, driver);
      await using recording = openRecording(path, { drivers: [{ driver }] });
      const server = serveRecording(recording, { recording: path, drivers: [driver] });
      try {
        const get = async (name: string, members: Record<string, string | number>) => {
          const query = new URLSearchParams(Object.entries(members).map(([key, value]) => [key, `${value}`]));
          const response = await fetch(`${server.url}ask/${name}?${query}`);
          const bytes = new Uint8Array(await response.arrayBuffer());
          if (!response.ok) return { status: response.status, ...JSON.parse(new TextDecoder().decode(bytes)) };
          const size = new DataView(bytes.buffer).getUint32(0, true);
          assertEquals((4 + size) % 8, 0);
          return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size))), bytes: bytes.slice(4 + size) };
        };
        const event = recording.events.findLast(({ kind }) => kind === "draw")!.id;
        let pictures = 0, buffers = 0;
        for (const before of [0, 1]) {
          for (const { piece, bytes } of await recording.contents(event, { before: before === 1 })) {
            const place = { event, before, piece: piece.name };
            if (!piece.image) {
              const part = await get("bytes", { ...place, offset: 16, size: 1000 });
              assertEquals([part.all, part.offset], [bytes.length, 16]);
              assertEquals(part.bytes, bytes.slice(16, 1016));
              buffers++;
              continue;
            }
            const { width, height, stride, components, bytes: texels } = await get("picture", place);
            assertEquals([width, height], [piece.image.width, piece.image.height]);
            assertEquals(texels.length, width * height * stride);
            assert(components.length > 0);
            if (texels.length === bytes.length) assertEquals(texels, bytes);
            const few = await get("picture", { ...place, most: 16 });
            assert(few.width <= 16 && few.height <= 16 && few.bytes.length === few.width * few.height * stride);
            pictures++;
          }
        }
        assert(pictures >= 4 && buffers >= 4, `${pictures} pictures, ${buffers} buffers`);
        const some = recording.pieces(event).readable.find(({ image }) => image)!;
        for (
          const [members, words] of [
            [{ piece: "VkImage#999 level 0 color" }, "is not written or bound"],
            [{ piece: some.name, layer: 7 }, "has no layer 7"],
            [{ piece: some.name, sample: 9 }, "sample 9"],
            [{ piece: some.name, z: 9 }, "slice 9"],
            [{ piece: recording.pieces(event).readable.find(({ image }) => !image)!.name }, "is a buffer"],
            [{ piece: some.name, side: 1 }, "there is one driver"],
          ] as const
        ) {
          const { status, error } = await get("picture", { event, ...members });
          assertEquals([status, `${error}`.includes(words)], [400, true], `${error}`);
        }
      } finally {
        await server.close();
      }
    });
  },
);

Deno.test("a driver that cannot be loaded is told in words, and what needs no driver is still answered", async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/hostile.jsonl`, driver = `${folder}/no_driver.so`;
    writeHostile(path, 3);
    await using recording = openRecording(path, { drivers: [{ driver }] });
    const server = serveRecording(recording, { recording: path, drivers: [driver] });
    const response = await fetch(`${server.url}ask/drivers`), { error } = await response.json();
    assertEquals(response.status, 502);
    assertStringIncludes(error, "no_driver.so");
    assertEquals((await (await fetch(`${server.url}ask/about`)).json()).drivers, [driver]);
    await server.close();
  });
});
