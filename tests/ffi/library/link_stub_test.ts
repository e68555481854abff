import { assertEquals, assertThrows } from "@std/assert";
import { writeElf } from "../../../ffi/asm/elf.ts";
import { inspectElf } from "../../../ffi/library/elf_file.ts";
import { NativeError } from "../../../ffi/error.ts";
import { Library } from "../../../ffi/library/library.ts";
import { linkStub } from "../../../ffi/library/link_stub.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { EMITTERS } from "../../../tools/generate/images.ts";
import { withFolder } from "../../support/temporary.ts";

Deno.test("linkStub() writes a library whose functions return 0", () => {
  withFolder((folder) => {
    Deno.writeFileSync(`${folder}/stub.so`, linkStub("libstub.so", ["first", "second"]));
    using library = Library.open(`${folder}/stub.so`);
    for (const name of ["first", "second"]) assertEquals(invokeAddress(library.require(name), "q:qq", [3n, 4n]), 0n);
    assertEquals(library.find("third"), 0n);
  });
});

Deno.test("linkStub() writes for either machine, and no other", () => {
  withFolder((folder) => {
    const other = Deno.build.arch === "x86_64" ? "aarch64" : "x86_64";
    Deno.writeFileSync(`${folder}/stub.so`, linkStub("libstub.so", ["first"], other));
    assertEquals(assertThrows(() => inspectElf(`${folder}/stub.so`), NativeError).code, "wrong-machine");
    assertThrows(() => linkStub("libstub.so", [], "riscv64"), TypeError, "riscv64");
  });
});

Deno.test("linkStub() writes the function that the assembler of either machine writes", () => {
  for (const [arch, emitter] of Object.entries(EMITTERS)) {
    const { code, nothing } = emitter();
    nothing("first");
    code.reserve();
    const written = linkStub("libstub.so", ["first"], arch), wanted = writeElf(code, "libstub.so").bytes;
    assertEquals([written.length, written.every((byte, at) => byte === wanted[at])], [wanted.length, true], arch);
  }
});
