import config from "../../deno.json" with { type: "json" };

/** The words of `deno run …` by which a task of deno.json starts its program: its permissions, its import map, and the program. */
export function taskWords(task: keyof typeof config.tasks): string[] {
  return config.tasks[task].command.split(" && ").at(-1)!.split(" ").slice(1);
}
