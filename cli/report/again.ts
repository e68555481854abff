import { quoted } from "../../wsi/testing/repro.ts";
import type { Request } from "../command.ts";

/** The command line of this run, as a shell takes it. */
export function againLine(command: string, { operands, options, values }: Request): string {
  const drivers = [options.driver ?? "auto"].flat().filter((each) => each !== "auto").map((each) => `--driver=${each}`);
  const own = Object.entries(values).filter(([name]) => name !== "html").map(([name, value]) => {
    return value === true ? `--${name}` : `--${name}=${value}`;
  });
  return ["pumice", command, ...operands, ...drivers, ...own].map(quoted).join(" ");
}
