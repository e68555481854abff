import type { Command } from "../command.ts";

/** `trace`: a script's calls, written down. */
export const command: Command = {
  operand: "SCRIPT",
  summary: "write down every call a script makes, as JSON Lines",
  options: { out: { type: "string", value: "FILE", help: "where a trace goes; default trace.jsonl" } },
  async run({ operand, options, values }, print) {
    const { runScript } = await import("../run_script.ts"), { apiTrace } = await import("../../loader/layers.ts");
    const out = values.out as string ?? "trace.jsonl", layers = options.layers as string[];
    try {
      using trace = apiTrace({ path: out });
      await runScript(operand!, { layers: [trace.layer, ...layers], watch: false, say: print });
      print(`${out}: what ${operand} called`);
      return 0;
    } catch (error) {
      print(`${operand}: ${error}`);
      return 1;
    }
  },
};
