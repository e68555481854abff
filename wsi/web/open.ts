/** Opens an address in the desktop's browser. Throws an `Error` that says what is missing. */
export function openInBrowser(url: string): void {
  try {
    new Deno.Command("xdg-open", { args: [url], stdin: "null", stdout: "null", stderr: "null" }).spawn().unref();
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotCapable ? "give --allow-run=xdg-open" : "there is no xdg-open";
    throw new Error(`Cannot open ${url} in a browser: ${why}, or open it yourself`, { cause });
  }
}
