/** How loud a message is; `"plain"`: how something was put together, which goes by its categories, layers and drivers. */
export type Level = "error" | "warning" | "info" | "debug" | "plain";

/** Takes a message of the loader, whoever is to hear it. Called inside callbacks, too: it must not throw. */
export type Say = (level: Level, text: string) => void;
