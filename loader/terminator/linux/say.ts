/** How loud a message is. */
export type Level = "error" | "warning" | "info" | "debug";

/** Takes a message of the loader, whoever is to hear it. Called inside callbacks, too: it must not throw. */
export type Say = (level: Level, text: string) => void;
