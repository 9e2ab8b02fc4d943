import type OpenAI from "openai";
import OpenAI6 from "openai-6";
import { apiKey } from "./client.ts";
import { clientsOf } from "./openai.ts";

/** The official SDK in the major before. It has the methods used here; only its private fields keep the compiler from seeing it. */
export const openai6Clients = clientsOf(
  "openai-6",
  ({ baseURL }) => new OpenAI6({ apiKey, baseURL }) as unknown as OpenAI,
);
