/** Whether this machine can mount a small disk. */
export function mountable(): boolean {
  if (Deno.build.os !== "linux") return false;
  const folder = Deno.makeTempDirSync();
  try {
    return mount(folder, () => true) ?? false;
  } finally {
    Deno.removeSync(folder);
  }
}

/** Runs with a disk of 64 KiB, or of another size, at a folder; not at all where none can be mounted. */
export function mount<T>(folder: string, use: () => T, size = "64k"): T | undefined {
  const run = (...line: string[]) => new Deno.Command(line[0], { args: line.slice(1), stderr: "null" }).outputSync();
  if (!run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder).success) return undefined;
  try {
    return use();
  } finally {
    run("umount", folder);
  }
}
