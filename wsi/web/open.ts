import { WsiError } from "../error.ts";

/** Opens an address in the desktop's browser. Throws a {@linkcode WsiError} `no-display` that says what is missing. */
export function openInBrowser(url: string): void {
  try {
    new Deno.Command("xdg-open", { args: [url], stdin: "null", stdout: "null", stderr: "null" }).spawn().unref();
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotCapable ? "give --allow-run=xdg-open" : "there is no xdg-open";
    throw new WsiError("no-display", `Cannot open ${url} in a browser: ${why}, or open it yourself`, { cause });
  }
}
