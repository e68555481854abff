throw new Error("no tests <here>");
