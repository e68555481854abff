/**
 * Opens an address in the desktop's browser. Resolves when the program that
 * does it has ended, which may be with the browser. `undefined` when it cannot
 * be done: `log` gets a sentence that says what to do.
 */
export function openInBrowser(url: string, log: (message: string) => void): Promise<unknown> | undefined {
  try {
    const child = new Deno.Command("xdg-open", { args: [url], stdin: "null", stdout: "null", stderr: "null" }).spawn();
    child.unref();
    return child.status;
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotCapable ? "give --allow-run=xdg-open" : "there is no xdg-open";
    log(`Cannot open ${url} in a browser: ${why}, or open it yourself`);
  }
}
