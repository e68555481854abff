import { assertEquals } from "@std/assert";

Deno.test("the generated types accept what people write and refuse their mistakes", () => {
  const path = new URL("user_code.ts", import.meta.url).pathname;
  const { code, stderr } = new Deno.Command(Deno.execPath(), { args: ["check", path], env: { NO_COLOR: "1" } }).outputSync();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
});
