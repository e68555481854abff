/** Fields of /proc/PID/stat behind the name: the time of a process and of its children that ended, in hundredths. */
const OWN = [11, 13] as const, WITH_CHILDREN = [11, 15] as const;

/** The text of a file of /proc, which Deno itself reads only with all permissions. Throws an `Error` without the file. */
export function procText(name: string): string {
  const { success, stdout, stderr } = new Deno.Command("cat", { args: [`/proc/${name}`] }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
  return new TextDecoder().decode(stdout);
}

/** The processor's seconds for a process, and with `withChildren` also for those of its children that ended. */
export function processorSeconds(pid: number, { withChildren = false } = {}): number {
  const fields = procText(`${pid}/stat`).split(") ").at(-1)!.split(" ");
  return fields.slice(...withChildren ? WITH_CHILDREN : OWN).reduce((sum, field) => sum + Number(field), 0) / 100;
}
