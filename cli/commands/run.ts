import type { Command } from "../command.ts";

/** `run`: a script whose loaders all get more layers. */
export const command: Command = {
  operand: "SCRIPT",
  summary: "run a script with layers on top of all its loaders",
  options: {
    watch: { type: "boolean", help: "load modules again when they are saved" },
    dump: { type: "string", value: "DIR", help: "write the source of generated code there" },
  },
  async run({ operand, options, values }, print) {
    const { runScript } = await import("../run_script.ts"), layers = options.layers as string[];
    try {
      if (typeof values.dump === "string") await dumpTo(values.dump);
      await runScript(operand!, { layers, watch: values.watch === true, say: print });
      return 0;
    } catch (error) {
      print(`${operand}: ${error}`);
      return 1;
    }
  },
};

async function dumpTo(directory: string): Promise<void> {
  const { dumpGenerated } = await import("../../ffi/generated_code.ts");
  dumpGenerated(directory);
}
