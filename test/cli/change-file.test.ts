import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { changeFile } from "../../src/cli/change-file.ts";

function fileWith(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "unloop-change-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, link] = [join(folder, "own.yaml"), join(folder, "link.yaml")];
  writeFileSync(file, text, { mode: 0o600 });
  symlinkSync(file, link);
  return { folder, file, link };
}

it("loses no change of several at once, and leaves link, mode and nothing else", async () => {
  const { folder, file, link } = fileWith("");
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => changeFile(i % 2 === 0 ? file : link, (text) => `${text}${i}\n`)),
  );
  const lines = readFileSync(file, "utf8").trim().split("\n").map(Number);
  expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect([lstatSync(link).isSymbolicLink(), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  expect(readdirSync(folder).sort()).toEqual(["link.yaml", "own.yaml"]);
});

it("keeps a file whose change fails", async () => {
  const { file, folder } = fileWith("before");
  const failing = changeFile(file, () => {
    throw new Error("no such key");
  });
  await expect(failing).rejects.toThrow("no such key");
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["before", ["link.yaml", "own.yaml"]]);
  await expect(changeFile(`${file}.none`, () => "x")).rejects.toMatchObject({ code: "bad_setting" });
});

it("writes nothing where nothing changes, and names a draft that a killed process has left", async () => {
  const { file, folder } = fileWith("before");
  const { ino } = statSync(file);
  await changeFile(file, (text) => text);
  expect([statSync(file).ino, readdirSync(folder).sort()]).toEqual([ino, ["link.yaml", "own.yaml"]]);
  const draft = `${file}.unloop.new`;
  writeFileSync(draft, "half");
  await expect(changeFile(file, () => "after")).rejects.toThrow(`${draft} is there: another process writes it`);
  expect(readFileSync(file, "utf8")).toBe("before");
}, 20_000);
