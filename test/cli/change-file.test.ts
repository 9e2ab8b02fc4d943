import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { changeFile } from "../../src/cli/change-file.ts";
import { files } from "./command.ts";

function fileWith(text: string) {
  const file = files({ "own.yaml": text })["own.yaml"];
  const folder = dirname(file);
  const link = join(folder, "link.yaml");
  symlinkSync(file, link);
  return { file, link, read: () => readFileSync(file, "utf8"), names: () => readdirSync(folder).sort() };
}
const both = ["link.yaml", "own.yaml"];

it("loses no change of several at once, and leaves link, mode and nothing else", async () => {
  const { file, link, read, names } = fileWith("");
  const { mode } = statSync(file);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => changeFile(i % 2 === 0 ? file : link, (text) => `${text}${i}\n`)),
  );
  const lines = read().trim().split("\n").map(Number);
  expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect([lstatSync(link).isSymbolicLink(), statSync(file).mode, names()]).toEqual([true, mode, both]);
});

it("keeps a file whose change fails", async () => {
  const { file, read, names } = fileWith("before");
  const failing = changeFile(file, () => {
    throw new Error("no such key");
  });
  await expect(failing).rejects.toThrow("no such key");
  expect([read(), names()]).toEqual(["before", both]);
  await expect(changeFile(`${file}.none`, () => "x")).rejects.toMatchObject({ code: "bad_setting" });
});

it("writes nothing where nothing changes, and names a draft that a killed process has left", async () => {
  const { file, read, names } = fileWith("before");
  const { ino } = statSync(file);
  await changeFile(file, (text) => text);
  expect([statSync(file).ino, names()]).toEqual([ino, both]);
  const draft = `${file}.unloop.new`;
  writeFileSync(draft, "half");
  await expect(changeFile(file, () => "after")).rejects.toThrow(`${draft} is there: another process writes it`);
  expect(read()).toBe("before");
}, 20_000);
