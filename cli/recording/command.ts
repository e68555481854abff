import { DriverError, VulkanError } from "../../loader/mod.ts";
import { RecordingError } from "../../workbench/layers.ts";
import type { Process, Request } from "../command.ts";
import { exitCodeOf, WrongUse } from "../../workbench/process/exit_code.ts";
import { existing } from "../../workbench/process/files.ts";
import { info } from "./info.ts";
import { trim } from "./trim.ts";
import { verify } from "./verify.ts";

const ACTIONS: Readonly<Record<string, typeof info>> = { info, verify, trim };

/** Carries out the action of the first operand on the recording of the second: the exit code. */
export function recording(request: Request, print: (text: string) => void, process: Process): number {
  const [name, path, ...more] = request.operands, action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new WrongUse(`recording: "${name}" is not known; give ${Object.keys(ACTIONS).join(", ")}`);
  if (path === undefined) throw new WrongUse(`recording ${name}: FILE is missing`);
  if (more.length > 0) throw new WrongUse(`recording ${name}: "${more[0]}" is one word too many`);
  try {
    return action(existing(`recording ${name}`, path), request, print);
  } catch (error) {
    if (![RecordingError, DriverError, VulkanError].some((kind) => error instanceof kind)) throw error;
    process.warn(`${path}: ${(error as Error).message}`);
    return exitCodeOf(error);
  }
}
