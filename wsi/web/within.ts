/** Waits for something, but no longer than so many milliseconds. */
export async function within(milliseconds: number, wanted: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
  await Promise.race([wanted, late]).finally(() => clearTimeout(timer));
}
