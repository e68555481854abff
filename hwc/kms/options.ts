import {
  callback,
  checkOptions,
  number,
  object,
  type OptionRules,
  text,
  typed,
  yesOrNo,
} from "../../ffi/check_options.ts";
import type { ReferenceComposerOptions } from "../core/options.ts";
import { type CardOptions, checkCardOptions, OpenCard } from "./card/card.ts";
import type { KmsCard } from "./card/facts.ts";

/** Settings of {@linkcode createKmsComposer}. */
export interface KmsComposerOptions
  extends Pick<ReferenceComposerOptions, "strategy" | "compositor" | "fenceTimeout" | "flattenAfter" | "bootConfigs"> {
  /** The card: an open one, which the composer closes, or which one to open. Default: the first that can set modes. */
  readonly card?: KmsCard | CardOptions;
  /**
   * The text console on which frames are shown, such as `/dev/tty2`, or `/dev/tty` for the program's own. The composer
   * gives the card away while another console is shown; the kernel asks by SIGUSR1 and SIGUSR2, which the program must
   * not use otherwise. Default: none, and consoles stay as they are.
   */
  readonly console?: string;
  /**
   * Whether the links to displays are to be protected (HDCP), where the card can. A display that agreed has the
   * capability PROTECTED_CONTENTS. Default `false`.
   */
  readonly contentProtection?: boolean;
  /** Whether displays that can (`vrr_capable`) show frames when they are ready. Default `false`: at fixed times. */
  readonly variableRefresh?: boolean;
  /**
   * Called with a {@linkcode KmsError} that happened outside of a call, such as that of a frame that the kernel refuses though it had agreed.
   * Default: a line on standard error.
   */
  readonly onError?: (error: unknown) => void;
}

const RULES: OptionRules<KmsComposerOptions> = {
  card: object("an open card, or an object of path, driver and library"),
  console: text("the path of a text console, such as /dev/tty2"),
  contentProtection: yesOrNo,
  variableRefresh: yesOrNo,
  strategy: object("a strategy, such as leastGpuWork()"),
  compositor: typed("a function, such as the `compose` of a backend", "function"),
  fenceTimeout: number,
  flattenAfter: number,
  bootConfigs: object("a Map"),
  onError: callback("takes an error"),
};

/** Checks what `createKmsComposer` was told. Throws a `TypeError` about the first option that makes no sense. */
export function checkKmsOptions(options: KmsComposerOptions): void {
  checkOptions("createKmsComposer()", options, RULES);
  if (options.card && !(options.card instanceof OpenCard)) checkCardOptions("card", options.card);
}
