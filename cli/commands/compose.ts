import type { Command } from "../command.ts";
import { COMPOSE_OPTIONS } from "../compose/option_list.ts";

export type { ComposedFrame, ComposedLayer } from "../compose/composed_frame.ts";

/** `compose`: a home screen through the hardware composer, to be looked at. */
export const command: Command = {
  operand: "",
  summary: "compose a home screen with a simulated hardware composer, shown on a web page",
  options: COMPOSE_OPTIONS,
  run: async (request, print) => (await import("../compose/command.ts")).composeScreens(request, print),
};
