// The platform's types come by import: as globals they would contradict those of the DOM and of Node.
declare module "cloudflare:workers" {
  import { CloudflareWorkersModule } from "@cloudflare/workers-types";
  export = CloudflareWorkersModule;
}
