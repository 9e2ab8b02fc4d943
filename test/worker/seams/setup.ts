import { networkFetch } from "./network.ts";

globalThis.fetch = networkFetch;
