import { type ComparedDriver, Side, STARTING } from "../compare/driver_process/side.ts";
import type { RunRequest } from "../compare/driver_process/protocol.ts";

/** An error of the validation layer. */
export interface ValidationMessage {
  /** Number of the line in the recording's file, from 1, whose replay the layer complained about. */
  readonly line: number;
  /** The layer's words. */
  readonly text: string;
}

/** The validation layer, by its name. */
const LAYER = "VK_LAYER_KHRONOS_validation";

/**
 * Replays a recording once under the validation layer, in a process of its own, and returns the layer's errors in the
 * order of their lines. Waits at most `timeout` milliseconds for a submission.
 *
 * @throws {TypeError} if the layer or the driver cannot be loaded.
 * @throws {Error} if the replay fails before its end.
 */
export async function validationMessages(
  path: string,
  driver: ComparedDriver,
  timeout: number,
): Promise<ValidationMessage[]> {
  const side = new Side({ ...driver, layers: [LAYER, ...driver.layers ?? []] });
  const request: RunRequest = { run: path, unsealed: true, timeout, only: [], validates: "all" };
  try {
    let reply = await side.ask(request, STARTING + timeout);
    while ("began" in reply || "submission" in reply) {
      reply = "began" in reply ? await side.answer(timeout) : await side.ask({ next: true }, timeout);
    }
    if ("unusable" in reply) throw new TypeError(reply.unusable);
    if ("failed" in reply) throw new Error(`line ${reply.line}: ${reply.failed}`);
    if (!("done" in reply)) throw new Error(`the driver's process ${"died" in reply ? reply.died : "stopped"}`);
    const { errors, errorLines } = reply.done;
    return errors.map((text, index) => ({ line: errorLines[index], text }));
  } finally {
    await side.close();
  }
}
