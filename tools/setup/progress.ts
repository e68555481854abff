/** Receives one finished line of text at a time. */
export type Print = (line: string) => void;

/** Reports the present step, such as "unpacking gcc". */
export type Say = (now: string) => void;

const BEAT = 2000;

/**
 * Runs `work` and tells how it goes: one line when it starts, one every two
 * seconds while it lasts with what `work` said last, one with the time when
 * it ends. A failure is thrown on: its message is for the caller to tell.
 * `details` is told once, at the start.
 */
export async function withProgress<T>(
  title: string,
  print: Print,
  work: (say: Say) => Promise<T>,
  details = "",
): Promise<T> {
  const start = performance.now();
  const elapsed = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  let now = "";
  print(`  ${title} ...${details && ` ${details}`}`);
  const heartbeat = setInterval(() => print(`  ${title} ... ${elapsed()}${now && `, ${now}`}`), BEAT);
  try {
    const result = await work((text) => now = text);
    print(`  ${title}: done in ${elapsed()}`);
    return result;
  } catch (error) {
    print(`  ${title}: failed after ${elapsed()}`);
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}
