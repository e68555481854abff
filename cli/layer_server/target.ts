import { TARGETS } from "../../workbench/layer_server/commands.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";

/** Where programs run, by the value of `--target`; by default, on a machine like this one. */
export function runsOnOf(command: string, value: unknown): keyof typeof TARGETS {
  const target = (value as string | undefined) ?? `${Deno.build.arch}-${Deno.build.os}`, known = Object.keys(TARGETS);
  if (known.includes(target)) return target as keyof typeof TARGETS;
  throw new WrongUse(`${command}: "${target}" is no target: give --target=${known.join(", ")}`);
}
