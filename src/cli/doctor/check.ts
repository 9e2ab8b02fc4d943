/** What a check has found. `skipped`: there was nothing to look at, and that is no fault. */
export interface Diagnosis {
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** One sentence on what is the case. */
  readonly says: string;
  /** Advice on how to fix the problem. */
  readonly cure?: string;
}

/** One question to an installation. */
export interface DoctorCheck {
  readonly name: string;
  /** May give several findings, one for each thing that it looks at. */
  run(): Promise<readonly Diagnosis[]>;
}

export const ok = (says: string): Diagnosis => ({ status: "ok", says });
export const skipped = (says: string): Diagnosis => ({ status: "skipped", says });
export const warning = (says: string, cure: string): Diagnosis => ({ status: "warning", says, cure });
export const failed = (says: string, cure: string): Diagnosis => ({ status: "failed", says, cure });
