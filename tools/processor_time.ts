/** Fields of /proc/PID/stat behind the name: the time of a process and of its children that ended, in hundredths. */
const OWN = [11, 13] as const, WITH_CHILDREN = [11, 15] as const;

/** The processor's seconds for a process, and with `withChildren` also for those of its children that ended. */
export function processorSeconds(pid: number, { withChildren = false } = {}): number {
  // Deno itself reads nothing of another process in /proc without all permissions.
  const { stdout } = new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).outputSync();
  const fields = new TextDecoder().decode(stdout).split(") ").at(-1)!.split(" ");
  return fields.slice(...withChildren ? WITH_CHILDREN : OWN).reduce((sum, field) => sum + Number(field), 0) / 100;
}
