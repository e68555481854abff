/** Files that run more than is counted, by the beginning of their paths, and the reasons. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  "hwc/kms/": "cards are in the virtual machine: deno task test:vm",
  "hwc/binder/driver/": "the kernel's binder is in the virtual machine: deno task test:vm",
  "hwc/backends/vulkan/tiles.ts": "NVIDIA's driver alone makes such images",
  "wsi/fence/thread_main.ts": "Workers are not counted",
};

/** The reason why a file runs more than is counted; "" for none. */
export function reasonOf(path: string): string {
  return Object.entries(ELSEWHERE).find(([beginning]) => path.startsWith(beginning))?.[1] ?? "";
}
