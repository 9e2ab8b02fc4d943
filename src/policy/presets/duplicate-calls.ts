import type { Policy } from "../policy-type.ts";
import { bare } from "./bare.ts";

const raw = String.raw;

/** Ends a run whose turn makes the same calls as the two before it, whatever came back. */
export const duplicateCalls: Policy = {
  ...bare,
  name: "duplicate-calls",
  ladders: { "repeated-call": { "short-circuit": 3 } },
  detectors: { "repeated-call": { window: 1, outcome: "any", order: "kept", polls: "count" } },
  finalText: "own-text",
  wording: {
    en: { stopped: raw`I've completed processing but have no new response to give.` },
    ja: { stopped: raw`処理は完了しましたが、新しくお伝えすることはありません。` },
    zh: { stopped: raw`处理已完成,但没有新的内容可以回复。` },
    es: { stopped: raw`He terminado el procesamiento, pero no tengo ninguna respuesta nueva que dar.` },
    de: { stopped: raw`Die Verarbeitung ist abgeschlossen, aber es gibt nichts Neues zu sagen.` },
    fr: { stopped: raw`Le traitement est terminé, mais je n'ai pas de nouvelle réponse à donner.` },
    pt: { stopped: raw`O processamento foi concluído, mas não tenho nenhuma resposta nova a dar.` },
    ko: { stopped: raw`처리를 마쳤지만 새로 드릴 답변이 없습니다.` },
  },
  // Other arguments are another call, whatever they are called.
  tools: { "*": { ignore: [] } },
};
