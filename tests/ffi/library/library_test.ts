import { assertEquals, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { NativeError } from "../../../ffi/error.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { Library, openLibrary, prepareQuietLibraries, withCString } from "../../../ffi/library/library.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { fixturePath, NEEDS_FIXTURE } from "../fixture.ts";

Deno.test("Library.open() opens a path and finds what it exports", NEEDS_FIXTURE, () => {
  using library = Library.open(fixturePath()!);
  assertEquals(library.path, fixturePath());
  assertEquals(invokeAddress(library.require("one"), "q:q", [1n]), 2n);
  assertEquals(library.find("absent"), 0n);
  const error = assertThrows(() => library.require("absent"), NativeError, 'Cannot find "absent" in');
  assertEquals([error.code, error.path], ["missing-symbol", fixturePath()]);
});

Deno.test("Library.open() opens a name the dynamic linker knows", () => {
  using library = Library.open("libc.so.6");
  assertNotEquals(library.find("abs"), 0n);
});

Deno.test("openLibrary() refuses a pipe, inside callbacks, too, where the dynamic linker would wait for a writer", () => {
  prepareQuietLibraries();
  withFolder((folder) => {
    const pipe = `${folder}/pipe.so`;
    const make = (path: bigint) => invokeAddress(libcAddress("mkfifo"), "s:qw", [path, 0o600]);
    assertEquals(withCString(pipe, make), 0);
    for (const quiet of [false, true]) {
      for (const path of [pipe, "/dev/zero"]) {
        const error = assertThrows(() => openLibrary(path, quiet), NativeError, "no regular file");
        assertEquals([error.code, error.path], ["not-a-file", path]);
      }
      assertThrows(() => openLibrary(folder, quiet), NativeError);
      openLibrary("libc.so.6", quiet).close();
    }
  });
});

Deno.test("Library.open() leaves $LIB in a path to the dynamic linker", NEEDS_FIXTURE, () => {
  withFolder((folder) => {
    for (const lib of [`lib/${Deno.build.arch}-linux-gnu`, "lib64", "lib"]) { // Debian's, Fedora's, Arch's
      Deno.mkdirSync(`${folder}/${lib}`, { recursive: true });
      Deno.copyFileSync(fixturePath()!, `${folder}/${lib}/one.so`);
    }
    for (const token of ["$LIB", "${LIB}"]) {
      using library = Library.open(`${folder}/${token}/one.so`);
      assertEquals(invokeAddress(library.require("one"), "q:q", [1n]), 2n);
    }
    assertThrows(() => Library.open(`${folder}/$LIB/none.so`), NativeError, "cannot open shared object file");
    assertThrows(() => Library.open(`${folder}/$LIBRARY/one.so`), NativeError, "no such file");
  });
});

Deno.test("Library.open() throws the dynamic linker's words when it refuses", () => {
  const error = assertThrows(
    () => Library.open("libno-such-library.so"),
    NativeError,
    "cannot open shared object file",
  );
  assertEquals([error.code, error.path], ["load-failed", "libno-such-library.so"]);
});

Deno.test("Library throws when used after close(), and close() twice is harmless", NEEDS_FIXTURE, () => {
  const library = Library.open(fixturePath()!);
  library.close();
  library.close();
  const error = assertThrows(() => library.find("one"), NativeError, "it is closed");
  assertEquals(error.code, "closed");
});

Deno.test("Library.open() says what to do where there is no room for a library's data of threads", {
  ignore: needs("C compiler", compileFixture("thread_data")).ignore,
}, () => {
  const error = assertThrows(() => Library.open(compileFixture("thread_data")!), NativeError, "static TLS block");
  assertStringIncludes(error.message, "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=");
});
