import { memoryJournal } from "../../../src/store/memory/memory.ts";
import { journalContract } from "../../contracts/journal.ts";

journalContract("memoryJournal", async (capacity) => ({ journal: memoryJournal({ capacity }), async close() {} }));
