import { expect, it } from "vitest";
import { isRandomId } from "../../../src/session/session.ts";

it.each([
  ["call_q8w7e6r5t4y3", true],
  ["call_12345ab30002", true],
  ["call_1a2b3c4d", true],
  ["toolu_01K9fQx7PzTq2bWm", true],
  ["3f0c1b2e-7c1d-4a55-9d0e-2b1f6c7a8d90", true],
  ["42a1b2c3d4e5f6a7b8_0001", true],
  ["call_1", false],
  ["functions.read_file:7", false],
  ["functions.search_pages:0001", false],
  ["get_page_of_city_step3", false],
  ["tool_call_of_step2", false],
  ["call_abcdefghijk", false],
])("a call id that no other run has is told from one that is counted: %s", (id, isRandom) =>
  expect(isRandomId(id)).toBe(isRandom),
);
