import { quoted } from "../../workbench/runs/testing/repro.ts";
import type { Request } from "../command.ts";

/** Options that say where a run took place or what is written about it, and are no part of what was tried. */
const LEFT_OUT = new Set(["html", "queue", "for", "join", "leave", "patience", "credentials", "authority", "key"]);

/** The command line of this run, as a shell takes it. */
export function againLine(command: string, { operands, options, values }: Request): string {
  const drivers = [options.driver ?? "auto"].flat().filter((each) => each !== "auto").map((each) => `--driver=${each}`);
  const own = Object.entries(values).filter(([name]) => !LEFT_OUT.has(name)).map(([name, value]) => {
    return value === true ? `--${name}` : `--${name}=${value}`;
  });
  return ["pumice", command, ...operands, ...drivers, ...own].map(quoted).join(" ");
}
