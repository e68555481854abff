/** Receives one finished line of text at a time. */
export type Print = (line: string) => void;

/**
 * Runs `work` and tells how it goes: one line when it starts, one every five
 * seconds while it lasts, one with the time when it ends. A failure is
 * thrown on: its message is for the caller to tell.
 */
export async function withProgress<T>(title: string, print: Print, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const elapsed = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  print(`  ${title} ...`);
  const heartbeat = setInterval(() => print(`  ${title} ... ${elapsed()}`), 5000);
  try {
    const result = await work();
    print(`  ${title}: done in ${elapsed()}`);
    return result;
  } catch (error) {
    print(`  ${title}: failed after ${elapsed()}`);
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}
