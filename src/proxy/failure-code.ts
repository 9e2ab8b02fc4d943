import { UnloopError } from "../errors.ts";

/** A stable code for an answer that broke off, or never began. */
export function failureCode(failure: unknown): string {
  return failure instanceof UnloopError ? failure.code : "upstream_broke_off";
}
