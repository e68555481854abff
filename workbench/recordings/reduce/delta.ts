/**
 * Leaves out as many items as possible while a condition holds: halves first,
 * then quarters, down to single items. Calls the condition with what is left
 * out. Returns what can be left out.
 */
export async function leaveOut<T>(items: readonly T[], holds: (out: readonly T[]) => Promise<boolean>): Promise<T[]> {
  let left = [...items], out: T[] = [];
  for (let size = left.length; size >= 1; size = Math.floor(size / 2)) {
    // From the end: what comes later needs what came before.
    for (let end = left.length; end > 0; end -= size) {
      const chunk = left.slice(Math.max(0, end - size), end);
      if (!await holds([...out, ...chunk])) continue;
      out = [...out, ...chunk];
      left = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
    }
  }
  return out;
}
