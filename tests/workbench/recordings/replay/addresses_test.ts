import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { trimRecording, verifyRecording } from "../../../../workbench/recordings/mod.ts";
import {
  readRecording,
  type RecordedCall,
  type RecordedLine,
  RecordingError,
  replayRecording,
  writeRecording,
} from "../../../../workbench/layers.ts";
import { defineLayer, type Layer } from "../../../../loader/mod.ts";
import { Addresses, isAddress } from "../../../../workbench/recordings/replay/addresses.ts";
import { lavapipePath, shaderTools, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { expected, recordAddressing, TABLE, type Way } from "./addressing.ts";

const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;

/** Notes the addresses that the driver gives out. */
function noting(): { layer: Layer; given: string[] } {
  const given: string[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_noting",
    commands: {
      vkGetBufferDeviceAddress(next, device, pInfo) {
        const address = next(device, pInfo);
        given.push(`${address}`);
        return address;
      },
    },
  });
  return { layer, given };
}

const asks = (line: RecordedLine): line is RecordedCall =>
  "command" in line && line.command.startsWith("vkGetBufferDeviceAddress");

/** Whether each write to the second address of the table has the whole address, although one byte of it is new. */
function wholeWrites(path: string): boolean {
  const start = TABLE + 8, end = start + 8, { lines, data } = readRecording(path);
  const found = lines.flatMap((line) => {
    if (!("write" in line)) return [];
    const content = line.content as { bytes?: string; data?: string };
    const size = content.bytes ? content.bytes.length / 2 : data(content.data!).length;
    return line.offset < end && line.offset + size > start ? [{ from: line.offset, to: line.offset + size }] : [];
  });
  return found.length === 2 && found.every(({ from, to }) => from <= start && to >= end);
}

for (const [name, driver] of DRIVERS) {
  const ignore = needs(name, driver).ignore || needs("shader tools", shaderTools()).ignore;
  for (const way of ["host", "update", "copy"] as Way[]) {
    Deno.test(
      `replayRecording() puts addresses of this device into push constants and a table, by ${way}, on ${name}`,
      {
        ignore,
      },
      () =>
        withFolder((folder) => {
          const path = `${folder}/addresses.jsonl`;
          recordAddressing(path, { driver }, way, (read) => {
            assertEquals(read, [expected(64), expected(128)]);
            const recorded = readRecording(path).lines.filter(asks).map(({ result }) => result);
            if (way === "host") assertEquals(wholeWrites(path), true);
            const { layer, given } = noting(), reads = new Map<string, string[]>();
            replayRecording({ driver, layers: [layer] }, path, {
              onRead({ buffer, recorded, replayed }) {
                assertEquals(replayed, recorded); // the table, too, into which the shader wrote an address
                reads.set(buffer, [
                  ...reads.get(buffer) ?? [],
                  `${new Uint32Array(replayed!.slice().buffer).slice(0, 16)}`,
                ]);
              },
            });
            // The recorded program still has its memory.
            assertEquals(given.length, 3);
            given.forEach((address, index) => assertNotEquals(address, recorded[index]));
            assertEquals(reads.get("VkBuffer#3"), read.map((each) => each.join()));
            const { reads: count, differences } = verifyRecording({ driver }, path);
            assertEquals([count > 2, differences], [true, []]);
            const { recording } = trimRecording({ driver }, path, { from: 2, to: 2 });
            writeRecording(`${folder}/part.jsonl`, recording);
            const part = verifyRecording({ driver }, `${folder}/part.jsonl`);
            assertEquals([part.reads > 0, part.differences], [true, []]);
          });
        }),
    );
  }
}

Deno.test("replayRecording() refuses an address of nothing that lives, and recordings that do not say addresses", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("shader tools", shaderTools()).ignore,
}, () =>
  withFolder((folder) => {
    const path = `${folder}/addresses.jsonl`, driver = lavapipePath()!;
    recordAddressing(path, { driver }, "host", () => {});
    const { lines, data } = readRecording(path), index = lines.findIndex(asks);
    const replay = (changed: RecordedLine[]) => replayRecording({ driver }, { lines: changed, data });
    const { result: _, ...mute } = lines[index] as RecordedCall;
    const why = assertThrows(() => replay(lines.with(index, mute)), RecordingError).message;
    assertEquals(
      why.includes(`line ${index + 2}, vkGetBufferDeviceAddress: the recording does not say which`),
      true,
      why,
    );
    const dispatch = lines.findIndex((line) => "command" in line && line.command === "vkCmdDispatch");
    const { commandBuffer } = (lines[dispatch] as RecordedCall).args;
    const command = "vkCmdBindDescriptorBuffersEXT", args = { commandBuffer, pBindingInfos: [{ address: "5" }] };
    const told = assertThrows(() => replay(lines.toSpliced(dispatch, 0, { command, args })), RecordingError).message;
    assertEquals(told.includes(`line ${dispatch + 2}, ${command}: the address 0x5 is in no buffer`), true, told);
  }));

Deno.test("Addresses finds addresses by value in live ranges, whole or not at all, and brings them back", () => {
  const addresses = new Addresses(),
    at = (bytes: Uint8Array, offset: number) => new DataView(bytes.buffer).getBigUint64(offset, true);
  addresses.add("A", 0x7f00_0000_1000n, 0x100n, 0x1_2000n);
  addresses.add("B", 0x7f00_0000_1100n, 0x10n, 0x9_0000n);
  const bytes = new Uint8Array(64), view = new DataView(bytes.buffer);
  const placed = [[0, 0x7f00_0000_1000n], [12, 0x7f00_0000_10ffn], [24, 0x7f00_0000_1100n], [
    40,
    0x7f00_0000_1110n,
  ]] as const;
  for (const [offset, value] of placed) view.setBigUint64(offset, value, true);
  const moved = addresses.contents(bytes);
  assertEquals(placed.map(([offset]) => at(moved, offset)), [0x1_2000n, 0x1_20ffn, 0x9_0000n, 0x7f00_0000_1110n]);
  assertEquals(addresses.recorded(moved), bytes);
  // Bytes that begin elsewhere in memory: multiples of four count there.
  const shifted = bytes.slice(2);
  assertEquals(addresses.contents(shifted, 2).slice(10, 18), moved.slice(12, 20));
  assertEquals(addresses.contents(shifted, 0), shifted);
  assertEquals([addresses.address(0n), addresses.address(0x7f00_0000_1110n)], [0n, 0x9_0010n]);
  addresses.forget("B");
  assertEquals(addresses.address(0x7f00_0000_1100n), 0x1_2100n);
  assertThrows(() => addresses.address(0x7f00_0000_1101n), TypeError, "0x7f0000001101");
});

Deno.test("isAddress() knows every VkDeviceAddress that a struct or command of the registry takes", () => {
  const text = Deno.readTextFileSync(new URL("../../../../loader/gen/structs_gen.js", import.meta.url));
  assertEquals(["deviceAddress", "address", "opaqueCaptureAddress", "size", "offset"].map(isAddress), [
    true,
    true,
    false,
    false,
    false,
  ]);
  const named = [...text.matchAll(/ (\w*[aA]ddress(?:es)?):\**u64/g)].map(([, name]) => name);
  assertEquals([...new Set(named)].filter((name) => !isAddress(name)), ["opaqueCaptureAddress"]);
});
