import { COMMON_OPTIONS } from "./arguments/usage.ts";
import type { Command, Option } from "./command.ts";
import { WrongUse } from "../workbench/process/exit_code.ts";

type Commands = ReadonlyMap<string, Command>;

/** Scripts by shell. A script has all names itself: no program starts when a person presses Tab. */
const SCRIPTS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish };

/** The values of operands that are words and no files. */
function wordsOf(name: string, commands: Commands): readonly string[] {
  if (name === "help") return [...commands.keys()];
  if (name === "completions") return Object.keys(SCRIPTS);
  return name === "recording" ? ["info", "verify", "trim"] : [];
}

/** The values of options that are one of a few words. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  platform: ["android", "linux"],
  target: ["x86_64-linux", "aarch64-linux", "aarch64-android"],
};

/** The script of a shell. Throws {@linkcode WrongUse} for another shell. */
export function completionScript(commands: Commands, shell: string): string {
  if (Object.hasOwn(SCRIPTS, shell)) return SCRIPTS[shell](commands);
  throw new WrongUse(`completions: "${shell}" is not known; give ${Object.keys(SCRIPTS).join(", ")}`);
}

function optionsOf({ options }: Command): [string, Option][] {
  return Object.entries({ ...options, ...COMMON_OPTIONS });
}

function takesValue({ type, assumed }: Option): boolean {
  return type === "string" && assumed === undefined;
}

/** Text between single quotes, for bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

function bash(commands: Commands): string {
  const cases = [...commands].map(([name, command]) => {
    const words = optionsOf(command).map(([option, each]) => `--${option}${takesValue(each) ? "=" : ""}`);
    return `    ${name}) options=${quoted(words.join(" "))}; words=${quoted((wordsOf(name, commands)).join(" "))} ;;`;
  });
  const values = Object.entries(VALUES).map(([name, words]) => `    --${name}) words=${quoted(words.join(" "))} ;;`);
  return `# Completion of pumice for bash. To use it: source <(pumice completions bash)
_pumice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" options="" words="" word
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ${quoted([...commands.keys()].join(" "))} -- "$current")
    return
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ "$word" = -- ]; then return; fi
  done
  if [ "$current" = = ]; then current=""; else [ "$before" = = ] && before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$before" in
${values.join("\n")}
  esac
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  if [ "\${COMP_WORDS[COMP_CWORD-1]}" = = ]; then return; fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  case "$current" in
    -*) words="$options" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  case "\${COMPREPLY[*]}" in
    *=) [ "\${#COMPREPLY[@]}" -eq 1 ] && compopt -o nospace 2>/dev/null ;;
  esac
}
complete -o bashdefault -o default -F _pumice pumice`;
}

function zsh(commands: Commands): string {
  const summaries = [...commands].map(([name, { summary }]) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = [...commands].map(([name, command]) => {
    const lines = optionsOf(command).map(([option, each]) => quoted(zshOption(option, each)));
    const words = wordsOf(name, commands),
      operand = words.length > 0 ? `:word:(${words.join(" ")})` : command.operand === "" ? "" : ":file:_files";
    const rest = command.handsOn ? "*::program:_normal" : command.takesSeveral ? `*${operand}` : `1${operand}`;
    const operands = operand === "" && !command.handsOn ? [] : [quoted(rest)];
    return `    ${name}) _arguments -s : ${[...lines, ...operands].join(" \\\n      ")} ;;`;
  });
  return `#compdef pumice
# Completion of pumice for zsh. To use it: source <(pumice completions zsh)
_pumice() {
  local -a commands
  commands=(
${summaries.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case "$words[1]" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = _pumice ]; then _pumice "$@"; else compdef _pumice pumice; fi`;
}

function zshOption(name: string, option: Option): string {
  const { type, multiple, value = "", assumed, help } = option;
  const text = help.replace(/[[\]\\]/g, "\\$&").replaceAll(":", "\\:");
  const words = VALUES[name],
    what = words ? `(${words.join(" ")})` : /FILE|DIR|FOLDER|PATH|DRIVER|LAYER/.test(value) ? "_files" : " ";
  const end = type === "boolean" ? "" : `${assumed === undefined ? ":" : "::"}${value}:${what}`;
  const equals = type === "boolean" ? "" : assumed === undefined ? "=" : "=-";
  return `${multiple ? "*" : ""}--${name}${equals}[${text}]${end}`;
}

/** Text between single quotes, in which fish takes a backslash for the sign behind it. */
function fishQuoted(text: string): string {
  return quoted(text.replaceAll("\\", "\\\\"));
}

function fish(commands: Commands): string {
  const first = "__fish_use_subcommand", lines = [`complete -c pumice -n ${first} -f`];
  for (const [name, command] of commands) {
    const then = fishQuoted(`__fish_seen_subcommand_from ${name}`), words = wordsOf(name, commands);
    lines.push(`complete -c pumice -n ${first} -a ${name} -d ${fishQuoted(command.summary)}`);
    if (words.length > 0) lines.push(`complete -c pumice -n ${then} -f -a ${fishQuoted(words.join(" "))}`);
    else if (command.operand === "" && !command.handsOn) lines.push(`complete -c pumice -n ${then} -f`);
    for (const [option, each] of optionsOf(command)) {
      const values = VALUES[option]
        ? ` -x -a ${fishQuoted(VALUES[option].join(" "))}`
        : takesValue(each)
        ? " -r -F"
        : "";
      lines.push(`complete -c pumice -n ${then} -l ${option}${values} -d ${fishQuoted(each.help)}`);
    }
  }
  return `# Completion of pumice for fish. To use it: pumice completions fish | source
${lines.join("\n")}`;
}
