import { assertEquals, assertMatch } from "@std/assert";
import { openRecording } from "../../../../cli/recording/recording_layer.ts";
import {
  readRecording,
  type RecordedCall,
  type RecordedLine,
  type ReplayedQueries,
  replayRecording,
  writeRecording,
} from "../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { VK_QUERY_TYPE_OCCLUSION, VK_QUERY_TYPE_TIMESTAMP } from "../../../../loader/vk.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { commandLine } from "../../../support/command_line.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";
import { hostType, makeDevice, recordFilling } from "./filling.ts";
import { recorded } from "./recorded.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const runReplay = (path: string, ...more: string[]) =>
  commandLine("replay", path, `--driver=${lavapipePath()}`, ...more);
const isCall = (line: RecordedLine, command: string): line is RecordedCall =>
  "command" in line && line.command === command;

/** Changes a recording's lines in its file. */
function rewrite(path: string, change: (lines: RecordedLine[]) => RecordedLine[]): void {
  const { lines, data } = readRecording(path);
  writeRecording(path, { lines: change(lines), data });
}

Deno.test("cli replay makes a call again within which the recorded program ended, and says so", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/killed.jsonl`, driver = lavapipePath()!;
    for (const command of ["vkQueueSubmit", "vkCreateBuffer", "vkAllocateCommandBuffers", "vkCreateInstance"]) {
      recordFilling(path, driver);
      let number = 0;
      rewrite(path, (lines) => {
        const end = lines.findIndex((line) => isCall(line, command)), { args } = lines[end] as RecordedCall;
        number = end + 2;
        return [...lines.slice(0, end), { command, args, unfinished: true }];
      });
      const { code, stdout, text } = await runReplay(path);
      assertEquals(code, 1, text);
      assertMatch(text, new RegExp(`line ${number}: the recorded program ended within this ${command}`));
      assertMatch(stdout, new RegExp(`line ${number}, ${command}, within which the recorded program ended, returned`));
    }
  });
});

Deno.test("cli replay --diff counts no memory that nothing wrote", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/stale.jsonl`, stale = new Uint8Array(64).fill(0x77);
    recordFilling(path, lavapipePath()!);
    const after = (change: (bytes: Uint8Array<ArrayBuffer>) => void) =>
      rewrite(path, (lines) =>
        lines.flatMap((line): RecordedLine[] => {
          // The program maps a second buffer, in which the device wrote four bytes only.
          if (!("read" in line)) return [line];
          const bytes = stale.slice();
          bytes.set([1, 2, 3, 4]);
          change(bytes);
          return [line, { read: "VkBuffer#2", offset: 0, content: bytes }];
        }));
    rewrite(
      path,
      (lines) => lines.flatMap((line) => isCall(line, "vkCreateCommandPool") ? [...second(), line] : [line]),
    );
    after(() => {});
    const aside = await runReplay(path, "--diff");
    assertEquals(aside.code, 0, aside.text);
    assertMatch(aside.stdout, /0 of \d+ reads have other bytes; 1 more differ only in memory that nothing wrote/);
    rewrite(path, (lines) => lines.filter((line) => !("read" in line && line.read === "VkBuffer#2")));
    after((bytes) => bytes[0] = 9);
    const other = await runReplay(path, "--diff");
    assertEquals(other.code, 1, other.text);
    assertMatch(other.stdout, /1 of \d+ reads has other bytes$/m);
  });
});

/** A buffer of 64 bytes, of which the host writes four. */
function second(): RecordedLine[] {
  const device = "VkDevice#1", buffer = "VkBuffer#2", memory = "VkDeviceMemory#2";
  const call = (command: string, args: object, out?: object) =>
    ({ command, args: { device, ...args }, ...out && { out } }) as RecordedCall;
  return [
    call("vkCreateBuffer", { pCreateInfo: { size: "64", usage: 2, sharingMode: 0 } }, { pBuffer: buffer }),
    call("vkAllocateMemory", { pAllocateInfo: { allocationSize: "64", memoryTypeIndex: 0 } }, { pMemory: memory }),
    call("vkBindBufferMemory", { buffer, memory, memoryOffset: "0" }),
    call("vkMapMemory", { memory, offset: "0", size: "64", flags: 0 }),
    { write: memory, offset: 0, content: { bytes: "01020304" } },
  ];
}

/** Records a program that counts samples, none, and takes the time. */
function recordQueries(path: string): void {
  recorded(path, { driver: lavapipePath()! }, (instance) => {
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    hostType(gpu);
    using device = makeDevice(gpu);
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
    const pools = [VK_QUERY_TYPE_OCCLUSION, VK_QUERY_TYPE_TIMESTAMP].map((queryType) =>
      device.vkCreateQueryPool({ queryType, queryCount: 1 })
    );
    commands.vkBeginCommandBuffer({});
    for (const pool of pools) commands.vkCmdResetQueryPool(pool, 0, 1);
    commands.vkCmdBeginQuery(pools[0], 0, 0);
    commands.vkCmdEndQuery(pools[0], 0);
    commands.vkCmdWriteTimestamp(1, pools[1], 0);
    commands.vkEndCommandBuffer();
    device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{ pCommandBuffers: [commands] }]);
    for (const pool of pools) device.vkGetQueryPoolResults(pool, 0, 1, 8, 8n, 3); // 64 bits, waits
    for (const pool of pools) device.vkDestroyQueryPool(pool);
    device.vkDestroyCommandPool(commandPool);
  });
}

Deno.test(
  "replayRecording() gives results of queries, and cli replay --diff compares all but timestamps",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/queries.jsonl`, seen: ReplayedQueries[] = [];
      recordQueries(path);
      replayRecording({ driver: lavapipePath()! }, path, { onQueries: (each) => seen.push(each) });
      assertEquals(seen.map(({ queryType }) => queryType), [VK_QUERY_TYPE_OCCLUSION, VK_QUERY_TYPE_TIMESTAMP]);
      assertEquals(seen[0].replayed, seen[0].recorded);
      const same = await runReplay(path, "--diff");
      assertEquals([same.code, /0 of 1 reads/.test(same.stdout)], [0, true], same.text);
      rewrite(path, (lines) => {
        const found = lines.find((line) => isCall(line, "vkGetQueryPoolResults")) as RecordedCall;
        found.out!.pData = { bytes: "0100000000000000" };
        return lines;
      });
      assertEquals((await runReplay(path, "--diff")).code, 1);
    });
  },
);

Deno.test("cli record says of a recording that cannot be replayed why", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/host.jsonl`, warnings: string[] = [];
    const { layer, isWhole } = openRecording(path, "script", { warn: (text: string) => warnings.push(text) } as never);
    {
      using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [layer.current()] });
      using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 1 << 22 | 1 << 12 } });
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      hostType(gpu);
      using device = gpu.vkCreateDevice({
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
        ppEnabledExtensionNames: ["VK_EXT_external_memory_host"],
      });
      const memory = new Uint8Array(8192), start = Deno.UnsafePointer.value(Deno.UnsafePointer.of(memory));
      const pHostPointer = (BigInt(start) + 4095n) / 4096n * 4096n;
      const pNext = [{ sType: 1000178000 as const, handleType: 0x80, pHostPointer }];
      device.vkFreeMemory(device.vkAllocateMemory({ allocationSize: 4096n, memoryTypeIndex: 0, pNext } as never));
    }
    layer.close!();
    assertEquals(isWhole(), false);
    assertMatch(
      layer.report!()!,
      /host\.jsonl: cannot be replayed: .*vkAllocateMemory: VkImportMemoryHostPointerInfoEXT/,
    );
  });
});
