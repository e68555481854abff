/** A message of a stream. */
export interface StoredMessage {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The bytes that a server's file has for a message, beside the subject and the contents. */
const FRAME = 30;
/** Milliseconds in which a message with a known identity is a duplicate. */
const DUPLICATES = 120_000;

/** Counts of what went to a server and from it, and of what it keeps. */
export class Counts {
  messages = 0;
  /** Bytes that the server keeps now, and the most that it has kept. */
  stored = 0;
  most = 0;

  /** Adds bytes that the server keeps; a negative number for removed ones. */
  keep(bytes: number): void {
    this.stored += bytes;
    this.most = Math.max(this.most, this.stored);
  }
}

/** Messages in the order of their arrival. */
export class StoredStream {
  readonly #counts: Counts;
  readonly #messages = new Map<number, StoredMessage>();
  readonly #bySubject = new Map<string, number[]>();
  readonly #identities = new Map<string, number>();
  /** Called for each new message. */
  readonly followers = new Set<(message: StoredMessage) => void>();
  #last = 0;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  /** The sequence of the newest message. */
  get last(): number {
    return this.#last;
  }

  /** Stores a message. Returns `undefined` for a duplicate. */
  add(subject: string, data: Uint8Array, at: number, identity?: string): StoredMessage | undefined {
    if (identity !== undefined && this.#isKnown(identity, at)) return undefined;
    const message = { seq: ++this.#last, subject, data, at };
    this.#messages.set(message.seq, message);
    const others = this.#bySubject.get(subject);
    if (others) others.push(message.seq);
    else this.#bySubject.set(subject, [message.seq]);
    this.#counts.keep(sizeOf(message));
    for (const follow of [...this.followers]) follow(message);
    return message;
  }

  get(seq: number): StoredMessage | undefined {
    return this.#messages.get(seq);
  }

  /** The first message from a sequence on, on a subject or on all that begin so. */
  next(seq: number, subject: string): StoredMessage | undefined {
    const start = subject.indexOf("*");
    if (start < 0) {
      const found = this.#bySubject.get(subject)?.find((each) => each >= seq);
      return found === undefined ? undefined : this.#messages.get(found);
    }
    for (let at = seq; at <= this.#last; at++) {
      const message = this.#messages.get(at);
      if (message && matches(subject, message.subject)) return message;
    }
    return undefined;
  }

  remove(seq: number): void {
    const message = this.#messages.get(seq);
    if (!message) return;
    this.#messages.delete(seq);
    this.#bySubject.delete(message.subject);
    this.#counts.keep(-sizeOf(message));
  }

  /** Removes all. */
  clear(): void {
    for (const message of this.#messages.values()) this.#counts.keep(-sizeOf(message));
    this.#messages.clear();
    this.followers.clear();
  }

  #isKnown(identity: string, at: number): boolean {
    for (const [each, time] of this.#identities) {
      if (at - time < DUPLICATES) break;
      this.#identities.delete(each);
    }
    if (this.#identities.has(identity)) return true;
    this.#identities.set(identity, at);
    return false;
  }
}

/** The bytes of a message in a server's file. */
export function sizeOf({ subject, data }: Pick<StoredMessage, "subject" | "data">): number {
  return FRAME + subject.length + data.length;
}

/** Whether a subject is one of those that a pattern names. */
export function matches(pattern: string, subject: string): boolean {
  if (pattern === subject) return true;
  const words = subject.split("."), wanted = pattern.split(".");
  if (wanted.at(-1) === ">") return wanted.slice(0, -1).every((each, at) => each === "*" || each === words[at]);
  return words.length === wanted.length && wanted.every((each, at) => each === "*" || each === words[at]);
}
