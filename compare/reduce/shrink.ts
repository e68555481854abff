import type { RecordedLine } from "../../loader/layers.ts";

/** Parameters of draws and dispatches that can be smaller. */
const COUNTS = ["instanceCount", "vertexCount", "indexCount", "groupCountX", "groupCountY", "groupCountZ", "drawCount"];

/** Makes the counts of draws and dispatches as small as a condition allows. */
export async function shrunk(
  lines: readonly RecordedLine[],
  holds: (lines: readonly RecordedLine[]) => Promise<boolean>,
): Promise<RecordedLine[]> {
  let best = [...lines];
  for (const [index, line] of lines.entries()) {
    for (const name of "command" in line && line.command.startsWith("vkCmd") ? COUNTS : []) {
      best = await smallest(best, index, name, holds);
    }
  }
  return best;
}

/** Tries one, and then halves. */
async function smallest(
  lines: RecordedLine[],
  index: number,
  name: string,
  holds: (lines: readonly RecordedLine[]) => Promise<boolean>,
): Promise<RecordedLine[]> {
  for (let best = lines, next = 1;;) {
    const value = valueOf(best[index], name);
    if (value === undefined || value <= next) return best;
    const tried = withValue(best, index, name, next);
    if (await holds(tried)) best = tried;
    else if (next > value / 2) return best;
    if (next === 1 || valueOf(best[index], name) === next) next = Math.floor(valueOf(best[index], name)! / 2);
    else return best;
    if (next < 1) return best;
  }
}

function valueOf(line: RecordedLine, name: string): number | undefined {
  const value = "command" in line ? line.args[name] : undefined;
  return typeof value === "number" ? value : undefined;
}

function withValue(lines: readonly RecordedLine[], index: number, name: string, value: number): RecordedLine[] {
  return lines.map((line, at) =>
    at === index && "command" in line ? { ...line, args: { ...line.args, [name]: value } } : line
  );
}
