import type { Command } from "../command.ts";
import { isExpected } from "../compose/app.ts";
import { compose } from "../compose/compose.ts";
import { COMPOSE_OPTIONS, composeOptions } from "../compose/options.ts";
import { jsonReporter, textReporter } from "../compose/reporter.ts";

export type { ComposedFrame, ComposedLayer } from "../compose/told.ts";

/** `compose`: a home screen through the hardware composer, to be looked at. */
export const command: Command = {
  operand: "",
  summary: "compose a home screen by the hardware composer and show how, on a web page",
  options: COMPOSE_OPTIONS,
  async run(request, print) {
    const options = composeOptions(request), reporter = (request.json ? jsonReporter : textReporter)(print);
    try {
      await compose(options, request.options, reporter);
      reporter.end();
      return 0;
    } catch (error) {
      if (!isExpected(error)) throw error;
      reporter.warn(error.message);
      return 1;
    }
  },
};
