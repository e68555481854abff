/** How many contexts are tried where nobody says how many: in scripts as on the command line, whose help tells it. */
export const DEFAULT_CONTEXTS = 100;
