/** Leaves its end to a shell that ends with 5 when it is asked to end, and asks itself to end. */
import { spawnPassing } from "../../../workbench/process/stop.ts";

const args = ["-c", "trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done"];
using passing = spawnPassing(new Deno.Command("sh", { args, stdout: "piped" }));
const reader = passing.child.stdout.getReader();
await reader.read();
Deno.kill(Deno.pid, "SIGTERM");
const { code } = await passing.child.status;
await reader.cancel();
console.log(`the shell ended with ${code}`);
