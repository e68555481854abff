/** The beginning of the names of workers' folders; a process's number follows. */
const PREFIX = "pumice-worker-";

/** A folder for the temporary files of this process, below the system's one for temporary files. */
export function workerFolder(): string {
  return Deno.makeTempDirSync({ prefix: `${PREFIX}${Deno.pid}-` });
}

/** Removes folders of workers that were killed. */
export function sweep(folder: string): void {
  const parent = folder.slice(0, folder.lastIndexOf("/"));
  for (const { name, isDirectory } of Deno.readDirSync(parent)) {
    const [, pid] = /^pumice-worker-(\d+)-/.exec(name) ?? [];
    if (!isDirectory || pid === undefined || isThere(Number(pid))) continue;
    try {
      Deno.removeSync(`${parent}/${name}`, { recursive: true });
    } catch {
      // another worker was quicker, or it is another user's
    }
  }
}

function isThere(pid: number): boolean {
  try {
    Deno.statSync(`/proc/${pid}`);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}
