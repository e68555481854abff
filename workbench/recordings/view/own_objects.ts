import { VK_SHARING_MODE_EXCLUSIVE } from "../../../loader/gen/enums_core_gen.js";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { sidecarOf } from "../record/sidecar.ts";
import { HEADER } from "../replay/recording_file.ts";

/** The first number of objects that the viewer adds to a recording: no recording has so many. */
export const OWN = 3_000_000;

/** Writes lines as a recording that has the bytes of another one. */
export function writeLines(path: string, original: string, lines: readonly RecordedLine[]): void {
  const texts = [JSON.stringify(HEADER), ...lines.map((line) => JSON.stringify(line))];
  Deno.writeTextFileSync(path, `${texts.join("\n")}\n`);
  try {
    Deno.symlinkSync(Deno.realPathSync(sidecarOf(original)), sidecarOf(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // a recording without long bytes
  }
}

/** Returns the lines that make a buffer in memory of a type that the program uses for the device. */
export function bufferLines(
  { device, buffer, size, usage }: {
    readonly device: string;
    readonly buffer: string;
    readonly size: number;
    readonly usage: number;
  },
  lines: readonly RecordedLine[],
): RecordedCall[] {
  const pMemory = `VkDeviceMemory#${OWN}`, memoryTypeIndex = memoryTypeOf(device, lines);
  const pCreateInfo = { size: `${size}`, usage, sharingMode: VK_SHARING_MODE_EXCLUSIVE };
  const pAllocateInfo = { allocationSize: `${size}`, memoryTypeIndex };
  return [
    { command: "vkCreateBuffer", args: { device, pCreateInfo }, out: { pBuffer: buffer } },
    { command: "vkAllocateMemory", args: { device, pAllocateInfo }, out: { pMemory } },
    { command: "vkBindBufferMemory", args: { device, buffer, memory: pMemory, memoryOffset: "0" } },
  ];
}

/** A memory type that the program uses for a device. */
function memoryTypeOf(device: string, lines: readonly RecordedLine[]): number {
  for (const line of lines) {
    if ("command" in line && line.command === "vkAllocateMemory" && line.args.device === device) {
      return line.args.pAllocateInfo.memoryTypeIndex;
    }
  }
  throw new TypeError("the program allocates no memory, so that no memory type is known");
}
