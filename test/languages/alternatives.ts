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
  denial:
    "not|cannot|can['’]?t|(?:could|did|does|was|is|has|would)n['’]?t|unable|never|nothing|nobody|" +
    "missing|invalid|unknown|stale|impossible|" +
    String.raw`no (?:such|longer|\p{L}{2,24} (?:found|matche[sd]|with|for|at|is|was|exists?))|failed|failure|` +
    "denied|refused|rejected|blocked|exceeded|out of (?:range|bounds)|time[ds]?[ -]?out|nicht|" +
    String.raw`kein\p{L}{0,2}|ungültig\p{L}{0,2}|unmöglich|fehlgeschlagen|abgelaufen|überschritten|` +
    String.raw`verweigert|zeitüberschreitung|n['’](?=\p{L})|ne|pas|aucune?|introuvable|inconnue?|invalide|` +
    "expirée?|dépassée?|échouée?|refusée?|" +
    String.raw`no (?:se|es|está|estaba|hay|existe|fue|ha|pud\p{L}+|pued\p{L}+|encontr\p{L}+|visible|disponible|válid[oa])|` +
    "ningun[oa]?|ningún|imposible|agotado|fallid[oa]|falló|rechazad[oa]|não|nenhum[a]?|impossível|" +
    "inválid[oa]|esgotado|expirou|falhou|recusad[oa]|recusou|non|nessun[oa]?|impossibile|" +
    "scadut[oa]|fallit[oa]|rifiutat[oa]|niet|geen|mislukt|verlopen|nie|brak|nieudan[ey]|upłynął|не|" +
    "нет|невозможно|неверный|истекло|ません(?!か)|できな|できず|見つからな|見つからず|なかった|ありえない|失敗|無効|タイムアウト|時間切れ|" +
    "拒否され|未找到|没有找到|沒有找到|找不到|未能|无法|無法|不存在|不可|不能|失败|无效|無效|超时|逾時|超過時間|被拒绝|被拒絕|없(?:습|음|다|어|는)|" +
    "않(?:습|음|았|는)|못(?:했|하|함|합)|불가|실패|시간 ?초과|거부",
  fault:
    String.raw`errors?|failures?|exceptions?|problems?|issues?|warnings?|conflicts?|violations?|fehler\p{L}*|` +
    String.raw`erreurs?|échecs?|errore|errori|erros?|errore?s|fall[ao]s?|falhas?|fout(?:en)?|błęd\p{L}*|` +
    String.raw`ошиб\p{L}*`,
  faulty:
    "fail(?:ed|ing|s)?|broken|missing|invalid|denied|refused|rejected|blocked|stale|" +
    String.raw`fehlgeschlagen\p{L}*|échoué\p{L}*|falló|fallid[oa]s?|falhou`,
  negation:
    "no|not|0|zero|none|without|nothing|never|keine?[nrs]?|nicht|ohne|aucune?|pas d['’e]|ne|sans|ning[uú]n[oa]?|" +
    "sin|nenhuma?|não|sem|nessun[oa]?|non|senza|geen|zonder|brak|nie|bez|не|нет|без",
  negatedFault:
    "(?:エラー|問題|失敗|警告|異常|不具合)[はもが]?(?:あり|見つかり|発生してい|検出され)?ません(?:でした)?|" +
    "(?:没有|沒有|未|无|無)(?:发现|發現|找到|检测到|出现)?(?:任何)?(?:错误|錯誤|失败|失敗|问题|問題|异常|警告)|" +
    String.raw`(?:오류|에러|문제|실패|경고)(?:가|이|는|은|도)? ?(?:없(?:습니다|음|다|어요)|발견되지 않\p{L}*)`,
  notBeside: "such|longer|because|due|after|weil|wegen|car|porque",
  announcing:
    "let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|going to|voy a|déjame|" +
    "permíteme|vou|deixe-me|je vais|laissez-moi|sto per|lasciami|vado a|ich werde|lass mich|" +
    String.raw`ich (?:\p{L}{2,16} )?(?:jetzt|nun|gleich)|jetzt \p{L}{2,16} ich|ik (?:ga|zal)|` +
    String.raw`jag (?:ska|kommer att)|jeg (?:vil|skal)|tôi sẽ|saya akan|сейчас (?:я )?\p{L}{2,16}у|я сейчас|` +
    "приступаю|давайте|我(?:现在|馬上|马上|这就|這就|将|將|会|會|先|来|來|开始|開始)|让我|讓我|接下来我|接下來我|下面我|これから|今から|今すぐ|" +
    "(?:始め|作成し|書き|確認し|実行し)ます[。!]?$|겠습니다|할게요",
  atOnce:
    "ahora mismo|enseguida|en seguida|ya mismo|de inmediato|agora mesmo|imediatamente|em seguida|tout de suite|" +
    "immédiatement|dès maintenant|subito|immediatamente|sofort|umgehend|сейчас же|немедленно|meteen|direct|zaraz|" +
    "już|hemen|अभी|तुरंत|الآن|سأقوم|ngay bây giờ",
  beginning:
    String.raw`\p{L}{2,20}(?:acağım|eceğim|ıyorum|iyorum|uyorum|üyorum)|empiezo|comienzo|procedo|me pongo|` +
    "começo|passo a|ponho-me|je commence|je m'y mets|je procède|comincio|" +
    "ich (?:beginne|fange|starte)|начинаю|перехожу|ik begin|zaczynam|başlıyorum",
  goOn:
    "continue|go on|go ahead|proceed|keep going|carry on|resume|try again|next|weiter(?: so)?|mach weiter|" +
    "fortfahren|continue[rz]?|vas-y|allez-y|contin[uú]a|sigue|siga|adelante|prossiga|avanti|vai avanti|" +
    "продолжай(?:те)?|дальше|devam(?: et| edin)?|tiếp tục|kontynuuj|dalej|ga (?:maar )?(?:door|verder)|fortsätt|" +
    "fortsæt|fortsett|jatka|lanjutkan|teruskan|जारी रख(?:ो|ें)|आगे बढ़(?:ो|ें)|استمر|تابع|المتابعة|" +
    "계속(?:해|하세요|해줘)?|続けて|続行|進めて|次へ|继续|繼續|接着|下一步|请继续",
  please:
    "please|ok(ay)?|yes|just|bitte|por favor|s(?:'|’)il (?:te|vous) pla[iî]t|per favore|пожалуйста|はい|どうぞ|では|请|請|好的?",
  pleaseBehind: "bitte|por favor|per favore",
  calls:
    String.raw`\b(tool|function|action)s?\b|ferramentas?|herramientas?|funci[oó]n|função|outils?\b|` +
    String.raw`fonctions?\b|werkzeug|funktion|strument[oi]|funzion[ei]|инструмент|функци|narzędzi|funkcj|` +
    "araç|công cụ|도구|함수|ツール|関数|工具|函数|أداة|الأدوات|उपकरण|फ़ंक्शन",
  answers:
    String.raw`\b(answer|response|reply|message|output|call)\b|respost|responda|respuesta|responde|réponse|` +
    "répond|antwort|ausgabe|rispost|rispond|ответ|вызов|odpowied|yanıt|cevap|trả lời|câu trả|답변|응답|" +
    "출력|回答|応答|返答|回复|輸出|输出|调用|呼び出|إجاب|الرد|उत्तर|जवाब",
};
