import { expect, it } from "vitest";
import { z } from "zod";
import { fillSchema } from "../../../src/protocols/schema-fill/schema-fill.ts";

it.each(
  Object.entries({
    datetime: z.iso.datetime(),
    date: z.iso.date(),
    time: z.iso.time(),
    duration: z.iso.duration(),
    email: z.email(),
    uuid: z.uuid(),
    "uuid v4": z.uuidv4(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    url: z.url(),
    base64: z.base64(),
    nanoid: z.nanoid(),
    ulid: z.ulid(),
    e164: z.e164(),
    emoji: z.emoji(),
  }),
)("zod's %s is satisfied, whatever pattern stands beside its format", (_, field) => {
  const schema = z.object({ field, why: z.string() });
  const value = fillSchema(z.toJSONSchema(schema), "It is over.");
  expect(schema.safeParse(value)).toMatchObject({ success: true, data: { why: "It is over." } });
});
