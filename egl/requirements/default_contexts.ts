/** The default number of contexts to try, in scripts and on the command line, whose help states the number. */
export const DEFAULT_CONTEXTS = 100;
