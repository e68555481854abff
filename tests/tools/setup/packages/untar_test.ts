import { assertEquals, assertThrows } from "@std/assert";
import { untar } from "../../../../tools/setup/packages/untar.ts";

function header(name: string, size: number, type = "0", prefix = ""): Uint8Array {
  const block = new Uint8Array(512);
  const put = (at: number, text: string) => block.set(new TextEncoder().encode(text), at);
  put(0, name);
  put(124, size.toString(8).padStart(11, "0"));
  put(156, type);
  put(345, prefix);
  return block;
}

function archive(...parts: Uint8Array[]): Uint8Array {
  const padded = parts.map((part) => {
    const block = new Uint8Array(Math.ceil(part.length / 512) * 512);
    block.set(part);
    return block;
  });
  return new Uint8Array(padded.concat(new Uint8Array(1024)).flatMap((part) => [...part]));
}

Deno.test("untar() yields regular files with their bytes", () => {
  const bytes = archive(header("./a.so", 3), new Uint8Array([1, 2, 3]), header("empty", 0));
  assertEquals(
    [...untar(bytes)].map((entry) => [entry.name, [...entry.bytes]]),
    [["a.so", [1, 2, 3]], ["empty", []]],
  );
});

Deno.test("untar() passes over folders and joins long names", () => {
  const bytes = archive(header("folder/", 0, "5"), header("b", 0, "0", "long/prefix"));
  assertEquals([...untar(bytes)].map((entry) => entry.name), ["long/prefix/b"]);
});

Deno.test("untar() refuses an archive that ends inside a file", () => {
  const cut = archive(header("a.so", 4096)).subarray(0, 1024);
  assertThrows(() => [...untar(cut)], RangeError, `Cannot unpack "a.so": 4096 bytes expected, 512 left`);
});
