import { spawnPassing } from "../../workbench/process/stop.ts";

/** The permissions of this task, as deno.json has them. */
const PERMISSIONS = ["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-sys=uid"];
/** A program of the shell that mounts memory at its first argument and becomes the program that follows. */
const MOUNTING = `mount -t tmpfs -o mode=755 pumice-tests "$0" && exec "$@"`;

/**
 * Runs this task once more with its temporary files in memory, if this user may mount. Tests make and remove thousands
 * of small files, and ext4 looks through the numbers of all files of the last minutes for each new one. The memory
 * belongs to the mounts of that process alone, so that the system takes it back however the process ends. Returns the
 * exit code, or `undefined` where the files stay where they are.
 */
export async function runInMemory(task: string): Promise<number | undefined> {
  const folder = temporaryFolder();
  if (folder === undefined) return undefined;
  try {
    if (!mayMount(folder)) return undefined;
    const deno = [Deno.execPath(), "run", "--no-prompt", ...PERMISSIONS, task, ...Deno.args];
    const args = ["--mount", "sh", "-c", MOUNTING, folder, ...deno];
    using passing = spawnPassing(new Deno.Command("unshare", { args, env: { TMPDIR: folder } }));
    return (await passing.child.status).code;
  } finally {
    Deno.removeSync(folder);
  }
}

/** Makes an empty folder with a short name, for the paths of sockets; `undefined` for files that are in memory, or may be. */
function temporaryFolder(): string | undefined {
  const parent = Deno.env.get("TMPDIR") ?? "/tmp";
  const kind = Deno.build.os === "linux" ? said("stat", "-f", "-c", "%T", parent) : undefined;
  if (kind === undefined || kind === "tmpfs") return undefined; // who cannot tell would mount again and again
  const folder = `${parent}/t${Deno.pid}`;
  try {
    Deno.mkdirSync(folder);
    return folder;
  } catch {
    return undefined;
  }
}

function mayMount(folder: string): boolean {
  return said("unshare", "--mount", "sh", "-c", MOUNTING, folder, "echo", "mounted") === "mounted";
}

/** The output of a program; `undefined` if there is none, or if the program fails. */
function said(command: string, ...args: string[]): string | undefined {
  try {
    const { success, stdout } = new Deno.Command(command, { args, stderr: "null" }).outputSync();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch {
    return undefined;
  }
}
