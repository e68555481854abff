import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import fc from "fast-check";
import { encodePng } from "../../../wsi/consumer/png_file.ts";

Deno.test("encodePng() writes what another library reads, in 8 and 16 bits", () => {
  const size = fc.integer({ min: 1, max: 40 });
  fc.assert(fc.property(size, size, fc.integer(), fc.boolean(), (width, height, seed, isDeep) => {
    const data = new (isDeep ? Uint16Array : Uint8Array)(4 * width * height);
    for (let at = 0; at < data.length; at++) data[at] = Math.imul(seed + at, 0x9e3779b1) >>> (seed & 15);
    const picture = decode(encodePng({ width, height, data }), { checkCrc: true });
    assertEquals([picture.width, picture.height, picture.depth], [width, height, isDeep ? 16 : 8]);
    assertEquals(picture.data, data);
  }));
});

Deno.test("encodePng() makes small files of smooth pictures", () => {
  const width = 256, height = 256, data = new Uint8Array(4 * width * height);
  for (let at = 0; at < data.length; at += 4) data.set([at / 4 % width, at / 4 / width, 99, 255], at);
  assert(encodePng({ width, height, data }).length < 3000); // of 262,144 bytes
});
