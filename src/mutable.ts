/** A value while it is being put together by whoever made it; nobody else has seen it yet. */
export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
