/**
 * Replays or compares recordings one after the other, in a process that may die of one. Standard output has a line when
 * one begins, and a line with the outcome. A recording that takes too long ends the process by SIGALRM.
 *
 * Arguments: a folder with `inputs.json`, a driver, the numbers of the first recording and of the first that is left
 * out, and `replay`, `compare` or `validate`.
 *
 * @module
 */
import { invokeAddress } from "../../../ffi/machine.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { createDebugMessenger } from "../../../loader/mod.ts";
import { replayRecording } from "../../../workbench/layers.ts";
import { compareDrivers } from "../../../workbench/recordings/mod.ts";
import { outcomeOf } from "../outcome.ts";
import { BOUND, type Mode, TIMEOUT } from "./outcomes.ts";

const [folder, driver, from, to, mode] = Deno.args as [string, string, string, string, Mode];
const inputs: string[] = JSON.parse(Deno.readTextFileSync(`${folder}/inputs.json`)), path = `${folder}/input.jsonl`;

/** The kernel ends this process after so many seconds; never for 0. */
function endAfter(seconds: number): void {
  invokeAddress(libcAddress("alarm"), "s:s", [seconds]); // unsigned int alarm(unsigned int)
}

function tell(line: unknown): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
}

function replay(): void {
  const isValidated = mode === "validate", layers = isValidated ? ["VK_LAYER_KHRONOS_validation"] : [];
  using messenger = createDebugMessenger(undefined, ({ message }) => tell({ said: message }), { interval: 0 });
  replayRecording({ driver, layers }, path, {
    unsealed: true,
    timeout: TIMEOUT,
    ...isValidated &&
      { instanceExtensions: ["VK_EXT_debug_utils"], onInstance: (instance) => messenger.listen(instance) },
  });
}

async function outcome(): Promise<unknown> {
  try {
    if (mode === "compare") await compareDrivers(path, [{ driver }, { driver }], { unsealed: true, timeout: TIMEOUT });
    else replay();
    return "taken";
  } catch (error) {
    return { outcome: outcomeOf(error), message: (error as Error).message };
  }
}

for (let index = Number(from); index < Number(to); index++) {
  Deno.writeTextFileSync(path, inputs[index]);
  tell({ begun: index });
  endAfter(BOUND);
  tell({ ended: index, outcome: await outcome() });
  endAfter(0);
}
