import type { Category } from "../../src/languages/languages.ts";

/** All alternatives that languages have in a category. Whoever adds a word adds it here, too: none goes unseen. */
export const ALTERNATIVES: Readonly<Record<Category, string>> = {
  failureOpening:
    "error|fatal|failed|failure|fail|exception|traceback|panic|unable to|" +
    "(could ?n[o']t|cannot|can't)(?! (find|locate))|invalid|unknown|unhandled|denied|forbidden|unauthori[sz]ed|" +
    "fehler|fehlgeschlagen|erreur|échec|errore|erro|falha|fallo|ошибка|сбой|오류|실패|エラー|错误|錯誤|失敗|失败|त्रुटि|خطأ|" +
    "błąd|fout|fel|virhe|hata|lỗi",
  failureClause:
    "non riuscit[oa]|no se (?:pudo|ha podido)|não foi possível|konnte nicht|impossible d(?:e |')|не удалось|" +
    "nie udało się|できませんでした|无法|未能|تعذر|विफल|असफल",
  failureState:
    "fail(ed|ure)?|error|fehlgeschlagen|échec|fallido|fallo|falhou|falha|ошибка|失败|失敗|실패|gagal|başarısız|" +
    "niepowodzenie|mislukt|misslyckades|th[aấ]t[ _]b[aạ]i",
  failureField:
    "fehler(meldung)?|erreur|erro|errore|błąd|blad|fout|fel|fejl|feil|virhe|hata|l[oỗ]i|ошибка|오류|エラー|错误|錯誤|" +
    "त्रुटि|خطأ",
  refusalState:
    "rejected|refused|declined|denied|blocked|forbidden|invalid|aborted|unauthori[sz]ed|" +
    "not[_ ](allowed|permitted|accepted)|abgelehnt|verweigert|rechazad[oa]|refusée?|rejetée?|rifiutat[oa]|" +
    "recusad[oa]|отклонен[оа]?|拒绝|已拒绝|拒否|거부됨?|不可|ditolak|reddedildi|odrzucono|geweigerd|nekad|avvist|afvist|" +
    "hylätty",
  done:
    "ok(ay)?|done|success(ful(ly)?)?|noted|written|wrote|saved|updated?|created|deleted|removed|modified|changed|" +
    "replaced|submitted|posted|cleared|added|sent|inserted|edited|applied|complete[d]?|finished|moved|copied|" +
    "acknowledged|recorded|stored|restarted|started|stopped|set|executed|no output|no changes?|" +
    "(完了|成功|保存|更新|作成|削除|追加|送信|登録)(し|され|済|です|$)|已经?(保存|更新|创建|删除|添加|发送|写入|提交)|成功|完成",
  gesture: "clicked|typed|pressed|scrolled|tapped|swiped|selected|hovered|dragged",
  wellState:
    "ok(ay)?|healthy|active|up|alive|online|enabled|valid|pass(ed|ing)?|green|approved?|available|reachable|clean",
  waiting:
    "running|pending|in[ _-]progress|queued|waiting|processing|" +
    "not (yet )?(ready|done|finished|complete)|" +
    "no new (output|data|messages?|e?mails?|events?|updates?|replies|logs?)|" +
    String.raw`(no|not|nothing)\b.{0,24}\byet|still`,
  waitingState:
    "building|starting|restarting|provisioning|deploying|creating|initiali[sz]ing|scheduled|scheduling|pulling|" +
    "uploading|downloading|syncing|awaiting|enqueued|booting|installing|upgrading|rolling|indexing|rendering|" +
    "transcoding|training|not[ _]started",
};
