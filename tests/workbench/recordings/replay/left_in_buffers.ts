import { readRecording, replayRecording } from "../../../../workbench/layers.ts";

/** Replays a recording on a driver; what the buffers hold that the GPU may write for the program to read, after every submission. */
export function leftInBuffers(driver: string, path: string): Uint8Array[] {
  const names = new Set(JSON.stringify(readRecording(path).lines).match(/VkBuffer#\d+/g)), left: Uint8Array[] = [];
  replayRecording({ driver }, path, {
    onSubmit({ read }) {
      for (const name of names) {
        try {
          left.push(read(name).slice());
        } catch (error) {
          if (!(error instanceof TypeError)) throw error; // there is no such buffer now, or no memory to read it from
        }
      }
    },
  });
  return left;
}

/** Whether bytes begin with others. */
export function beginsWith(bytes: Uint8Array, others: Uint8Array): boolean {
  return bytes.length >= others.length && others.every((byte, index) => byte === bytes[index]);
}
