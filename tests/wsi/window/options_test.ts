import { assertMatch, assertThrows } from "@std/assert";
import { NativeWindow } from "../../../wsi/mod.ts";
import { gpuTest } from "../../../workbench/runs/testing/mod.ts";

Deno.test("NativeWindow refuses invalid options, and says what to give", () => {
  const rows: [unknown, RegExp][] = [
    [undefined, /Cannot use undefined as the options of NativeWindow: give an object/],
    [{ widht: 64, height: 64 }, /option "widht" of NativeWindow.*did you mean "width"\?/],
    [{ width: "64", height: 64 }, /Cannot use "64" as option "width"/],
    [{ width: 64, height: 64, consumer: 5 }, /option "consumer".*pngConsumer/],
    [{ width: 64, height: 64, log: "stderr" }, /give a function/],
  ];
  for (const [options, said] of rows) {
    assertMatch(assertThrows(() => new NativeWindow(options as never), TypeError).message, said);
  }
});

Deno.test("gpuTest() refuses invalid options before it notes a test", () => {
  const rows: [unknown, RegExp][] = [
    [{ extentions: [] }, /option "extentions" of gpuTest\(\).*did you mean "extensions"\?/],
    [{ extensions: "VK_KHR_x" }, /option "extensions".*give a list of names/],
    [{ budget: { gpus: 5 } }, /option "gpus" of a budget.*did you mean "gpu"\?/],
    [{ tolerance: { channel: "2" } }, /option "channel" of a tolerance.*give a number/],
    [{ timeout: null }, /option "timeout".*give a number/],
  ];
  for (const [options, said] of rows) {
    assertMatch(assertThrows(() => gpuTest("never", options as never, () => {}), TypeError).message, said);
  }
});
