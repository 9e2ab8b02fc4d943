/** Mutable version of a readonly type, for a value that is still being built and not yet shared. */
export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
