import { assertEquals } from "@std/assert";
import { SEVERITY, tell } from "../../../../loader/terminator/android/messages.ts";
import { AndroidDriverFixture, NEEDS_DRIVER } from "./fixture.ts";

const fixture = new AndroidDriverFixture("");

/** The message that a listener for these messages gets to hear of one. */
function heard(flags: number, severity: number, text: string): string {
  return fixture.holding(() => {
    const listener = { flags, callback: fixture.address("android_listener"), userData: 0x70n };
    tell([listener, { ...listener, callback: 0n }], { severity, type: "device", object: 5n, text });
    return fixture.told();
  });
}

Deno.test("tell() tells listeners what they want to hear", NEEDS_DRIVER, () => {
  assertEquals(heard(SEVERITY.error | SEVERITY.warning, SEVERITY.warning, "hello"), "2 3 vulkan hello 0x70");
  assertEquals(heard(SEVERITY.error, SEVERITY.warning, "hello"), "");
});

Deno.test("tell() cuts a message to 1023 bytes", NEEDS_DRIVER, () => {
  const text = (length: number) => heard(SEVERITY.error, SEVERITY.error, "x".repeat(length)).split(" ")[3];
  assertEquals([10, 1023, 1024, 1800].map((length) => text(length).length), [10, 1023, 1023, 1023]);
});
