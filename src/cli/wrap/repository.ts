import { dirname, join } from "node:path";
import type { AgentEnvironment } from "./agent.ts";

/** This folder and those around it, the nearest first: up to the root of its repository, else to that of the disk. */
export function foldersAround({ cwd, read }: Pick<AgentEnvironment, "cwd" | "read">): {
  readonly folders: readonly string[];
  readonly repository: string | undefined;
} {
  const folders = [cwd];
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) folders.push(dirname(folder));
  // Of a worktree or a submodule it is a file.
  const isRoot = (folder: string) => (read(join(folder, ".git", "HEAD")) ?? read(join(folder, ".git"))) !== undefined;
  const repository = folders.find(isRoot);
  return {
    folders: repository === undefined ? folders : folders.slice(0, folders.indexOf(repository) + 1),
    repository,
  };
}
