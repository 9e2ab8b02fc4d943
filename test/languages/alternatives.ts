import type { Category } from "../../src/languages/languages.ts";

/** All alternatives that languages have in a category. Whoever adds a word adds it here, too: none goes unseen. */
export const ALTERNATIVES: Readonly<Record<Category, string>> = {
  failureOpening:
    "error|fatal|failed|failure|fail|exception|traceback|panic|unable to|" +
    "(could ?n[o']t|cannot|can't)(?! (find|locate))|invalid|unknown|unhandled|denied|forbidden|unauthori[sz]ed|" +
    "fehler|fehlgeschlagen|erreur|échec|errore|erro|falha|fallo|ошибка|сбой|오류|실패|エラー|错误|錯誤|失敗|失败|त्रुटि|خطأ|" +
    "błąd|fout|fel|virhe|hata|lỗi",
  done:
    "ok(ay)?|done|success(ful(ly)?)?|noted|written|wrote|saved|updated?|created|deleted|removed|modified|" +
    "changed|replaced|submitted|posted|cleared|added|sent|inserted|edited|applied|complete[d]?|finished|moved|" +
    "copied|acknowledged|recorded|stored|restarted|started|stopped|set|executed|no output|no changes?",
  gesture: "clicked|typed|pressed|scrolled|tapped|swiped|selected|hovered|dragged",
  waiting:
    "running|pending|in[ _-]progress|queued|waiting|processing|" +
    "not (yet )?(ready|done|finished|complete)|" +
    "no new (output|data|messages?|e?mails?|events?|updates?|replies|logs?)|" +
    String.raw`(no|not|nothing)\b.{0,24}\byet|still`,
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
    "errors?|failures?|exceptions?|problems?|issues?|warnings?|conflicts?|violations?|fail(?:ed|ing|s)?|" +
    String.raw`broken|missing|invalid|denied|refused|rejected|blocked|stale|fehler\p{L}*|fehlgeschlagen\p{L}*|erreurs?|` +
    String.raw`échecs?|échoué\p{L}*|errore?s|fall[ao]s?|falló|fallid[oa]s?|erros?|falhas?|falhou|errore|errori|` +
    String.raw`fout(?:en)?|błęd\p{L}*|ошиб\p{L}*`,
  negation:
    "no|not|0|zero|none|without|nothing|never|keine?[nrs]?|nicht|ohne|aucune?|pas d['’e]|ne|sans|ning[uú]n[oa]?|" +
    "sin|nenhuma?|não|sem|nessun[oa]?|non|senza|geen|zonder|brak|nie|bez|не|нет|без",
  negatedFault:
    "(?:エラー|問題|失敗|警告|異常|不具合)[はもが]?(?:あり|見つかり|発生してい|検出され)?ません(?:でした)?|" +
    "(?:没有|沒有|未|无|無)(?:发现|發現|找到|检测到|出现)?(?:任何)?(?:错误|錯誤|失败|失敗|问题|問題|异常|警告)|" +
    String.raw`(?:오류|에러|문제|실패|경고)(?:가|이|는|은|도)? ?(?:없(?:습니다|음|다|어요)|발견되지 않\p{L}*)`,
  announcing:
    "let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|going to|voy a|déjame|" +
    "permíteme|vou|deixe-me|je vais|laissez-moi|sto per|lasciami|vado a|ich werde|lass mich|" +
    String.raw`ich (?:\p{L}{2,16} )?(?:jetzt|nun|gleich)|jetzt \p{L}{2,16} ich|ik (?:ga|zal)|` +
    String.raw`jag (?:ska|kommer att)|jeg (?:vil|skal)|tôi sẽ|saya akan|сейчас (?:я )?\p{L}{2,16}у|я сейчас|` +
    "приступаю|давайте|我(?:现在|馬上|马上|这就|這就|将|將|会|會|先|来|來|开始|開始)|让我|讓我|接下来我|接下來我|下面我|これから|今から|今すぐ|" +
    "(?:始め|作成し|書き|確認し|実行し)ます[。!]?$|겠습니다|할게요",
  goOn:
    "continue|go on|go ahead|proceed|keep going|carry on|resume|try again|next|weiter(?: so)?|mach weiter|" +
    "fortfahren|continue[rz]?|vas-y|allez-y|contin[uú]a|sigue|siga|adelante|prossiga|avanti|vai avanti|" +
    "продолжай(?:те)?|дальше|devam(?: et| edin)?|tiếp tục|kontynuuj|dalej|ga (?:maar )?(?:door|verder)|fortsätt|" +
    "fortsæt|fortsett|jatka|lanjutkan|teruskan|जारी रख(?:ो|ें)|आगे बढ़(?:ो|ें)|استمر|تابع|المتابعة|" +
    "계속(?:해|하세요|해줘)?|続けて|続行|進めて|次へ|继续|繼續|接着|下一步|请继续",
  farewell:
    String.raw`have an? (?:\p{L}+ ){0,2}(?:day|evening|night|weekend|week|morning|afternoon|time|one|trip|flight|stay|journey)|` +
    "(?:youre|you are|your) (?:very |most |so |always )?welcome|most welcome|" +
    String.raw`(?:(?:many )?thanks|thank (?:you|u|ya)|thx)(?: (?:a \p{L}+|lots|loads|tons|heaps))?|` +
    "much obliged|(?:good ?)?bye(?: ?bye)?|farewell|take care|good ?night|" +
    "all the best|best wishes|safe travels|" +
    "see (?:you|ya)(?: (?:soon|later|around|then|again|there|next time))?|until next time|" +
    "talk (?:to you )?(?:soon|later)|(?:muchas |mil )?gracias|de nada|no hay de qué|adi[oó]s|" +
    "hasta (?:luego|pronto|la próxima|mañana)|cuídate|cuídese|chao|" +
    String.raw`(?:que )?(?:tenga|tengas|pase|pases) (?:un |una )?(?:\p{L}+ ){0,2}(?:día|tarde|noche|semana)|` +
    "(?:vielen |herzlichen |besten )?dank|danke(?: schön| sehr)?|gern geschehen|" +
    "bitte (?:schön|sehr)|auf wieder(?:sehen|hören)|tsch(?:ü|ue)ss|bis (?:bald|dann|später)|" +
    String.raw`mach(?:s| es)? gut|(?:einen )?(?:\p{L}+ ){0,2}(?:schönen|guten) (?:tag|abend)|` +
    "merci(?: beaucoup| bien)?|de rien|je (?:vous en|ten|t en) prie|au revoir|à bientôt|" +
    "prenez soin de vous|prends soin de toi|" +
    "(?:bonne|excellente) (?:journée|soirée|nuit|continuation|fin de journée)|" +
    "ありがとう(?:ございます|ございました)?|有難う(?:ございます|ございました)?|どういたしまして|さようなら|さよなら|バイバイ|" +
    "(?:良|よ|い)い(?:一日|1日|週末|夜)を(?:お過ごしください|お過ごし下さい)?|お(?:気|身体|体)を?(?:お?大切に|つけて)(?:ください|下さい)?|" +
    "お大事に(?:なさってください)?|お疲れ様(?:でした|です)?|失礼(?:いた|致)?します|ではまた|またね|おやすみなさい|" +
    "(?:非常|十分|太)?(?:感谢|感謝|谢谢|謝謝|多谢|多謝)(?:您|你)?|不客气|不客氣|不用谢|不用謝|别客气|再见|再見|再会|拜拜|" +
    "祝(?:您|你)?(?:有|度过|度過)?(?:一个|一個|个)?(?:美好|愉快|开心|開心|顺利|順利)的?(?:一天|一日|周末|週末|夜晚)?|" +
    "祝(?:您|你)?(?:生活|旅途|周末)?愉快|(?:多)?保重|一路(?:顺风|順風|平安)|慢走|晚安",
  offer:
    "(?:thats|that is|that was|that will be|thatll be|that should be) (?:all|it|everything)(?: i (?:need|needed|wanted))?|" +
    "all i (?:need|needed|wanted)|" +
    "(?:please )?(?:let (?:me|us) know|feel free to (?:ask|reach out|contact (?:me|us)))(?: anytime)?|" +
    String.raw`(?:if|whenever) (?:you (?:ever )?(?:need|have)|theres|there is) (?:me|us|anything|any(?: \p{L}+)? (?:help|questions?|assistance))(?: else| more)?|` +
    "(?:dont|do not) (?:mention it|hesitate(?: to (?:reach out|ask|contact (?:me|us)))?)|" +
    "no (?:problem|worries|trouble)|(?:i )?(?:will|ill) do|" +
    "i(?:m| am) (?:glad|happy) (?:i|we) (?:could|can) help|(?:glad|happy) to (?:help|assist)|" +
    String.raw`(?:また)?何か(?:あれば|ありましたら|ございましたら)\s?(?:いつでも)?(?:お知らせ|お申し付け|ご連絡|お声がけ)?(?:ください|下さい)?|` +
    String.raw`(?:如果|如)?(?:您|你)?(?:还|還)?有(?:任何|其他|别的|什么)?(?:需要|问题|問題)?(?:的话)?\s?(?:请|請)?(?:随时|隨時)(?:联系|聯繫|告诉|告訴|找)(?:我|我们|我們)?`,
  courtesy:
    "you|your|too|as|well|so|very|much|really|kindly|again|also|have|has|a|an|the|to|be|is|was|it|its|this|that|" +
    "those|these|and|with|from|for|of|in|on|at|my|me|i|im|ill|we|us|our|all|everything|everyone|now|today|" +
    "tonight|tomorrow|then|there|here|help|helping|helpful|support|assistance|assisting|great|good|nice|lovely|" +
    "wonderful|fantastic|amazing|excellent|perfect|awesome|fine|okay|ok|alright|right|cool|sure|no|nothing|else|" +
    "more|than|glad|happy|pleasure|appreciate|appreciated|appreciation|could|can|dear|sir|madam|maam|mr|mrs|ms|" +
    "day|evening|night|morning|afternoon|weekend|week|time|rest|enjoy|enjoyed|safe|soon|later|look|forward|" +
    "looking|hope|best|regards|kind|kindness|patience|understanding|info|information|update|anytime|always|" +
    "welcome|back|meet|meeting|talk|talking|chatting|speaking|goodness|just|same|likewise|yourself|friend|hi|" +
    "hello|oh|yeah|ciao|cheers|wish|wishing|sounds|out|up|everybody|see|igualmente|usted|ustedes|ti|para|por|su|" +
    "tu|ayuda|mucho|muchas|muchos|muy|buen|buena|buenas|buenos|día|días|tarde|tardes|noche|noches|lindo|feliz|" +
    "también|la|el|todo|con|que|le|te|gusto|placer|un|una|ihnen|dir|euch|auch|ebenfalls|gleichfalls|und|einen|" +
    "eine|schön|schöne|schönen|guten|gute|tag|abend|woche|wochenende|noch|für|ihre|deine|die|der|das|hilfe|gern|" +
    "gerne|alles|wünsche|ich|sehr|viel|spaß|herr|frau|mal|wieder|vous|aussi|également|à|et|pour|votre|ton|aide|" +
    "beaucoup|bien|une|belle|bonne|journée|soirée|plaisir|avec|les|de|tout|toi|salut|madame|monsieur|excellente|" +
    "こちらこそ|本当に|とても|どうも|誠に|また|いつでも|どうぞ|それでは|では|お手伝いできて|嬉しいです|うれしいです|よかったです|お役に立てて|何よりです|ご利用|いただき|お問い合わせ|助かりました|" +
    "ございます|です|ます|ました|ね|よ|。|、|您也一样|你也一样|您也是|你也是|也祝您|也祝你|同样|很高兴|能够?|帮到|帮助|您的|你的|您|你|我|也|非常|好的|啊|哦|呢|了|的",
  thinkVerb: "think|thinking|thought|reflect|reflection|scratchpad|reason|reasoning|sequentialthinking|note_to_self",
  waitVerb: "poll|wait|sleep|await|monitor|watch|tail|heartbeat",
  sendVerb: "send|reply|notify|tweet",
  readVerb:
    "get|list|search|find|read|lookup|query|view|show|check|count|describe|browse|retrieve|load|inspect|can|is|has",
  writeVerb:
    "create|write|edit|update|delete|remove|patch|apply|insert|replace|move|rename|set|add|append|commit|book|" +
    "cancel|buy|pay|put|save|upload|modify|change|submit|register|return|exchange|schedule|reschedule|merge|push|" +
    "install|drop|transfer|restart|reboot|enable|disable|deploy|assign|archive|refund|upsert|grant|revoke|" +
    "trigger|launch|dispatch|enqueue|crear|criar|creer|créer|creare|erstellen|anlegen|escribir|escrever|ecrire|" +
    "écrire|schreiben|scrivere|guardar|salvar|enregistrer|speichern|salvare|borrar|eliminar|excluir|supprimer|" +
    "löschen|loeschen|eliminare|actualizar|atualizar|modifier|aktualisieren|ändern|aendern|aggiornare|editar|" +
    "éditer|bearbeiten|reemplazar|substituir|remplacer|ersetzen|ersetze|agregar|añadir|adicionar|ajouter|" +
    "hinzufügen|aggiungere|reservar|réserver|buchen|prenotare|comprar|pagar|acheter|bezahlen|registrar|cadastrar",
  startVerb: "spawn|delegate|launch|run|start|create|invoke|call|dispatch|new",
  tally:
    "failed|passed|failing|passing|failures?|errors?|warnings?|violations?|fallos|fallas|errores|falhas|erros|" +
    "échecs|erreurs|errori|fehler|fehlgeschlagen|ошибок|ошибки|失敗|失败|실패",
  and: "and|or|und|oder|et|ou|y|o|e|и|或|和|と|および|및|그리고",
  through:
    String.raw`to|through|thru|until|` +
    String.raw`à|a|au|` +
    String.raw`a|al|hasta|` +
    String.raw`a|até|ao|` +
    String.raw`bis|` +
    String.raw`から|より|` +
    String.raw`到|至|` +
    String.raw`부터|에서`,
  all:
    String.raw`all(?: the)?|each of the|every one of the|` +
    String.raw`tous les|toutes les|les|` +
    String.raw`todos los|todas las|los|las|` +
    String.raw`todos os|todas as|os|as|` +
    String.raw`alle|sämtliche|` +
    String.raw`全|すべての|全ての|` +
    String.raw`全部|所有|共|` +
    String.raw`모든|전체|총`,
  doing:
    String.raw`(?<=^\W{0,6}|\b(?:please|and|then|now|just|also|first|next|so|or|but|again|must|should|let's|can you|could you|will you|would you|(?:want|need|like|ask|going|have|got|sure|you|is) to|\w{2,12}ly) )(?:repeat|toggle|switch|turn|blink|flash|measure|sample|call|run|re-?run|ping|do(?= (?:it|this|that))|try|click|press|tap|send|execute|check|test|perform|invoke|poll|retry|loop|roll|make|request|read|ask|play|flip|toss|spin|throw|refresh|reload|scroll|get|open|query|search|say|write|print|look|watch|monitor|let(?!['’]))|(?<=\bkeep (?:on )?)(?:running|checking|pinging|polling|refreshing|reloading|retrying|clicking|pressing|watching|monitoring|measuring|sampling|sending|executing|trying (?:it|this|the))|` +
    String.raw`(?:re)?lance[rz]?|exécute[rz]?|répète[rz]?|répéter|répétez|clique[rz]?|appuie[rz]?|vérifie[rz]?|teste[rz]?|appelle|appelez|appeler|envoie|envoyer|envoyez|(?:ré)?essaie|(?:ré)?essaye[rz]|refais|refaire|fais|faites|faire|mesure[rz]?|actualise[rz]?|recharge[rz]?|surveille[rz]?|interroge[rz]?|consulte[rz]?|regarde[rz]?|tourner|` +
    String.raw`ejecut(?:a|ar|e|en|alo|ala|arlo|arla)|corre(?:r|lo|la)?|lanza(?:r|lo|la)?|repit[ea](?:lo|la)?|repetir(?:lo|la)?|pulsa(?:r)?|haz|haga|hacer(?:lo)?|comprueba|comprobar|revisa(?:r|lo)?|(?<!(?:la|una|esta|cada) )prueba|probar|llama(?:r)?|envía|enviar|mide|medir|(?:re)?intenta(?:r|lo)?|actualiza(?:r)?|recarga(?:r)?|consulta(?:r)?|verifica(?:r)?|vigila(?:r)?|mira(?:r)?|tira(?:r)?|` +
    String.raw`execut(?:a|ar|e|em)|rode|roda|rodar|repita|repete|repetir|clique|clicar|aperte|verifique|verificar|verifica|cheque|checar|(?<!(?:o|um|este|esse|do|cada|de) )teste|testar|chame|chamar|envie|enviar|meça|medir|tente|tentar|faça|fazer|atualize|atualizar|recarregue|recarregar|consulte|consultar|lance|lançar|monitore|monitorar|olhe|corra|correr|` +
    String.raw`führe?|ausführen|starten?|laufen|lass|lasse|wiederholen?|klicken?|drücken?|prüfen?|überprüfen?|testen?|rufe?|abrufen|aufrufen|senden?|schicken?|messen|miss|versuchen?|probieren?|abfragen|pingen?|mache?|würfle|würfeln|laden?|aktualisieren?|schauen?|tippen?|schalten?|wirf|beobachten?|überwachen?|` +
    String.raw`(?:実行|繰り返|くり返|クリック|テスト(?=し)|呼び出|測定|計測|確認|チェック|送信|リロード|更新(?=し)|再試行|リトライ|ポーリング|監視|取得)(?!した|\p{L}{0,2}まし)|(?:押|試|回|叩|走らせ|投げ|振)[しすっい](?!た|まし)|試行|やって|行って|行い(?!まし)|送って|見て|` +
    String.raw`(?:执行|執行|运行|運行|跑|重复|重複|点击|點擊|按(?!照|时|時)|(?<![测測考面调調])[试試](?![图圖])|(?:再|重新|请)测试|调用|調用|检查|檢查|发送|發送|刷新|查询|查詢|轮询|輪詢|重试|重試|做|投|掷|监控|監控|查看|ping)(?!了|过|過)|` +
    String.raw`(?:실행|반복|클릭|호출|측정|확인|체크|전송|새로고침|재시도|시도|조회|테스트(?=하|해))(?!\p{L}{0,2}(?:했|됐|되었))|눌러|누르|보내|돌려|돌리|굴려|던져`,
  numbers:
    String.raw`two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|(?:a )?hundred|` +
    String.raw`deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|cinquante|cent|` +
    String.raw`dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta|cincuenta|cien|` +
    String.raw`d[ou][ia]s|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|quinze|vinte|trinta|cinquenta|cem|` +
    String.raw`zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|fünfzehn|zwanzig|dreißig|fünfzig|hundert|` +
    String.raw`二|三|四|五|六|七|八|九|十|十一|十二|十五|二十|三十|五十|百|` +
    String.raw`[二两兩]|三|四|五|六|七|八|九|十|十一|十二|十五|二十|三十|五十|一?百|` +
    String.raw`두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두|열다섯|스무|서른|쉰|백`,
  times:
    String.raw`(?:more |identical |consecutive |times? )?(?:times|runs(?=\s*(?:[.!?,;]|$))|rounds|iterations|repetitions)|` +
    String.raw`fois|tours|itérations|exécutions|répétitions|` +
    String.raw`veces|ejecuciones|iteraciones|rondas|repeticiones|` +
    String.raw`vezes|execuções|iterações|rodadas|repetições|` +
    String.raw`male?|durchläufe|läufe|runden|wiederholungen|` +
    String.raw`回(?!目)|遍|` +
    String.raw`次(?!要|数|數)|遍|回(?!答|复|覆)|` +
    String.raw`번(?!째|호| ?(?:버튼|항목|줄|행|페이지|문제|열|파일|단계|방))|회(?!의|사|원)|차례`,
  twice: String.raw`twice`,
  endless:
    String.raw`again and again|over and over|repeatedly|continuously|in a loop|keep(?: on)? (?=\p{L}{3,12}ing)|(?:dozens of|a (?:few|couple(?: of)?) dozen|(?:several|some) dozen|hundreds of|(?<!how )many) times|as (?:many times|often) as (?:you can|possible)|(?:every|each) (?:\d{1,3} |few |other |five |ten |thirty )?(?:seconds?|minutes?|hours?)|once (?:a|an|every) (?:second|minute|hour)|for (?:the (?:next|coming) |another |about |at least )?(?:\d{1,3}|an?|half an|the next|a few|a couple of|two|five|ten|thirty) (?:seconds?|minutes?|hours?)|for (?:the (?:next|coming)|another) (?:minute|hour)|` +
    String.raw`encore et encore|sans (?:arrêt|cesse)|en boucle|à répétition|en continu|(?:quelques |des |plusieurs )?(?:dizaines|douzaines) de fois|de nombreuses fois|toutes les (?:\d{1,3} |deux |cinq |dix )?(?:secondes|minutes|heures)|chaque (?:seconde|minute|heure)|(?:pendant|durant) (?:la prochaine |les (?:prochaines )?|une |environ )?(?:\d{1,3} |cinq |dix )?(?:prochaines )?(?:secondes?|minutes?|heures?)|` +
    String.raw`una y otra vez|sin parar|repetidamente|continuamente|en bucle|(?:unas |varias |algunas )?(?:docenas|decenas) de veces|muchas veces|cada (?:\d{1,3} |cinco |diez )?(?:segundos?|minutos?|horas?)|durante (?:la próxima |las próximas |los próximos |una |unos )?(?:\d{1,3} |cinco |diez )?(?:segundos?|minutos?|horas?)|` +
    String.raw`repetidamente|sem parar|em loop|continuamente|de novo e de novo|(?:algumas |várias )?(?:dúzias|dezenas) de vezes|muitas vezes|a?\s?cada (?:\d{1,3} |cinco |dez )?(?:segundos?|minutos?|horas?)|durante (?:a próxima |as próximas |os próximos |uma |uns )?(?:\d{1,3} |cinco |dez )?(?:segundos?|minutos?|horas?)|` +
    String.raw`immer wieder|wieder und wieder|ständig|fortlaufend|laufend|pausenlos|in (?:einer )?(?:endlos)?schleife|(?:ein paar |einige )?dutzende? ?mal|(?:viele|unzählige) male|alle \d{0,3} ?(?:sekunden|minuten|stunden)|jede (?:sekunde|minute|stunde|halbe stunde)|die nächsten? (?:\d{1,3} |zwei |zehn )?(?:sekunden|minuten?|stunden?)|(?:\d{1,3}|eine|zehn) (?:sekunden|minuten?|stunden?) lang|so ?lange?|` +
    String.raw`何[度回]も(?!言|申|お願い|伝え|説明)|繰り返し(?!に)|ずっと|延々と|[数何]十回|何百回|\d{0,3}(?:秒|分|時間)(?:ごと|おき|毎)に?|毎(?:秒|分|時)|\d{0,3}[一十]?(?:秒|分|時間)(?:の)?間|(?:次の|今後|これから)\d{0,3}(?:分|時間)|続け(?:て|る)|` +
    String.raw`反复|反覆|不断|不斷|一直|持续|持續|循环|循環|一[遍次]又一[遍次]|[几幾数數]十[次遍回]|每隔?\d{0,3}[一半]?[个個]?(?:秒|分钟|分鐘|小时|小時)|(?:接下来|接下來|未来)的?\d{0,3}[一半]?[个個]?(?:分钟|分鐘|小时|小時)|` +
    String.raw`계속(?:해서)?|반복(?:해서|적으로)|여러 번|[수몇]십 ?번|끊임없이|쉬지 않고|\d{0,3} ?(?:초|분|시간)마다|매(?:초|분|시간)|(?:앞으로|다음) ?\d{0,3}(?:분|시간)|\d{1,3} ?(?:초|분|시간) ?동안`,
  until:
    String.raw`(?<!(?:open|closed|valid|available|free|up) )(?:until|till)(?! (?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|noon|midnight|tomorrow|tonight|today|then|now|next|late|further))|` +
    String.raw`jusqu['’]à ce qu|jusqu['’](?:au premier |à l['’]|à la première )(?:échec|erreur)|tant qu|` +
    String.raw`hasta que|` +
    String.raw`até que|até (?=\p{L}{2,12}[aei]r(?!\p{L}))|` +
    String.raw`bis (?=(?:er|sie|es|der|die|das|eine?r?|alle|nichts|keine?r?|jemand|etwas|ich) |zum (?:ersten )?fehler)|` +
    String.raw`(?<!い)[うくぐすつぬぶむる]まで|` +
    String.raw`直到|直至|` +
    String.raw`때까지`,
  failing:
    String.raw`fail(?:s|ed|ure)?|breaks?|errors?|crash(?:es)?|flak\p{L}*|` +
    String.raw`échou\p{L}*|échecs?|erreurs?|plante|` +
    String.raw`fall[aeo]\p{L}*|error\p{L}*|` +
    String.raw`falh\p{L}*|erro\p{L}*|` +
    String.raw`fehlschläg\p{L}*|schlägt|scheiter\p{L}*|fehler\p{L}*|stürzt|` +
    String.raw`失敗|エラー|落ち|` +
    String.raw`失败|失敗|出错|出錯|报错|報錯|错误|錯誤|` +
    String.raw`실패|오류|에러`,
  summary: String.raw`\bsummar(?:y|ies|i[sz]e|i[sz]ing|i[sz]ation)\b|\bcompact(?:ion|ing)?\b|\bhand-?off\b|要約|总结|總結|摘要`,
  noTools:
    String.raw`\btext[ -]only\b|\bonly (?:with )?text\b|` +
    String.raw`\b(?:not|never|without|no)\b.{0,20}\b(?:tools?|functions?)\b|ツール.{0,8}(?:使わ|呼び出さ|使用し)な|` +
    "(?:不要|勿|不得)(?:调用|使用|調用).{0,8}工具",
  historyTitle: "history|previous (actions|steps|turns)|(past|executed|completed) (actions|steps)|履歴|历史|歷史",
  taskTitle:
    String.raw`\b(task|goal|objective|user (request|instruction|input)|request|instruction|question)\b|タスク|` +
    "目的|指示|依頼|命令|ユーザー|任务|任務|目标|用户",
  stateTitle:
    String.raw`\b(page|screen|state|dom|html|elements?|observation|environment)\b|ページ|画面|状態|要素|dom(?=サマリ|ツリ)|` +
    "页面|頁面|状态",
  faultTitle: String.raw`\b(errors?|warnings?|failures?)\b|エラー|警告|错误|錯誤`,
  nowTitle: String.raw`\b(current|now|latest|present)\b|現在|最新|今の|当前|目前|现在`,
  stateLabel:
    String.raw`(?:the )?(?:current|latest|present)[ \t](?:\w{1,16}[ \t]){0,2}(?:state|screen|page|observation)|` +
    "(?:現在|最新)の(?:UI)?(?:の)?(?:状態|画面|ページ)|当前(?:界面|页面|屏幕)?(?:状态|页面|屏幕|界面)",
  taskLabel:
    "(?:high[- ]level |overall |ultimate |user )?(?:action|goal|task|objective|intent|instruction|request)(?: to (?:interpret|achieve|perform|execute|reach|complete))?|" +
    "目標|目的|タスク|指示|目标|任务",
  userLabel: "u|user|human|ユーザー|ユーザ|用户|用戶",
  agentLabel: "a|ai|agent|assistant|bot|アシスタント|エージェント|助手|智能体",
  memoLabel: "m|memo|memory|note|メモ|メモリ|記憶|记忆|备注",
  noHistory: String.raw`no history( yet)?|none( yet)?|empty|nothing( yet)?|n\/a|履歴なし|履歴はありません|なし|まだありません|无|無|暂无|空`,
  stepLabel: "step|ステップ|步骤",
};
