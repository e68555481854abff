import type { Adb, Said } from "./adb.ts";
import { failure, isGone, StepFailed } from "./failures.ts";
import { ASK, settingBack, type Step, type Wanted } from "./steps.ts";

/** The processor that layer libraries for Android are written for. */
const PROCESSOR = "arm64-v8a";

/** The changes of a phone, which are all taken back. */
export class Visit {
  readonly #adb: Adb;
  readonly #print: (text: string) => void;
  readonly #isEnding: () => boolean;
  /** The commands that take the changes back, the last change first. */
  readonly #undo: (readonly string[])[] = [];

  /** Changes nothing yet. */
  constructor(adb: Adb, print: (text: string) => void, isEnding: () => boolean) {
    this.#isEnding = isEnding;
    this.#adb = adb;
    this.#print = print;
  }

  /**
   * Asks whether the application can have layers. Returns whether they go into
   * its own folder. Throws {@linkcode StepFailed} if it cannot.
   */
  async look({ application }: Wanted): Promise<{ isOwnFolder: boolean }> {
    await this.#ask(ASK.state);
    // from now on, another phone that is connected changes nothing
    if (this.#adb.serial === "") this.#adb.serial = (await this.#ask(ASK.serial)).text;
    const installed = await this.#ask(ASK.installed(application), true);
    if (!installed.text.startsWith("package:")) {
      if (isGone(installed)) throw failure(this.#adb.line(ASK.installed(application)), installed);
      throw new StepFailed(
        `${application} is not on the phone: install it, or look for its name in \`adb shell pm list packages\``,
        2,
      );
    }
    const { text: processor } = await this.#ask(ASK.processor);
    if (processor !== PROCESSOR) {
      throw new StepFailed(
        `The phone has ${processor || "an unknown processor"}; layer libraries are for ${PROCESSOR}`,
        1,
      );
    }
    const asked = await this.#ask(ASK.isDebuggable(application), true);
    if (asked.code === 0) return { isOwnFolder: true };
    if (isGone(asked)) throw failure(this.#adb.line(ASK.isDebuggable(application)), asked);
    if ((await this.#ask(ASK.isForDevelopment)).text === "1") return { isOwnFolder: false };
    throw new StepFailed(
      `${application} cannot be debugged, and the phone has a build for users: Android loads layers into applications ` +
        `with android:debuggable="true" only (adb: ${asked.text})`,
      1,
    );
  }

  /** Makes a change. Throws {@linkcode StepFailed} if it fails. */
  async make(step: Step): Promise<void> {
    // Ctrl-C also ends adb, which may have done its work by then
    const mayBeDone = ({ isInterrupted }: Said) => isInterrupted || step.isSafe || this.#isEnding();
    const undo = step.setting === undefined ? step.undo : await this.#settingBack(step.setting);
    const said = await this.#run(step.does), isDone = said.code === 0 && !/^Error/m.test(said.text);
    if (undo && (isDone || mayBeDone(said))) this.#undo.unshift(undo);
    if (!isDone) throw failure(this.#adb.line(step.does), said);
  }

  /** Whether the phone was unplugged. */
  async isGone(): Promise<boolean> {
    const said = await this.#adb.run(ASK.state);
    return said.code !== 0 && isGone(said);
  }

  /** Takes all changes back. Returns the command lines of those that it could not. */
  async tidyUp(): Promise<string[]> {
    const left: string[] = [];
    let isAway = false;
    for (const words of this.#undo.splice(0)) {
      const said: Said | undefined = isAway ? undefined : await this.#run(words);
      isAway ||= said !== undefined && said.code !== 0 && isGone(said);
      if (said?.code !== 0) left.push(this.#adb.line(words));
    }
    return left;
  }

  async #settingBack(name: string): Promise<readonly string[]> {
    return settingBack(name, (await this.#ask(ASK.setting(name))).text);
  }

  async #ask(words: readonly string[], mayFail = false): Promise<Said> {
    const said = await this.#run(words);
    if (said.code !== 0 && !mayFail) throw failure(this.#adb.line(words), said);
    return said;
  }

  async #run(words: readonly string[]): Promise<Said> {
    this.#print(this.#adb.line(words));
    return await this.#adb.run(words);
  }
}
