import { assertEquals, assertRejects } from "@std/assert";
import { NativeError } from "../../ffi/error.ts";
import { fetchLibrary } from "../../ffi/fetch.ts";

const CONTENTS = new TextEncoder().encode("pumice");
const SHA256 = "5a8e5bb86b5f9cc54ce9efbb0ecf0bce5a9d3a6a65b4bf05b8e34f9f9d8a9b0e";

/** Serves the contents on loopback and hands over its address and a downloader that keeps what it fetched. */
async function withServer(use: (url: string, download: (url: string) => Promise<string>) => Promise<void>) {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url }) => url.endsWith(".so") ? new Response(CONTENTS) : new Response(null, { status: 404 }),
  );
  const folder = await Deno.makeTempDir();
  try {
    await use(`http://127.0.0.1:${server.addr.port}`, async (url) => {
      const response = await fetch(url), bytes = new Uint8Array(await response.arrayBuffer());
      if (!response.ok) throw new Error(`status ${response.status}`);
      await Deno.writeFile(`${folder}/library.so`, bytes);
      return `${folder}/library.so`;
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function hash(): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", CONTENTS)).toHex();
}

Deno.test("fetchLibrary() returns a local copy whose hash is right", async () => {
  const sha256 = await hash();
  await withServer(async (url, download) => {
    const path = await fetchLibrary(`${url}/libvulkan_x.so`, { sha256: sha256.toUpperCase(), download });
    assertEquals(await Deno.readFile(path), CONTENTS);
  });
});

Deno.test("fetchLibrary() refuses a copy whose hash is wrong", async () => {
  await withServer(async (url, download) => {
    const error = await assertRejects(
      () => fetchLibrary(`${url}/x.so`, { sha256: SHA256, download }),
      NativeError,
      SHA256,
    );
    assertEquals(error.code, "load-failed");
  });
});

Deno.test("fetchLibrary() says what went wrong with the download", async () => {
  await withServer(async (url, download) => {
    await assertRejects(() => fetchLibrary(`${url}/nothing`, { sha256: SHA256, download }), NativeError, "status 404");
  });
});

Deno.test("fetchLibrary() refuses anything but http(s)", async () => {
  await assertRejects(
    () => fetchLibrary("/usr/lib/x.so", { sha256: SHA256 }),
    NativeError,
    "give a local path directly",
  );
});
