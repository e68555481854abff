import { assertEquals, assertThrows } from "@std/assert";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  apiRecording,
  readRecording,
  type RecordedLine,
  RecordingError,
  writeRecording,
} from "../../../../workbench/layers.ts";
import { recordingInfo } from "../../../../workbench/recordings/mod.ts";
import { withScripted } from "../../../loader/layers/shipped/scripted.ts";
import { withFolder } from "../../../support/temporary.ts";

/** Lines with texts that no packing makes short, so that the file has several members. */
const LINES: readonly RecordedLine[] = Array.from({ length: 3000 }, (_, index) => ({
  command: "vkCmdDraw",
  args: { commandBuffer: "VkCommandBuffer#1", vertexCount: index, note: `é${Math.sin(index)}` },
}));
const NO_DATA = () => new Uint8Array();

/** Uses the paths of a recording and of the same, packed. */
function both<T>(use: (plain: string, packed: string) => T): T {
  return withFolder((folder) => {
    const plain = `${folder}/a.jsonl`, packed = `${folder}/b.jsonl.gz`;
    for (const path of [plain, packed]) writeRecording(path, { lines: [...LINES], data: NO_DATA });
    return use(plain, packed);
  });
}

Deno.test("writeRecording() packs a file with .gz, which gunzip reads, and so does readRecording()", () =>
  both((plain, packed) => {
    const bytes = Deno.readFileSync(packed), text = Deno.readTextFileSync(plain);
    assertEquals(new TextDecoder().decode(gunzipSync(bytes)), text);
    assertEquals(bytes.length < text.length / 3, true, `${bytes.length} of ${text.length} bytes`);
    assertEquals(readRecording(packed).lines, LINES);
    assertEquals([...Deno.readDirSync(plain.replace("/a.jsonl", ""))].map(({ name }) => name).sort(), [
      ...["a.jsonl", "a.jsonl.data", "b.jsonl.data", "b.jsonl.gz"],
    ]);
  }));

Deno.test("readRecording() reads what gzip made of a recording, and its data beside", () =>
  withFolder((folder) => {
    const path = `${folder}/a.jsonl`, content = Uint8Array.from({ length: 200 }, (_, index) => index);
    writeRecording(path, { lines: [{ write: "VkDeviceMemory#1", offset: 0, content }], data: NO_DATA });
    Deno.writeFileSync(`${path}.gz`, gzipSync(Deno.readFileSync(path)));
    const { lines: [line], data } = readRecording(`${path}.gz`);
    assertEquals(data((line as { content: { data: string } }).content.data), content);
  }));

Deno.test("a packed recording that was cut has its beginning, and one that was changed is refused", () =>
  both((_, packed) => {
    const bytes = Deno.readFileSync(packed);
    Deno.writeFileSync(packed, bytes.subarray(0, bytes.length - 10));
    assertThrows(() => readRecording(packed), RecordingError, "it was cut");
    const { lines } = readRecording(packed, { unsealed: true });
    assertEquals(lines, LINES.slice(0, lines.length));
    assertEquals([lines.length > 0, lines.length < LINES.length], [true, true]);
    assertEquals(recordingInfo(packed).state, "cut off");
    Deno.writeFileSync(packed, bytes.with(1000, bytes[1000] ^ 0xff));
    assertThrows(() => readRecording(packed), RecordingError, "its packed bytes were changed");
  }));

Deno.test("apiRecording() packs a file with .gz at its end, and an unpacked one of that name can be read before", () =>
  withFolder((folder) => {
    const path = `${folder}/a.jsonl.gz`;
    using recording = apiRecording({ path });
    withScripted([recording.layer], ({ device }) => device.vkDeviceWaitIdle());
    const begun = readRecording(path, { unsealed: true }).lines;
    recording.close();
    assertEquals(recording.error, undefined);
    assertEquals(readRecording(path).lines, begun);
    assertEquals(Deno.readFileSync(path)[0], 0x1f);
    assertEquals(begun.some((line) => "command" in line && line.command === "vkDeviceWaitIdle"), true);
  }));
