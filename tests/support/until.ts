/** Milliseconds between two looks. */
const PAUSE = 2;

/** Waits until something is so, looking again and again. Throws with its name after some seconds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  for (const end = performance.now() + 1000 * seconds; performance.now() < end;) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new Error(`It did not happen within ${seconds} s: ${what}`);
}
