import { assertEquals } from "@std/assert";

/** Type-checks a file beside this one. */
function check(file: string): void {
  const path = new URL(file, import.meta.url).pathname, env = { NO_COLOR: "1" };
  const { code, stderr } = new Deno.Command(Deno.execPath(), { args: ["check", path], env }).outputSync();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}

Deno.test("the generated types accept what people write and refuse their mistakes", () => check("user_code.ts"));

Deno.test("every struct can be written as it was read, and with each of its members changed", () =>
  check("written_structs.ts"));
