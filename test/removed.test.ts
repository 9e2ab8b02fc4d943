import { expect, it } from "vitest";
import { readSettings } from "../src/config/config.ts";
import { policyFrom } from "../src/policy/policy.ts";
import { removed } from "../src/removed.ts";

it.each([...removed])("tells what takes the place of %s", (name, instead) => {
  if (name.startsWith("UNLOOP_"))
    expect(() => readSettings({ [name]: "1" })).toThrow(`${name} was removed. ${instead}`);
  else expect(() => policyFrom({ [name]: 1 })).toThrow(`any more. ${instead}`);
});
