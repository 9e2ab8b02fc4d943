import { isObject, type JsonObject, jsonText, objectIn, stringIn } from "../json/json.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import { likeness } from "../likeness.ts";

/** Parts joined by line breaks, whatever is not text as a short mark. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return cutText(content);
  if (Array.isArray(content)) return joinTexts(content.map(partText));
  return content === null || content === undefined ? "" : cutText(partText(content));
}

function partText(part: unknown): string {
  if (part === null) return "";
  if (!isObject(part)) return stringIn(part) ?? jsonText(part) ?? "";
  switch (part.type) {
    case "input_image":
    case "computer_screenshot":
    case "image":
      return `[image${likeness(stringIn(part.image_url) ?? stringIn(part.file_id))}]`;
    case "input_audio":
      return `[audio${likeness(stringIn(objectIn(part.input_audio).data) ?? stringIn(part.data))}]`;
    case "input_file":
      return `[file${likeness(fileMark(part))}]`;
    default:
      return stringIn(part.text) ?? stringIn(part.refusal) ?? jsonText(part) ?? "";
  }
}

function fileMark({ file_id, file_url, file_data, filename }: JsonObject): string | undefined {
  return stringIn(file_id) ?? stringIn(file_url) ?? stringIn(file_data) ?? stringIn(filename);
}
