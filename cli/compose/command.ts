import type { Request } from "../command.ts";
import { exitCodeOf } from "../../workbench/process/exit_code.ts";
import { isExpected } from "./scenes/app.ts";
import { compose } from "./compose.ts";
import { composeOptions } from "./options.ts";
import { jsonReporter, textReporter } from "./reporter.ts";

/** Composes until it is stopped, and tells how it goes: the exit code. */
export async function composeScreens(request: Request, print: (text: string) => void): Promise<number> {
  const options = composeOptions(request), reporter = (request.json ? jsonReporter : textReporter)(print);
  try {
    await compose(options, request.options, reporter);
    reporter.end();
    return 0;
  } catch (error) {
    if (!isExpected(error)) throw error;
    reporter.warn(error.message);
    return exitCodeOf(error);
  }
}
