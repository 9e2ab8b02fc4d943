/** A value on a command line, and where it stands. */
interface SaidOption {
  readonly value: string;
  /** Index of the argument that ends with the value. */
  readonly at: number;
  /** What stands before the value in the same argument, such as `--config=`. */
  readonly before: string;
}

/** Values of an option in the order in which they are given: `--name value`, `--name=value`, `-n value`, `-nvalue`. */
export function optionsIn(args: readonly string[], names: readonly string[]): readonly SaidOption[] {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).flatMap((arg, index) => {
    const next = args[index + 1];
    if (names.includes(arg)) return next === undefined ? [] : [{ value: next, at: index + 1, before: "" }];
    const before = names.map((name) => (name.startsWith("--") ? `${name}=` : name)).find((one) => arg.startsWith(one));
    return before === undefined ? [] : [{ value: arg.slice(before.length), at: index, before }];
  });
}

/** The same arguments with another value of an option. */
export function withOption(args: readonly string[], { at, before }: SaidOption, value: string): readonly string[] {
  return args.with(at, before + value);
}
