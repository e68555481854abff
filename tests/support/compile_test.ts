import { assertEquals, assertNotEquals } from "@std/assert";
import { CACHE } from "../../tools/setup/parts.ts";
import { compileC, compileFixture } from "./compile.ts";
import { needs } from "./require.ts";
import { withFolder } from "./temporary.ts";

const NEEDS = needs("C compiler (cc)", compileFixture("plain_layer"));

Deno.test(
  "compileC() compiles anew when a text, a header or a flag changes, not when a file is written again",
  NEEDS,
  () =>
    withFolder((folder) => {
      const name = `compile_test_${Deno.pid}`, source = new URL(`file://${folder}/${name}.c`);
      const write = (file: string, text: string) => Deno.writeTextFileSync(`${folder}/${file}`, text);
      const inode = (...flags: string[]) => Deno.statSync(compileC(source, flags)!).ino;
      try {
        write(`${name}.c`, '#include "number.h"\nint number(void) { return NUMBER; }\n');
        write("number.h", "#define NUMBER 1\n");
        const first = inode();
        write("number.h", "#define NUMBER 1\n");
        assertEquals(inode(), first);
        write("number.h", "#define NUMBER 2\n");
        const second = inode();
        assertNotEquals(second, first);
        assertNotEquals(inode("-DOTHER"), second);
      } finally {
        const compiled = `${CACHE}/fixtures/${Deno.build.arch}/${name}.so`;
        for (const path of [compiled, `${compiled}.key`]) Deno.removeSync(path);
      }
    }),
);
