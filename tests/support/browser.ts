/**
 * A real browser without a window, driven by the DevTools protocol.
 *
 * @module
 */
import { chromiumPath } from "../../tools/setup/parts.ts";
import { DevTools } from "./devtools.ts";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--no-zygote",
  "--hide-scrollbars",
  "--force-color-profile=srgb",
  "--force-device-scale-factor=1",
  "--disable-background-networking",
  "--remote-debugging-port=0",
];

/** The differences of a browser's start from the default. */
export interface BrowserOptions {
  /** The file of the browser, in a folder with all that belongs to the browser. */
  readonly path?: string;
  /** Flags for drawing. Default: without Vulkan or OpenGL. */
  readonly drawing?: readonly string[];
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A running Chromium; it ends with an `await using` scope. */
export class Browser implements AsyncDisposable {
  #tools: DevTools;
  #end: () => Promise<void>;

  private constructor(tools: DevTools, end: () => Promise<void>) {
    this.#tools = tools;
    this.#end = end;
  }

  /** Starts one with a profile of its own. */
  static async start(
    { path = chromiumPath()!, drawing = ["--disable-gpu"], env = {} }: BrowserOptions = {},
  ): Promise<Browser> {
    const beside = path.slice(0, path.lastIndexOf("/")), folder = Deno.makeTempDirSync();
    const process = new Deno.Command(path, {
      args: [...FLAGS, ...drawing, `--user-data-dir=${folder}`, "about:blank"],
      env: { ...env, HOME: folder, TMPDIR: folder, LD_LIBRARY_PATH: `${beside}/lib`, FONTCONFIG_PATH: beside },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const says = process.stderr.getReader();
    const end = async () => {
      process.kill("SIGKILL");
      await process.status;
      while (!(await says.read()).done); // until the processes that it started have ended, too
      Deno.removeSync(folder, { recursive: true });
    };
    try {
      return new Browser(await DevTools.connect(await addressIn(says)), end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  /** Opens a page in a tab of its own. */
  async open(url: string, { width = 800, height = 600, dark = false } = {}): Promise<Page> {
    const { targetId } = await this.#tools.send("Target.createTarget", { url: "about:blank", width, height });
    const { sessionId } = await this.#tools.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this.#tools, sessionId as string);
    await page.send("Page.enable");
    const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
    await page.send("Emulation.setDeviceMetricsOverride", metrics);
    const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
    await page.send("Emulation.setEmulatedMedia", { features });
    await page.navigate(url);
    return page;
  }

  /** Ends the browser and removes its profile. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tools.close();
    await this.#end();
  }
}

/** One tab. */
export class Page {
  #tools: DevTools;
  #session: string;

  constructor(tools: DevTools, session: string) {
    this.#tools = tools;
    this.#session = session;
  }

  /** Gives a DevTools command to the tab. */
  send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.#tools.send(method, params, this.#session);
  }

  /** Goes to an address and waits until it is loaded. */
  async navigate(url: string): Promise<void> {
    const loaded = this.#tools.once("Page.loadEventFired", this.#session);
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** The value of an expression (awaited) in the page. Throws what it throws. */
  async evaluate<T>(expression: string): Promise<T> {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", params) as {
      result: { value: T };
      exceptionDetails?: { text: string; exception?: { description: string } };
    };
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true. Throws an `Error` that shows `instead` after some seconds. */
  async until(condition: string, instead = "document.body.innerText", seconds = 8): Promise<void> {
    const poll = `new Promise((resolve) => {
      const start = performance.now();
      const look = () => {
        if (${condition}) return resolve(true);
        if (performance.now() - start > ${1000 * seconds}) return resolve(false);
        setTimeout(look, 10);
      };
      look();
    })`;
    if (await this.evaluate(poll)) return;
    throw new Error(`Waited in vain for ${condition}; the page says: ${await this.evaluate(instead)}`);
  }

  /** Presses and releases the mouse in the middle of an element. */
  async click(selector: string): Promise<void> {
    const [x, y] = await this.evaluate<[number, number]>(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "nearest" });
      const { left, top, width, height } = element.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
  }

  /** Presses and releases a key that makes a character. */
  async press(key: string): Promise<void> {
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text: key });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key });
  }

  /** A picture of what the tab shows, as a PNG. */
  async screenshot(): Promise<Uint8Array<ArrayBuffer>> {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Uint8Array.fromBase64(data as string);
  }
}

/** The address that a browser prints when it is ready. */
async function addressIn(says: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  for (let text = "";;) {
    const { value, done } = await says.read();
    if (done) throw new Error(`Cannot start Chromium: ${text.trim() || "it said nothing"}`);
    text += decoder.decode(value, { stream: true });
    const address = /DevTools listening on (ws:\S+)\s/.exec(text)?.[1];
    if (address) return address;
  }
}
