/** Prints what a bench reads about the machine and about another process: the parent, which waits. */
import { openParts } from "../../../bench/parts.ts";
import { machineName } from "../../../bench/report/machine.ts";
import { processorSeconds } from "../../../tools/proc.ts";

console.log(machineName(openParts().lavapipe));
console.log(processorSeconds(Deno.ppid));
