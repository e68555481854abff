import { type ProfileFrame, type ProfileRow, sumOf } from "./counters.ts";

/** Characters of the longest bar. */
const WIDTH = 40;
/** A block for each eighth of a character. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A line of the summary: its label and the value of its bar. */
interface Bar {
  readonly label: string;
  readonly milliseconds: number;
  readonly calls: number;
}

/**
 * Formats a summary: a bar for each command, the longest first, then a bar for
 * each frame with the commands that took most of it. With a number, only so many
 * commands, a line about the rest, and no frames.
 */
export function profileText(rows: readonly ProfileRow[], frames: readonly ProfileFrame[], most = Infinity): string {
  const { calls, milliseconds } = sumOf(rows);
  const head = `${calls} calls of ${rows.length} commands, ${milliseconds.toFixed(2)} ms`;
  const commands = bars(rows.map((row) => ({ label: row.command, ...row })), milliseconds);
  if (most < Infinity) return [head, ...commands.slice(0, most), ...restOf(rows.slice(most), frames)].join("\n");
  if (frames.length < 2) return [head, ...commands].join("\n");
  const inFrames = bars(
    frames.map((frame) => ({ label: `frame ${frame.frame}: ${mostOf(frame)}`, ...frame })),
    milliseconds,
  );
  return [head, ...commands, "", ...inFrames].join("\n");
}

/** A line about what is not listed; none if all is. */
function restOf(rows: readonly ProfileRow[], frames: readonly ProfileFrame[]): string[] {
  const { calls, milliseconds } = sumOf(rows);
  const more = rows.length === 0
    ? []
    : [`${rows.length} more commands (${calls} calls, ${milliseconds.toFixed(2)} ms)`];
  if (frames.length > 1) more.push(`${frames.length} frames`);
  return more.length === 0 ? [] : [`and ${more.join(" and ")}`];
}

/** The commands that took the most time of a frame. */
function mostOf({ rows, milliseconds }: ProfileFrame): string {
  return rows.slice(0, 2).map((row) => `${row.command} ${percent(row.milliseconds, milliseconds).trim()}`).join(", ");
}

function bars(lines: readonly Bar[], whole: number): string[] {
  const longest = Math.max(...lines.map(({ milliseconds }) => milliseconds), Number.MIN_VALUE);
  const label = Math.max(...lines.map((line) => line.label.length));
  return lines.map(({ label: text, milliseconds, calls }) => {
    const figures = `${milliseconds.toFixed(2).padStart(10)} ms ${percent(milliseconds, whole)} ${
      `${calls}`.padStart(7)
    } ×`;
    return `${text.padEnd(label)} ${figures} ${bar(milliseconds / longest)}`.trimEnd();
  });
}

function percent(part: number, whole: number): string {
  return `${(whole > 0 ? 100 * part / whole : 0).toFixed(1).padStart(5)} %`;
}

function bar(share: number): string {
  const eighths = Math.round(share * WIDTH * 8);
  return "█".repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}
