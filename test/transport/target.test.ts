import { Hono } from "hono";
import { expect, it } from "vitest";
import { targetBehindMount } from "../../src/transport/transport.ts";

const targetAt = async (mount: string, requested: string) => {
  const guard = new Hono().all("*", (context) => context.text(targetBehindMount(context, requested)));
  // An error handler of its own makes Hono wrap the app's handlers.
  guard.onError((error, context) => context.text(error.message, 500));
  const app = mount === "" ? guard : new Hono().route(mount, guard);
  return (await app.request(requested.replace(/^\w+:\/\/[^/]*/, ""))).text();
};

it.each([
  { mount: "", requested: "/v1/models?a=/llm/b", target: "/v1/models?a=/llm/b" },
  { mount: "/a/llm/", requested: "/a/llm/v1/models", target: "/v1/models" },
  { mount: "/:team/llm", requested: "/red%2Fblue/llm/v1/%41", target: "/v1/%41" },
  { mount: "/llm", requested: "/%6Clm/v1", target: "/v1" },
  { mount: "/llm", requested: "/llm?a=1", target: "/?a=1" },
  { mount: "/llm", requested: "/llm", target: "/" },
  { mount: "/llm", requested: "http://elsewhere.example/llm/v1/models?a", target: "/v1/models?a" },
  { mount: "", requested: "HTTP://user@elsewhere.example", target: "/" },
])("targetBehindMount finds $target in $requested below '$mount'", async ({ mount, requested, target }) => {
  expect(await targetAt(mount, requested)).toBe(target);
});
