/** `SetEncodings` for ExtendedDesktopSize (-308) and `SetDesktopSize` of RFB 3.8, the protocol of VNC. */
const SET_ENCODINGS = [2, 0, 0, 1, 0xff, 0xff, 0xfe, 0xcc], SET_DESKTOP_SIZE = 251;
/** Bytes of the greeting, of the list of securities, of the result, and of `ServerInit` without the name. */
const GREETING = 12, SECURITIES = 2, RESULT = 4, INIT = 24;
/** "None" as the security, and a screen that others may look at. */
const NO_SECURITY = 1, SHARED = 1;

/** A viewer of the virtual machine's screen: a client of the machine's own VNC server. */
export class Monitor implements Disposable {
  readonly #port: Deno.FsFile;

  private constructor(port: Deno.FsFile) {
    this.#port = port;
  }

  /** Connects. */
  static async open(): Promise<Monitor> {
    const folder = "/sys/class/virtio-ports", ports = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const name = ports.find((each) => Deno.readTextFileSync(`${folder}/${each}/name`).trim() === "monitor");
    if (name === undefined) throw new Error("the machine has no port of its monitor");
    const monitor = new Monitor(Deno.openSync(`/dev/${name}`, { read: true, write: true }));
    await monitor.#read(GREETING);
    await monitor.#send(new TextEncoder().encode("RFB 003.008\n"));
    await monitor.#read(SECURITIES);
    await monitor.#send([NO_SECURITY]);
    await monitor.#read(RESULT);
    await monitor.#send([SHARED]);
    await monitor.#read((await monitor.#read(INIT)).at(-1)!);
    await monitor.#send(SET_ENCODINGS);
    return monitor;
  }

  /** Resizes the screen; 0 x 0 disconnects it. */
  async resize(width: number, height: number): Promise<void> {
    const size = [width >> 8, width & 255, height >> 8, height & 255];
    await this.#send([SET_DESKTOP_SIZE, 0, ...size, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...size, 0, 0, 0, 0]);
  }

  [Symbol.dispose](): void {
    this.#port.close();
  }

  async #read(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const size = await this.#port.read(bytes.subarray(at));
      if (size) at += size;
      else await new Promise((resolve) => setTimeout(resolve, 50)); // nobody is at the other end yet
    }
    return bytes;
  }

  async #send(bytes: Uint8Array | readonly number[]): Promise<void> {
    await this.#port.write(Uint8Array.from(bytes));
  }
}
