import { describe, expect, it } from "vitest";
import { type BodyBudget, bodyBudget } from "../../src/proxy/http/request-body.ts";

const MB = 1024 * 1024;
const PIECE = 64 * 1024;

function upload(budget: BodyBudget, owner: string, bytes: number) {
  const hold = budget.open(owner);
  let taken = 0;
  while (taken < bytes && hold.take(PIECE)) taken += PIECE;
  const isWhole = taken >= bytes;
  if (!isWhole) hold.release();
  return { isWhole, release: hold.release };
}

describe("the budget of request bodies", () => {
  it("reads a body that is alone, however large, and gives back what is released", () => {
    const budget = bodyBudget(MB);
    const alone = upload(budget, "a", 32 * MB);
    expect(alone.isWhole).toBe(true);
    expect(upload(budget, "b", PIECE).isWhole).toBe(false);
    alone.release();
    expect(budget.held()).toBe(0);
    expect(upload(budget, "b", PIECE).isWhole).toBe(true);
  });

  it.each([
    { filling: "one client with large bodies", owner: () => "loud", size: 32 * MB, count: 25 },
    { filling: "one client with bodies of a megabyte", owner: () => "loud", size: MB, count: 500 },
    { filling: "one client with small bodies", owner: () => "loud", size: PIECE, count: 5_000 },
    { filling: "twenty clients with large bodies", owner: (i: number) => `loud ${i % 20}`, size: 32 * MB, count: 100 },
  ])("leaves another client room, while it is filled by $filling", ({ owner, size, count }) => {
    const budget = bodyBudget(96 * MB);
    for (let i = 0; i < count; i++) upload(budget, owner(i), size);
    expect(budget.held()).toBeGreaterThan(32 * MB);
    expect(upload(budget, "quiet", 512 * 1024).isWhole).toBe(true);
  });
});

it("what is sent before the rest has come makes room, and no more than it had taken", () => {
  const budget = bodyBudget(1_000_000);
  const hold = budget.open("a");
  expect(hold.take(700_000)).toBe(true);
  hold.give(300_000);
  expect(budget.held()).toBe(400_000);
  hold.give(500_000);
  expect(budget.held()).toBe(0);
  hold.release();
  expect(budget.held()).toBe(0);
});
