import { readRecording } from "../../../workbench/layers.ts";

/** The bytes of the memory to which the commands of the program writing_app copy, and which no host writes. */
const TARGET = "12352";

/** Returns what the contents of all memory give at each submission of a recording of the program writing_app, as it prints that. */
export function sumsIn(path: string): number[] {
  const { lines, data } = readRecording(path), memories = new Map<string, Uint8Array>(), sums: number[] = [];
  for (const line of lines) {
    if ("write" in line) {
      const { bytes: text, data: hash } = line.content as { bytes?: string; data?: string };
      const bytes = text === undefined ? data(hash!) : Uint8Array.fromHex(text);
      memories.get(line.write)?.set(bytes, line.offset);
    }
    if (!("command" in line)) continue;
    const { command, args, out } = line;
    if (command === "vkAllocateMemory" && `${args.pAllocateInfo.allocationSize}` !== TARGET) {
      memories.set(out!.pMemory, new Uint8Array(Number(args.pAllocateInfo.allocationSize)));
    }
    if (command === "vkFreeMemory") memories.delete(args.memory);
    if (command === "vkQueueSubmit") {
      sums.push([...memories.values()].reduce((sum, bytes) => sum + hashOf(bytes) >>> 0, 0));
    }
  }
  return sums;
}

function hashOf(bytes: Uint8Array): number {
  let hash = 2166136261;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 16777619);
  return hash >>> 0;
}
