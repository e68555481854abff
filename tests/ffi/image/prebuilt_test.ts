import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { createLookup } from "../../../ffi/functions/lookup.ts";
import { joinBytes } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { inspectElf } from "../../../ffi/library/elf_file.ts";
import { fromBase64, prebuiltFile } from "../../../ffi/image/prebuilt.ts";
import { NativeError } from "../../../ffi/error.ts";
import { uniqueName } from "../../../ffi/image/image.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import * as x64Images from "../../../ffi/gen/images_x86_64_gen.js";
import * as a64Images from "../../../ffi/gen/images_aarch64_gen.js";
import { SONAME } from "../../../ffi/emit/layout.ts";
import { generateImages } from "../../../tools/generate/images.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";

const ROOT = new URL("../../../", import.meta.url);

Deno.test("the images made beforehand are what the assemblers write now, for both processors", () => {
  const files = generateImages();
  assertEquals([...files.keys()], ["ffi/gen/images_x86_64_gen.js", "ffi/gen/images_aarch64_gen.js"]);
  for (const [path, text] of files) {
    assertEquals(Deno.readTextFileSync(new URL(path, ROOT)) === text, true, `${path}: run deno task generate --images`);
  }
});

Deno.test("an image made beforehand is a whole shared object under a soname of its own", () => {
  withFolder((folder) => {
    for (const [images, machine] of [[x64Images, "x86_64"], [a64Images, "aarch64"]] as const) {
      const soname = uniqueName();
      assertEquals(soname.length, SONAME.length);
      assertNotEquals(soname, uniqueName());
      for (const image of [images.CORE, images.POOL]) {
        const { head, tail, tailAt } = prebuiltFile(image, soname), text = new TextDecoder("latin1").decode(head);
        assertEquals([text.includes(soname), text.includes(SONAME)], [true, false]);
        const zeros = new Uint8Array(tailAt - head.length);
        Deno.writeFileSync(`${folder}/image.so`, joinBytes([head, zeros, tail]));
        if (machine === Deno.build.arch) inspectElf(`${folder}/image.so`);
      }
    }
  });
});

Deno.test("callbacks and lookup functions beyond those of the first image keep apart", () => {
  const thunks = Array.from({ length: 150 }, (_, index) => createThunk("q:q", (value) => value + BigInt(index)));
  const lookups = Array.from({ length: 40 }, (_, index) => createLookup([["name", BigInt(index + 1)]]));
  try {
    const sums = thunks.map(({ address }) => invokeAddress(address, "q:q", [1000n]));
    assertEquals(sums, thunks.map((_, index) => 1000n + BigInt(index)));
    assertEquals(new Set([...thunks, ...lookups].map(({ address }) => address)).size, 190);
  } finally {
    for (const each of [...thunks, ...lookups]) each.free();
  }
});

Deno.test("without the assembler, stubs that no image has are slower and right", () => {
  const { code, output } = runProgram("tests/ffi/image/without_assembler.ts", []);
  assertEquals([code, output.trim()], [0, "true 20n 20n"]);
});

Deno.test("fromBase64() says on a Deno that is too old which one to take", () => {
  assertEquals([...fromBase64("AQID")], [1, 2, 3]);
  const { fromBase64: own } = Uint8Array;
  try {
    Reflect.deleteProperty(Uint8Array, "fromBase64");
    const { code } = assertThrows(() => fromBase64("AQID"), NativeError, "needs Deno 2.5 or newer; run");
    assertEquals(code, "unsupported");
  } finally {
    Uint8Array.fromBase64 = own;
  }
});
