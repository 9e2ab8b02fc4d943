export type ScriptedAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "calls"; readonly calls: readonly ScriptedCall[]; readonly text?: string }
  | { readonly kind: "error"; readonly status: number; readonly message: string }
  | RawAnswer;

export interface ScriptedCall {
  readonly tool: string;
  /** The argument text as the model writes it. */
  readonly args: string;
  readonly id?: string;
}

export interface RawAnswer {
  readonly kind: "raw";
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  /** Sent one by one. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** `cut` breaks the connection after the last piece; `hang` leaves it open. */
  readonly ending: "end" | "cut" | "hang";
}
