import { readRecording } from "../../../workbench/layers.ts";

/** The bytes of the memory to which the commands of the program writing_app copy, and which no host writes. */
const TARGET = "12352";

/** The contents of a memory, of which most stay as they are at most submissions. */
interface Contents {
  readonly bytes: Uint8Array;
  /** The hash of the contents; `undefined` after a write. */
  hash?: number;
}

/** Returns what the contents of all memory give at each submission of a recording of the program writing_app, as it prints that. */
export function sumsIn(path: string): number[] {
  const { lines, data } = readRecording(path), memories = new Map<string, Contents>(), sums: number[] = [];
  for (const line of lines) {
    if ("write" in line) {
      const { bytes: text, data: hash } = line.content as { bytes?: string; data?: string };
      const bytes = text === undefined ? data(hash!) : Uint8Array.fromHex(text);
      const memory = memories.get(line.write);
      memory?.bytes.set(bytes, line.offset);
      if (memory) memory.hash = undefined;
    }
    if (!("command" in line)) continue;
    const { command, args, out } = line;
    if (command === "vkAllocateMemory" && `${args.pAllocateInfo.allocationSize}` !== TARGET) {
      memories.set(out!.pMemory, { bytes: new Uint8Array(Number(args.pAllocateInfo.allocationSize)) });
    }
    if (command === "vkFreeMemory") memories.delete(args.memory);
    if (command === "vkQueueSubmit") {
      sums.push([...memories.values()].reduce((sum, memory) => sum + (memory.hash ??= hashOf(memory.bytes)) >>> 0, 0));
    }
  }
  return sums;
}

function hashOf(bytes: Uint8Array): number {
  let hash = 2166136261;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at], 16777619);
  return hash >>> 0;
}
