import type { Process, Request } from "../command.ts";
import { compose } from "./compose.ts";
import { composeOptions } from "./options.ts";
import { jsonReporter, textReporter } from "./reporter.ts";

/** Composes until it is stopped, and tells how it goes: the exit code. */
export async function composeScreens(
  request: Request,
  print: (text: string) => void,
  { warn }: Process,
): Promise<number> {
  const options = composeOptions(request), reporter = (request.json ? jsonReporter : textReporter)(print, warn);
  const isWhole = await compose(options, request.options, reporter);
  reporter.end();
  return isWhole ? 0 : 1;
}
