import { assert, assertFalse, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { DriverError, loadVulkan } from "../../loader/mod.ts";

Deno.test("an error of loadVulkan() that is printed shows the caller's line, and leaves out what the message has", () => {
  const error = assertThrows(() => loadVulkan({ driver: "/nowhere.so" }));
  assertInstanceOf(error, DriverError);
  assert(error.findings.length > 0);
  const printed = Deno.inspect(error);
  assertStringIncludes(printed.split("[cause]")[0], import.meta.url);
  for (const name of ["findings", "sentence", "codeName"]) assertFalse(printed.includes(`${name}:`), printed);
});
