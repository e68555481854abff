import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { existing } from "../../workbench/process/files.ts";
import { info } from "./info.ts";
import { trim } from "./trim.ts";
import { verify } from "./verify.ts";

const ACTIONS: Readonly<Record<string, typeof info>> = { info, verify, trim };

/** Carries out the action of the first operand on the recording of the second: the exit code. */
export function recording(request: Request, print: (text: string) => void): number {
  const [name, path, ...more] = request.operands, action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new WrongUse(`recording: "${name}" is not known; give ${Object.keys(ACTIONS).join(", ")}`);
  if (path === undefined) throw new WrongUse(`recording ${name}: FILE is missing`);
  if (more.length > 0) throw new WrongUse(`recording ${name}: "${more[0]}" is one word too many`);
  return action(existing(`recording ${name}`, path), request, print);
}
